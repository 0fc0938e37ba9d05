package io.remora.testkit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The judge of what the sidecar wrote: an HTTP/1.1 parser that accepts what RFC 9112 lets a sender generate, and
 * nothing more.
 *
 * <p>A breach is a {@link Violation}; an end before the message's own end is an EOFException.
 */
public final class StrictHttp {
    /** Bytes that no conforming sender writes. */
    public static final class Violation extends IOException {
        private static final long serialVersionUID = 1;

        Violation(String message) {
            super(message);
        }
    }

    private StrictHttp() {}

    /** Whole requests, one behind the other, with nothing left over. */
    public static List<RawRequest> requests(byte[] raw) throws IOException {
        PushbackInputStream in = new PushbackInputStream(new ByteArrayInputStream(raw));
        List<RawRequest> requests = new ArrayList<>();
        for (int first = in.read(); first >= 0; first = in.read()) {
            in.unread(first);
            requests.add(request(in));
        }
        return requests;
    }

    public static RawRequest request(InputStream in) throws IOException {
        RawRequest head = requestHead(in);
        return head.with(StrictBody.ofRequest(head.fields(), in), StrictBody.trailers(head.fields(), in));
    }

    public static RawRequest requestHead(InputStream in) throws IOException {
        String line = Wire.line(in);
        int first = line.indexOf(' ');
        int second = line.indexOf(' ', first + 1);
        require(first > 0 && second > first + 1 && line.indexOf(' ', second + 1) < 0, "request line", line);
        String target = line.substring(first + 1, second);
        require(isToken(line.substring(0, first)), "method", line);
        require(isTarget(target), "request target", line);
        require(line.substring(second + 1).equals("HTTP/1.1"), "version", line);
        Fields fields = fields(in);
        require(fields.all("host").size() == 1, "one Host", fields);
        require(isHost(fields.all("host").get(0)), "Host", fields);
        StrictBody.checkFraming(fields);
        return new RawRequest(line.substring(0, first), target, "HTTP/1.1", fields, new byte[0], Fields.NONE);
    }

    /** The final response to {@code method}, with the interim ones that came before it. */
    public static RawResponse response(InputStream in, String method) throws IOException {
        List<RawResponse> interim = new ArrayList<>();
        RawResponse head = responseHead(in);
        while (head.status() < 200 && head.status() != 101) {
            interim.add(head);
            head = responseHead(in);
        }
        if (!StrictBody.responseHasBody(head, method)) {
            return head.after(interim);
        }
        byte[] body = StrictBody.ofResponse(head.fields(), in);
        return head.with(body, StrictBody.trailers(head.fields(), in)).after(interim);
    }

    /** A status line and the fields under it, interim or final. */
    public static RawResponse responseHead(InputStream in) throws IOException {
        String line = Wire.line(in);
        require(line.length() >= 13 && line.startsWith("HTTP/1.1 ") && line.charAt(12) == ' ', "status line", line);
        for (int i = 9; i < 12; i++) {
            require(line.charAt(i) >= '0' && line.charAt(i) <= '9', "status", line);
        }
        require(isText(line.substring(13)), "reason", line);
        int status = Integer.parseInt(line.substring(9, 12));
        // beyond 599 it is the endpoint's, which passes
        require(status >= 100, "status", line);
        Fields fields = fields(in);
        StrictBody.checkFraming(fields);
        boolean bare = status < 200 || status == 204;
        require(!bare || !fields.has("content-length") && !fields.has("transfer-encoding"), "no framing", fields);
        return new RawResponse("HTTP/1.1", status, line.substring(13), fields, new byte[0], Fields.NONE, List.of());
    }

    /** Field lines up to and with the empty line. */
    static Fields fields(InputStream in) throws IOException {
        List<Fields.Line> lines = new ArrayList<>();
        for (String line = Wire.line(in); !line.isEmpty(); line = Wire.line(in)) {
            int colon = line.indexOf(':');
            require(colon > 0 && isToken(line.substring(0, colon)), "field name", line);
            require(isText(line.substring(colon + 1)), "field value", line);
            lines.add(new Fields.Line(line.substring(0, colon), trim(line.substring(colon + 1))));
        }
        return new Fields(lines);
    }

    static void require(boolean holds, String what, @Nullable Object found) throws Violation {
        if (!holds) {
            throw new Violation("not a valid " + what + ": " + found);
        }
    }

    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c < 0x7f && isTokenChar((char) c));
    }

    private static boolean isTokenChar(char c) {
        return Character.isLetterOrDigit(c) || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }

    /** Field content of RFC 9110 5.5: visible characters, SP, HT and octets from 0x80. */
    private static boolean isText(String text) {
        return text.chars().allMatch(c -> c == '\t' || c >= ' ' && c != 0x7f);
    }

    private static boolean isTarget(String target) {
        boolean form = target.startsWith("/") || target.equals("*");
        return form && target.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '#');
    }

    private static boolean isHost(String host) {
        String name = host;
        int colon = host.lastIndexOf(':');
        if (colon > host.lastIndexOf(']')) {
            name = host.substring(0, colon);
            if (!host.substring(colon + 1).chars().allMatch(c -> c >= '0' && c <= '9')) {
                return false;
            }
        }
        if (name.startsWith("[")) {
            return name.endsWith("]")
                    && name.length() > 3
                    && name.substring(1, name.length() - 1)
                            .chars()
                            .allMatch(c -> Character.digit(c, 16) >= 0 || c == ':' || c == '.');
        }
        return name.chars()
                .allMatch(c -> c < 0x7f && (Character.isLetterOrDigit(c) || "-._~%!$&'()*+;=".indexOf(c) >= 0));
    }

    private static String trim(String value) {
        int start = 0;
        int end = value.length();
        while (start < end && (value.charAt(start) == ' ' || value.charAt(start) == '\t')) {
            start++;
        }
        while (end > start && (value.charAt(end - 1) == ' ' || value.charAt(end - 1) == '\t')) {
            end--;
        }
        return value.substring(start, end);
    }
}
