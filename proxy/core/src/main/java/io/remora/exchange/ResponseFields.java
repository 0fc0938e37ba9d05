package io.remora.exchange;

import io.remora.http.Names;
import io.remora.http.ResponseHead;

/** Completes a final response's fields on their way to the client. */
final class ResponseFields {
    private ResponseFields() {}

    /**
     * Adds Date where the backend sent none (RFC 9110 6.6.1) and this hop's Via, and takes out a length that may not
     * stand.
     */
    static void complete(ResponseHead head, ListenerContext context) {
        if (!head.fields.contains(Names.DATE)) {
            head.fields.add(Names.DATE, context.loop().date().now());
        }
        context.via().append(head.fields, true);
        int status = head.status.code();
        if (status == 204) {
            head.fields.remove(Names.CONTENT_LENGTH);
        } else if (status == 205) {
            head.fields.set(Names.CONTENT_LENGTH, "0");
        }
    }
}
