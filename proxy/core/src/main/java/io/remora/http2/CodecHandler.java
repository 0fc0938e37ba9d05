package io.remora.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Settings;
import org.jspecify.annotations.Nullable;

/**
 * Netty's half of a connection, of either side, without its search for annotations: whatever Netty would look for them at is
 * declared here without any.
 *
 * <p>Cost: the first annotation that the JDK reads loads some seventy classes, and has a proxy's class generated for each kind
 * of annotation.
 */
abstract class CodecHandler extends Http2ConnectionHandler {
    /** Its place in the pipeline; null before. */
    @Nullable
    ChannelHandlerContext context;

    /** The last argument has a close be a close: what a GOAWAY is due for is ours to know. */
    CodecHandler(Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
        super(decoder, encoder, settings, true);
    }

    @Override
    public final void handlerAdded(ChannelHandlerContext added) throws Exception {
        context = added;
        super.handlerAdded(added);
    }

    @Override
    public final boolean isSharable() {
        return false;
    }

    @Override
    public final void channelRegistered(ChannelHandlerContext at) {
        at.fireChannelRegistered();
    }

    @Override
    public final void channelUnregistered(ChannelHandlerContext at) {
        at.fireChannelUnregistered();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) throws Exception {
        super.channelWritabilityChanged(at);
    }
}
