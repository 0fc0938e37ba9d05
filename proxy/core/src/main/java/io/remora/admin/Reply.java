package io.remora.admin;

import org.jspecify.annotations.Nullable;

/**
 * What a page answers.
 *
 * @param body null for one that a HEAD does not learn the length of
 * @param allow the methods that a page which refused this one has
 */
record Reply(
        int status,
        String contentType,
        @Nullable String body,
        @Nullable String allow) {
    static final String TEXT = "text/plain; charset=utf-8";

    static Reply text(int status, CharSequence body) {
        return of(status, TEXT, body);
    }

    static Reply of(int status, String contentType, CharSequence body) {
        return new Reply(status, contentType, body.toString(), null);
    }

    static Reply methodNotAllowed(String allow) {
        return new Reply(405, TEXT, "use " + allow + "\n", allow);
    }
}
