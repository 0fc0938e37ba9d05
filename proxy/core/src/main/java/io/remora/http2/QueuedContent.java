package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2RemoteFlowController.FlowControlled;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * One buffer of content that waits for windows. Netty asks it to write as they allow.
 *
 * <p>Owner: one stream. Cost: small pieces that wait are copied together.
 */
final class QueuedContent implements FlowControlled, FrontendCodec.Queued {
    /** Size up to which a piece that waits is copied, rather than held by the read in which it came. */
    private static final int SMALL = 2 << 10;
    /** Size of the buffer in which small pieces are gathered. */
    private static final int GATHERED = 8 << 10;

    private final FrontendHandler handler;
    private final FrontendOutput output;
    private final Http2Stream stream;
    private ByteBuf content;
    private int left;
    /** True where the content is its own buffer, with later pieces in it. */
    private boolean gathers;

    private boolean ends;
    private @Nullable ChannelFuture written;

    QueuedContent(FrontendHandler handler, FrontendOutput output, Http2Stream stream, ByteBuf content) {
        this.handler = handler;
        this.output = output;
        this.stream = stream;
        this.content = content;
        this.left = content.readableBytes();
    }

    @Override
    public boolean isWaiting() {
        return left > 0;
    }

    @Override
    public void endStream() {
        ends = true;
    }

    @Override
    public int size() {
        return left;
    }

    @Override
    public void write(ChannelHandlerContext context, int allowedBytes) {
        int length = Math.min(left, allowedBytes);
        if (length == 0 && left > 0) {
            return;
        }
        left -= length;
        ByteBuf part = left == 0 ? content : content.readRetainedSlice(length);
        written = handler.encoder()
                .frameWriter()
                .writeData(context, stream.id(), part, 0, ends && left == 0, context.newPromise());
        output.left(length);
    }

    @Override
    public void writeComplete() {
        ChannelFuture future = written;
        if (ends && future != null) {
            handler.closeStreamLocal(stream, future);
        }
    }

    @Override
    public void error(@Nullable ChannelHandlerContext context, Throwable cause) {
        if (left > 0) {
            output.dropped(left);
            left = 0;
            content.release();
        }
    }

    @Override
    public boolean merge(ChannelHandlerContext context, FlowControlled next) {
        if (!(next instanceof QueuedContent behind) || left == 0 || behind.left > SMALL || !gathers && left > SMALL) {
            return false;
        }
        if (!gathers) {
            ByteBuf own = context.alloc().buffer(GATHERED, GATHERED).writeBytes(content);
            content.release();
            content = own;
            gathers = true;
        }
        if (content.writableBytes() < behind.left) {
            return false;
        }
        content.writeBytes(behind.content);
        left += behind.left;
        behind.content.release();
        behind.left = 0;
        return true;
    }
}
