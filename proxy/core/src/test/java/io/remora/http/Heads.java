package io.remora.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Heads and fields for the unit tests of the rules, from the lines that one would read on the wire. The one place that
 * knows which classes carry them.
 */
public final class Heads {
    private Heads() {}

    /** Each line is {@code Name: value}, judged by nobody. */
    public static Fields fields(String... lines) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        int[] starts = new int[lines.length + 1];
        for (int i = 0; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            String line = lines[i].substring(0, colon) + ": "
                    + lines[i].substring(colon + 1).strip() + "\r\n";
            octets.writeBytes(line.getBytes(StandardCharsets.UTF_8));
            starts[i + 1] = octets.size();
        }
        byte[] array = octets.toByteArray();
        Fields fields = Fields.received(lines.length);
        for (int i = 0; i < lines.length; i++) {
            int nameEnd = starts[i] + lines[i].indexOf(':');
            fields.received(array, starts[i], nameEnd, nameEnd + 2, starts[i + 1] - 2, true);
        }
        fields.seal(array, array.length);
        return fields;
    }

    /** The lines again, in order. */
    public static List<String> lines(Fields fields) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            lines.add(fields.name(i) + ": " + fields.value(i));
        }
        return lines;
    }

    /** A request to the authority {@code app.example} without a body. */
    public static RequestHead request(String method, String target, String... lines) {
        return requestTo("app.example", method, target, lines);
    }

    public static RequestHead requestTo(String authority, String method, String target, String... lines) {
        return new RequestHead(method, Octets.of(target), Octets.of(authority), "1.1", fields(lines), BodyLength.NONE);
    }
}
