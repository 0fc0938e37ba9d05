package io.remora.http2;

import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Settings;

/**
 * Follows a client's settings as far as their cost is bounded. The client's table for compression may be smaller than
 * the usual one but not larger. A response that is larger than the client likes is its own to refuse.
 *
 * <p>Owner: one connection. Spec: RFC 9113 section 6.5.2, where the size of a header list is an advice.
 */
final class FrontendEncoder extends DefaultHttp2ConnectionEncoder {
    /**
     * Octets of the table by which responses are compressed, as RFC 7541 4.1 counts them. The fields that an API
     * repeats fit.
     */
    private static final int TABLE_OCTETS = 1_024;

    private final CreditingWriter frames;

    FrontendEncoder(Http2Connection connection, CreditingWriter frames) {
        super(connection, frames);
        this.frames = frames;
    }

    /** The compressor of a connection's sections; the first section tells the client of the table's size (RFC 7541 4.2). */
    static Http2HeadersEncoder headers() {
        return new SectionEncoder(TABLE_OCTETS);
    }

    @Override
    public void remoteSettings(Http2Settings settings) throws Http2Exception {
        Long table = settings.headerTableSize();
        if (table != null && table > TABLE_OCTETS) {
            settings.headerTableSize(TABLE_OCTETS);
        }
        if (table != null) {
            frames.tableChanges();
        }
        settings.remove(Http2CodecUtil.SETTINGS_MAX_HEADER_LIST_SIZE);
        super.remoteSettings(settings);
    }
}
