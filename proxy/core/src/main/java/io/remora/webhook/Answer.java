package io.remora.webhook;

import java.nio.charset.StandardCharsets;

/** A response of the injector. Immutable. */
final class Answer {
    private static final String TEXT = "text/plain; charset=utf-8";

    private final int status;
    private final String type;
    private final byte[] body;

    Answer(int status, String type, String body) {
        this.status = status;
        this.type = type;
        this.body = body.getBytes(StandardCharsets.UTF_8);
    }

    static Answer text(int status, String body) {
        return new Answer(status, TEXT, body + '\n');
    }

    static Answer json(String body) {
        return new Answer(200, "application/json", body);
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }

    /** Returns the bytes, which the caller must not change. */
    byte[] body() {
        return body;
    }
}
