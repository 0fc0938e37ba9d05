package io.remora.http2;

import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;

/**
 * HPACK without a dynamic table, whatever size the endpoint offers one.
 *
 * <p>Owner: one connection. Cost: nothing is kept of a request. A table would keep the octets of whole heads for each connection, as
 * many as the endpoint likes, in order to save some on a wire that mostly does not leave the host or its network; and what is never
 * kept of one client's request cannot be guessed at through another's (RFC 7541 section 7.1).
 */
final class BackendHeadersEncoder extends DefaultHttp2HeadersEncoder {
    /** Of the buckets of a table, the fewest that there can be. */
    private static final int BUCKETS = 2;

    BackendHeadersEncoder() {
        super(BackendFields.SECRETS, false, BUCKETS);
        try {
            // of which the first field section tells the endpoint (RFC 7541 4.2)
            super.maxHeaderTableSize(0);
        } catch (Http2Exception e) {
            throw new IllegalStateException("no size is smaller", e);
        }
    }

    /** What the endpoint allows is not asked for. */
    @Override
    public void maxHeaderTableSize(long max) {}
}
