package io.remora.http2;

import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.WebSocketKeys;
import io.remora.http2.hpack.LineFacts;

/**
 * A request's head as HTTP/2 brought it: it has no fields about its connection but one, which says that trailers are welcome. One for a
 * WebSocket is what it would be in HTTP/1.1, a GET that offers an upgrade.
 *
 * <p>Spec: RFC 8441 section 5.
 */
final class FrontendRequest extends RequestHead {
    static final String WEBSOCKET = "websocket";

    private final boolean trailers;
    private final boolean webSocket;

    /**
     * @param trailers whether the client takes them
     * @param webSocket whether its stream is to become one
     * @param neverIndexed the pseudo-fields of which no table may know: bits, by their numbers in {@link LineFacts}
     */
    FrontendRequest(
            String method,
            Octets target,
            Octets authority,
            Fields fields,
            long bodyLength,
            boolean trailers,
            boolean webSocket,
            int neverIndexed) {
        super(method, target, authority, "2.0", fields, bodyLength);
        this.trailers = trailers;
        this.webSocket = webSocket;
        neverIndex(neverIndexed);
    }

    boolean isWebSocket() {
        return webSocket;
    }

    @Override
    public void leaveConnection() {
        if (trailers) {
            takeTrailers();
        }
        if (webSocket) {
            offerUpgrade(WEBSOCKET);
            // whatever the client has sent under this name means nothing in HTTP/2
            fields.set(WebSocketKeys.KEY, WebSocketKeys.newKey());
        }
    }

    @Override
    public boolean isGrantedBy(ResponseHead answer) {
        return webSocket && WebSocketKeys.agree(fields, answer.fields);
    }
}
