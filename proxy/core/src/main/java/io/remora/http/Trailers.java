package io.remora.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps a trailer section from saying what only a header section may.
 *
 * <p>Spec: RFC 9110 section 6.5.1: no framing, routing, authentication or connection field in a trailer; nor any that
 * tells the backend about the client.
 */
public final class Trailers {
    private static final AsciiString[] FORBIDDEN = {
        Names.CONNECTION,
        Names.CONTENT_LENGTH,
        Names.CONTENT_TYPE,
        Names.EXPECT,
        Names.FORWARDED,
        Names.HOST,
        Names.KEEP_ALIVE,
        Names.MAX_FORWARDS,
        Names.PROXY_CONNECTION,
        Names.TE,
        Names.TRANSFER_ENCODING,
        Names.UPGRADE,
        Names.VIA,
        Names.X_REQUEST_ID,
        AsciiString.cached("Authorization"),
        AsciiString.cached("Content-Encoding"),
        AsciiString.cached("Content-Range"),
        AsciiString.cached("Cookie"),
        AsciiString.cached("Cache-Control"),
        AsciiString.cached("Proxy-Authorization"),
        AsciiString.cached("Proxy-Authenticate"),
        AsciiString.cached("Set-Cookie"),
        AsciiString.cached("Trailer"),
        AsciiString.cached("WWW-Authenticate")
    };
    private static final String X_FORWARDED = "X-Forwarded-";

    private Trailers() {}

    /**
     * Edits {@code trailers} in place.
     *
     * @param nominated names that the message's Connection field nominated
     */
    public static void strip(HttpHeaders trailers, List<String> nominated) {
        if (trailers.isEmpty()) {
            return;
        }
        removeAll(trailers, FieldList.elements(trailers, Names.CONNECTION));
        removeAll(trailers, nominated);
        for (AsciiString name : FORBIDDEN) {
            trailers.remove(name);
        }
        for (String name : new ArrayList<>(trailers.names())) {
            if (name.regionMatches(true, 0, X_FORWARDED, 0, X_FORWARDED.length())) {
                trailers.remove(name);
            }
        }
    }

    private static void removeAll(HttpHeaders trailers, List<String> names) {
        for (String name : names) {
            trailers.remove(name);
        }
    }
}
