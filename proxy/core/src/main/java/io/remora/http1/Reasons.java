package io.remora.http1;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.remora.http.Octets;

/** The reason phrases of the sidecar's own responses (RFC 9110 section 15). */
final class Reasons {
    private Reasons() {}

    static Octets of(int status) {
        return Octets.of(HttpResponseStatus.valueOf(status).reasonPhrase());
    }
}
