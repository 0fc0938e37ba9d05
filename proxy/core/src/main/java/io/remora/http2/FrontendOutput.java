package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2RemoteFlowController.FlowControlled;
import io.netty.handler.codec.http2.Http2Stream;
import io.remora.http.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The content of one response on its way to the client: what waits for the windows of the stream and of the connection.
 *
 * <p>Owner: one stream. Cost: small pieces that wait are copied. Bounds: whoever writes asks {@link #hasRoom} first, so that what waits is a mark and one read of the
 * backend. Spec: RFC 9113 section 5.2.
 */
final class FrontendOutput {
    /** A piece that waits, and is no larger, is copied rather than held by the read in which it came. */
    private static final int SMALL = 2 << 10;
    /** Of the buffer in which small pieces are gathered. */
    private static final int GATHERED = 8 << 10;

    private final FrontendHandler handler;
    private final FrontendStream owner;
    private final Http2Stream stream;
    private int pending;
    private int mark = Integer.MAX_VALUE;
    /** Bytes that have left for the channel. */
    private long moved;

    private @Nullable Piece last;

    FrontendOutput(FrontendHandler handler, FrontendStream owner, Http2Stream stream) {
        this.handler = handler;
        this.owner = owner;
        this.stream = stream;
    }

    /** No more than that is to wait. */
    void mark(int bytes) {
        mark = bytes;
    }

    boolean isWritable() {
        return pending < mark;
    }

    /** Whether enough has left since it was not writable. */
    boolean hasRoom() {
        return pending <= mark / 2;
    }

    int pending() {
        return pending;
    }

    long moved() {
        return moved;
    }

    /** Takes over {@code content}. */
    void add(ByteBuf content) {
        if (!content.isReadable()) {
            content.release();
            return;
        }
        write(new Piece(content));
    }

    /** Behind all that has been added. */
    void end(@Nullable Fields trailers) {
        Piece before = last;
        if (trailers != null && !trailers.isEmpty()) {
            handler.writeHeaders(stream.id(), FrontendHeaders.of(trailers), true);
        } else if (before != null && before.left > 0) {
            before.ends = true;
        } else {
            // RFC 9113 6.9.1: it needs no window, and behind a negative one Netty would keep it
            handler.endStream(stream);
        }
    }

    private void write(Piece piece) {
        pending += piece.left;
        handler.encoder().flowController().addFlowControlled(stream, piece);
        if (!piece.merged) {
            last = piece;
        }
    }

    private void left(int bytes) {
        pending -= bytes;
        moved += bytes;
        owner.outputMoved();
    }

    /** One buffer of content. Netty asks it to write as the windows allow. */
    private final class Piece implements FlowControlled {
        private ByteBuf content;
        private int left;
        /** Whether the content is its own, with others' behind it. */
        private boolean gathers;
        /** Whether it is part of the piece before it. */
        private boolean merged;

        private boolean ends;
        private @Nullable ChannelFuture written;

        Piece(ByteBuf content) {
            this.content = content;
            this.left = content.readableBytes();
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
            handler.dataSent();
            written = handler.encoder()
                    .frameWriter()
                    .writeData(context, stream.id(), part, 0, ends && left == 0, context.newPromise());
            left(length);
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
                pending -= left;
                left = 0;
                content.release();
            }
        }

        @Override
        public boolean merge(ChannelHandlerContext context, FlowControlled next) {
            if (!(next instanceof Piece behind) || left == 0 || behind.left > SMALL || !gathers && left > SMALL) {
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
            behind.merged = true;
            return true;
        }
    }
}
