package io.remora.http1;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/** Whether the peer of a channel takes what is written to it. Owner: the channel's event loop. */
final class WriteProgress {
    private final Channel channel;
    private long mark;

    WriteProgress(Channel channel) {
        this.channel = channel;
    }

    boolean isPending() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer != null && buffer.totalPendingWriteBytes() > 0;
    }

    void mark() {
        mark = position();
    }

    /** Whether a byte has gone since the mark; what was added meanwhile does not hide it for long, as writing rests. */
    boolean hasMoved() {
        return position() != mark;
    }

    private long position() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
    }
}
