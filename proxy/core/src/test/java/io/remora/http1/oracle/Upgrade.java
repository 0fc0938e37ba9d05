package io.remora.http1.oracle;

import io.netty.handler.codec.http.HttpHeaders;

/**
 * Decides which requests may turn their connection into a tunnel, and whether a backend's 101 is one of them.
 *
 * <p>Only to websocket: a tunnel hides every later byte from the rules here, and {@code h2c} through a gateway is a
 * known way around them. Any other protocol is left out of the request, which a server is free to do.
 *
 * <p>Spec: RFC 9110 section 7.8, RFC 6455 section 4.
 */
public final class Upgrade {
    private Upgrade() {}

    /** Whether a 101 switches to what was asked for. */
    public static boolean isAccepted(HttpHeaders response) {
        return nominatesWebsocket(response);
    }

    private static boolean nominatesWebsocket(HttpHeaders fields) {
        return fields.getAll(Names.UPGRADE).size() == 1
                && Names.WEBSOCKET.contentEqualsIgnoreCase(fields.get(Names.UPGRADE))
                && FieldList.contains(String.join(",", fields.getAll(Names.CONNECTION)), Names.UPGRADE);
    }
}
