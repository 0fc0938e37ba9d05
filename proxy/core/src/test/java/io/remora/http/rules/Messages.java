package io.remora.http.rules;

/** Requests, spelt out; every argument goes on the wire as it is. */
final class Messages {
    static final String GET = get();

    private Messages() {}

    static String get(String... lines) {
        return request("GET / HTTP/1.1", lines);
    }

    /** With a Host and these lines behind it. */
    static String request(String requestLine, String... lines) {
        return bare(requestLine + "\r\nHost: app", lines);
    }

    /** With these lines and no others. */
    static String bare(String requestLine, String... lines) {
        StringBuilder request = new StringBuilder(requestLine).append("\r\n");
        for (String line : lines) {
            request.append(line).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    /** A POST whose body, framed by the lines or not, is what follows the empty line. */
    static String post(String body, String... lines) {
        return request("POST / HTTP/1.1", lines) + body;
    }

    /** A chunked POST; the body with its chunk framing. */
    static String chunked(String framedBody) {
        return post(framedBody, "Transfer-Encoding: chunked");
    }

    /** A 200 response with these lines and the body behind them. */
    static String ok(String body, String... lines) {
        return bare("HTTP/1.1 200 OK", lines) + body;
    }
}
