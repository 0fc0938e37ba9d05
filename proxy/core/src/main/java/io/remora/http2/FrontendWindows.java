package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * The windows of a client's content. A stream that goes beyond its own is closed here: Netty's decoder would otherwise
 * return its content to the connection twice, and end that with an error of ours.
 *
 * <p>Owner: one connection. Spec: RFC 9113 section 6.9.1.
 */
final class FrontendWindows extends DefaultHttp2LocalFlowController {
    private final Http2FrontendConnection owner;

    FrontendWindows(Http2FrontendConnection owner, Http2Connection connection) {
        super(connection);
        this.owner = owner;
    }

    @Override
    public void receiveFlowControlledFrame(@Nullable Http2Stream stream, ByteBuf data, int padding, boolean endOfStream)
            throws Http2Exception {
        try {
            super.receiveFlowControlledFrame(stream, data, padding, endOfStream);
        } catch (Http2Exception.StreamException e) {
            owner.faults.streamError(e.streamId(), CodecHandler.code(e), false);
            throw e;
        }
    }
}
