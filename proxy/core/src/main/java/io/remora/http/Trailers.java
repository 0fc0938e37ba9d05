package io.remora.http;

/**
 * Keeps a trailer section from saying what only a header section may.
 *
 * <p>Spec: RFC 9110 section 6.5.1: no framing, routing, authentication or connection field in a trailer; nor any that
 * tells the backend about the client.
 */
public final class Trailers {
    private static final FieldName[] FORBIDDEN = {
        FieldName.CONTENT_LENGTH,
        FieldName.CONTENT_TYPE,
        FieldName.EXPECT,
        FieldName.FORWARDED,
        FieldName.HOST,
        FieldName.MAX_FORWARDS,
        FieldName.TRAILER,
        FieldName.VIA,
        FieldName.X_REQUEST_ID,
        FieldName.of("Authorization"),
        FieldName.of("Content-Encoding"),
        FieldName.of("Content-Range"),
        FieldName.of("Cookie"),
        FieldName.of("Cache-Control"),
        FieldName.of("Proxy-Authorization"),
        FieldName.of("Proxy-Authenticate"),
        FieldName.of("Set-Cookie"),
        FieldName.of("WWW-Authenticate")
    };
    private static final String X_FORWARDED = "X-Forwarded-";

    private Trailers() {}

    /**
     * Edits {@code trailers} in place; the caller, which knows their version, has taken out fields about a connection.
     */
    public static void strip(Fields trailers) {
        for (FieldName name : FORBIDDEN) {
            trailers.remove(name);
        }
        int line = 0;
        while (line < trailers.size()) {
            String name = trailers.name(line);
            if (name.regionMatches(true, 0, X_FORWARDED, 0, X_FORWARDED.length())) {
                // with every other line of the name, none of which stands before this one
                trailers.remove(name);
            } else {
                line++;
            }
        }
    }
}
