package io.remora.admin;

import io.remora.text.Pieces;
import org.jspecify.annotations.Nullable;

/**
 * The response of a page.
 *
 * @param body null in reply to a HEAD request for which the length is not determined
 * @param fields further fields of the head, each with its line end; null for none
 */
record Reply(
        int status,
        String contentType,
        @Nullable Pieces body,
        @Nullable String fields) {
    static final String TEXT = "text/plain; charset=utf-8";

    static Reply text(int status, CharSequence body) {
        return of(status, TEXT, body);
    }

    static Reply of(int status, String contentType, CharSequence body) {
        return new Reply(status, contentType, Pieces.of(body), null);
    }

    static Reply methodNotAllowed(String allow) {
        return new Reply(405, TEXT, Pieces.of("use " + allow + "\n"), "Allow: " + allow + "\r\n");
    }
}
