package io.remora.loadtest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A request of recorded traffic, and the size of the answer that it asks the fake application for.
 *
 * @param host the Host field, or the authority of HTTP/2
 * @param bytes of the body, or of the message of a call
 * @param answerBytes of the answer's body, or of its message
 * @param statusClass first digit of the recorded status, which the sidecar may have answered itself
 */
record RecordedRequest(
        String method, String target, String host, int bytes, int answerBytes, int statusClass, boolean isCall) {
    private static final int WORDS = 7;

    /**
     * Reads {@code KIND METHOD TARGET HOST BYTES ANSWER_BYTES STATUS_CLASS}; KIND is grpc for a call, and http for anything
     * else.
     */
    static RecordedRequest read(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != WORDS) {
            throw new IllegalArgumentException("not seven words: " + line);
        }
        return new RecordedRequest(
                words[1],
                words[2],
                words[3],
                Integer.parseUnsignedInt(words[4]),
                Integer.parseUnsignedInt(words[5]),
                Integer.parseUnsignedInt(words[6]),
                words[0].equals("grpc"));
    }

    /** The request of HTTP/1.1. */
    byte[] http1() {
        String length = bytes > 0 ? "Content-Length: " + bytes + "\r\n" : "";
        String head =
                method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: recorded\r\nAccept: */*\r\n"
                        + BackendAnswers.SIZE_FIELD + ": " + answerBytes + "\r\n" + length + "\r\n";
        byte[] fields = head.getBytes(StandardCharsets.US_ASCII);
        byte[] whole = Arrays.copyOf(fields, fields.length + bytes);
        Arrays.fill(whole, fields.length, whole.length, (byte) 'x');
        return whole;
    }

    /** The request of HTTP/2. */
    Http2Request http2() {
        Http2Request plain = isCall ? Http2Request.grpc(target, bytes) : Http2Request.of(method, target, bytes);
        return plain.with(":authority", host)
                .with(BackendAnswers.SIZE_FIELD, Integer.toString(answerBytes))
                .recorded(statusClass);
    }
}
