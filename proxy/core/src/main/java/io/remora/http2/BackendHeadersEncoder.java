package io.remora.http2;

import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.AsciiString;

/**
 * HPACK without a dynamic table, no matter how large a table the endpoint allows.
 *
 * <p>Owner: one connection. Cost: nothing is kept of a request. A table would keep the octets of whole heads for each
 * connection, as many as the endpoint likes. It would save some on a wire that mostly does not leave the host or its
 * network. Octets of one client's request that are never kept cannot be guessed at through another's (RFC 7541 section
 * 7.1).
 */
final class BackendHeadersEncoder extends DefaultHttp2HeadersEncoder {
    /** Other clients' requests are on the same connection, so that no length is to tell of a secret (RFC 7541 7.1). */
    static final SensitivityDetector SECRETS = new SensitivityDetector() {
        @Override
        public boolean isSensitive(CharSequence name, CharSequence value) {
            return switch (name.length()) {
                case 6 -> AsciiString.contentEquals(name, COOKIE);
                case 13 -> AsciiString.contentEquals(name, AUTHORIZATION);
                case 19 -> AsciiString.contentEquals(name, PROXY_AUTHORIZATION);
                default -> false;
            };
        }
    };

    private static final AsciiString COOKIE = AsciiString.of("cookie");
    private static final AsciiString AUTHORIZATION = AsciiString.of("authorization");
    private static final AsciiString PROXY_AUTHORIZATION = AsciiString.of("proxy-authorization");
    /** Buckets of the unused table, the fewest that there can be. */
    private static final int BUCKETS = 2;

    BackendHeadersEncoder() {
        super(SECRETS, false, BUCKETS);
        try {
            // of which the first field section tells the endpoint (RFC 7541 4.2)
            super.maxHeaderTableSize(0);
        } catch (Http2Exception e) {
            throw new IllegalStateException("no size is smaller", e);
        }
    }

    /** Ignores the size that the endpoint allows. */
    @Override
    public void maxHeaderTableSize(long max) {}
}
