package io.remora.http2;

import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;

/** A request's head as HTTP/2 brought it: it has no fields about its connection but one, which says that trailers are welcome. */
final class FrontendRequest extends RequestHead {
    private final boolean trailers;

    /**
     * @param trailers whether the client takes them
     */
    FrontendRequest(String method, Octets target, Octets authority, Fields fields, long bodyLength, boolean trailers) {
        super(method, target, authority, "2.0", fields, bodyLength);
        this.trailers = trailers;
    }

    @Override
    public void leaveConnection() {
        if (trailers) {
            takeTrailers();
        }
    }
}
