package io.remora.http2;

import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameWriter;
import io.netty.handler.codec.http2.Http2Settings;

/**
 * Goes by what a client wants as far as that costs no more than it should: its table for compression may be smaller than
 * the usual one but not larger, and a response that is larger than it likes is its own to refuse.
 *
 * <p>Owner: one connection. Spec: RFC 9113 section 6.5.2, where the size of a header list is an advice.
 */
final class FrontendEncoder extends DefaultHttp2ConnectionEncoder {
    FrontendEncoder(Http2Connection connection, Http2FrameWriter frameWriter) {
        super(connection, frameWriter);
    }

    @Override
    public void remoteSettings(Http2Settings settings) throws Http2Exception {
        Long table = settings.headerTableSize();
        if (table != null && table > Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE) {
            settings.headerTableSize(Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE);
        }
        settings.remove(Http2CodecUtil.SETTINGS_MAX_HEADER_LIST_SIZE);
        super.remoteSettings(settings);
    }
}
