package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.remora.http.Fields;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages to one connection, from the place of its handler in the pipeline. The writer does not flush, and its
 * output belongs to the channel.
 *
 * <p>Owner: one connection, whose handler attaches it when it is added.
 */
final class MessageWriter {
    private final Channel channel;
    private @Nullable ChannelHandlerContext context;

    MessageWriter(Channel channel) {
        this.channel = channel;
    }

    void attach(ChannelHandlerContext added) {
        context = added;
    }

    ByteBufAllocator allocator() {
        return channel.alloc();
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    void write(ByteBuf bytes) {
        ChannelHandlerContext at = context;
        if (at == null) {
            bytes.release();
        } else {
            at.write(bytes, channel.voidPromise());
        }
    }

    /** Writes content as a chunk; nothing where there is none, for an empty chunk would be the last. */
    void writeChunk(ByteBuf content) {
        if (!content.isReadable()) {
            content.release();
        } else if (ChunkWriter.isSmall(content)) {
            write(ChunkWriter.whole(allocator(), content));
        } else {
            write(ChunkWriter.start(allocator(), content.readableBytes()));
            write(content);
            write(ChunkWriter.end());
        }
    }

    void writeLastChunk(@Nullable Fields trailers) {
        write(trailers == null ? ChunkWriter.last() : ChunkWriter.last(allocator(), trailers));
    }

    void flush() {
        if (context != null) {
            context.flush();
        }
    }
}
