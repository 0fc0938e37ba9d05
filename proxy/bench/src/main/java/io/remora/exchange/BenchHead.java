package io.remora.exchange;

import io.remora.http.Fields;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Field lines as a parser has found them, for as many heads as are wanted. */
final class BenchHead {
    /** What a connection's array has left behind the lines, where the sidecar's own go. */
    private static final int SPARE = 512;

    private final String text;
    private final byte[] octets;
    /** Of each line its start, the end of its name and the end of its value. */
    private final int[] places;

    BenchHead(String text) {
        this.text = text;
        this.octets = text.getBytes(StandardCharsets.ISO_8859_1);
        int lines = text.split("\r\n").length;
        this.places = new int[lines * 3];
        int start = 0;
        for (int i = 0; i < places.length; i += 3) {
            places[i] = start;
            places[i + 1] = text.indexOf(':', start);
            places[i + 2] = text.indexOf('\r', start);
            start = places[i + 2] + 2;
        }
    }

    String text() {
        return text;
    }

    Fields fields() {
        byte[] array = Arrays.copyOf(octets, octets.length + SPARE);
        Fields fields = Fields.received(places.length / 3);
        for (int i = 0; i < places.length; i += 3) {
            fields.received(array, places[i], places[i + 1], places[i + 1] + 2, places[i + 2], true);
        }
        fields.seal(array, octets.length);
        return fields;
    }
}
