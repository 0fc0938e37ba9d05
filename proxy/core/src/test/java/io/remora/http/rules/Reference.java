package io.remora.http.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What the sidecar should make of a client's octets, written down a second time in the plainest way: on the whole text
 * at once.
 *
 * <p>It knows the syntax and the framing, not the limits.
 */
final class Reference {
    private static final String TOKEN = "[-!#$%&'*+.^_`|~0-9A-Za-z]+";
    private static final String QUOTED = "\"([\t !#-\\[\\]-~\u0080-\u00ff]|\\\\[\t -~\u0080-\u00ff])*\"";
    private static final String HOST =
            "([-._~!$&'()*+;=A-Za-z0-9]|%[0-9a-fA-F]{2})+(:[0-9]{0,4})?|\\[[:.0-9a-fA-F]{2,}\\](:[0-9]{0,4})?";
    private static final String CHUNK_EXTENSIONS = "(;" + TOKEN + "(=(" + TOKEN + "|" + QUOTED + "))?)*";
    private static final String ANY_EXTENSIONS = "(;[\t -~\u0080-\u00ff]*)?";

    private final String octets;
    private final String chunkExtensions;
    private final List<String> requests = new ArrayList<>();
    private int position;

    private Reference(String octets, String chunkExtensions) {
        this.octets = octets;
        this.chunkExtensions = chunkExtensions;
    }

    /**
     * Whether these are the requests to be made of the octets. Chunk extensions that are not well formed may be refused
     * or ignored, for none of them moves the end of a chunk.
     */
    static boolean agrees(String octets, List<String> requests) {
        return requests.equals(requests(octets)) || requests.equals(new Reference(octets, ANY_EXTENSIONS).read());
    }

    /** Method, target and body of each whole request before the first that is refused or incomplete. */
    static List<String> requests(String octets) {
        return new Reference(octets, CHUNK_EXTENSIONS).read();
    }

    private List<String> read() {
        boolean more = true;
        while (more) {
            more = next();
        }
        return requests;
    }

    private boolean next() {
        while (octets.startsWith("\r\n", position)) {
            position += 2;
        }
        int end = octets.indexOf("\r\n\r\n", position);
        if (end < 0) {
            return false;
        }
        String[] lines = octets.substring(position, end).split("\r\n", -1);
        position = end + 4;
        String[] start = lines[0].split(" ", -1);
        List<String[]> fields = fields(lines);
        if (start.length != 3 || fields == null || !start[0].matches(TOKEN)) {
            return false;
        }
        boolean old = start[2].equals("HTTP/1.0");
        String target = target(start[0], start[1]);
        if (!old && !start[2].equals("HTTP/1.1") || target == null || !hostFits(fields, old)) {
            return false;
        }
        String body = body(fields, old);
        if (body == null) {
            return false;
        }
        requests.add(start[0] + " " + target + " [" + body + "]");
        return !old && !all(fields, "connection").toLowerCase(Locale.ROOT).matches("(.*,)?[ \t]*close[ \t]*(,.*)?");
    }

    private static String target(String method, String target) {
        if (method.equals("CONNECT") || !target.matches("[!\"$-~]+")) {
            return null;
        }
        if (target.startsWith("/") || target.equals("*") && method.equals("OPTIONS")) {
            return target;
        }
        if (!target.matches("(?i)https?://(" + HOST + ")([/?].*)?")) {
            return null;
        }
        String rest = target.substring(target.indexOf("//") + 2).replaceFirst("^[^/?]*", "");
        if (rest.isEmpty()) {
            return method.equals("OPTIONS") ? "*" : "/";
        }
        return rest.startsWith("?") ? "/" + rest : rest;
    }

    private static boolean hostFits(List<String[]> fields, boolean old) {
        long count = fields.stream().filter(field -> field[0].equals("host")).count();
        return count == 0 && old || count == 1 && all(fields, "host").matches(HOST);
    }

    private static List<String[]> fields(String[] lines) {
        List<String[]> fields = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon < 0
                    || !lines[i].substring(0, colon).matches(TOKEN)
                    || !lines[i].matches("[\t -~\u0080-\u00ff]*")) {
                return null;
            }
            String value = lines[i].substring(colon + 1).replaceAll("^[ \t]+|[ \t]+$", "");
            fields.add(new String[] {lines[i].substring(0, colon).toLowerCase(Locale.ROOT), value});
        }
        return fields;
    }

    private static String all(List<String[]> fields, String name) {
        List<String> values = new ArrayList<>();
        fields.stream().filter(field -> field[0].equals(name)).forEach(field -> values.add(field[1]));
        return String.join(",", values);
    }

    private static boolean has(List<String[]> fields, String name) {
        return fields.stream().anyMatch(field -> field[0].equals(name));
    }

    private String body(List<String[]> fields, boolean old) {
        boolean lengthTold = has(fields, "content-length");
        if (has(fields, "sec-websocket-key1") && has(fields, "sec-websocket-key2")) {
            return null;
        }
        if (has(fields, "transfer-encoding")) {
            boolean chunked = all(fields, "transfer-encoding").equalsIgnoreCase("chunked");
            return lengthTold || old || !chunked ? null : chunks();
        }
        if (!lengthTold) {
            return "";
        }
        String length = all(fields, "content-length");
        return length.matches("0|[1-9][0-9]{0,8}") ? take(Integer.parseInt(length)) : null;
    }

    private String take(int length) {
        if (octets.length() - position < length) {
            return null;
        }
        position += length;
        return octets.substring(position - length, position);
    }

    private String chunks() {
        StringBuilder body = new StringBuilder();
        while (true) {
            int end = octets.indexOf("\r\n", position);
            String line = end < 0 ? "" : octets.substring(position, end);
            if (!line.matches("[0-9a-fA-F]{1,7}" + chunkExtensions)) {
                return null;
            }
            position = end + 2;
            int size = Integer.parseInt(line.replaceFirst(";.*", ""), 16);
            if (size == 0) {
                return trailers() ? body.toString() : null;
            }
            String chunk = take(size);
            if (chunk == null || !octets.startsWith("\r\n", position)) {
                return null;
            }
            position += 2;
            body.append(chunk);
        }
    }

    private boolean trailers() {
        int end = octets.startsWith("\r\n", position) ? position : octets.indexOf("\r\n\r\n", position) + 2;
        if (end < position) {
            return false;
        }
        // a folded line is part of the one before it, unless that has no value yet
        String unfolded = ("\r\n" + octets.substring(position, end)).replaceAll("(?<!^|:[ \t]{0,9})\r\n[ \t]+", " ");
        position = end + 2;
        String[] lines = unfolded.split("\r\n", 0);
        return fields(lines.length == 0 ? new String[1] : lines) != null;
    }
}
