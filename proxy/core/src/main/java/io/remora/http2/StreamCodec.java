package io.remora.http2;

import io.netty.channel.ChannelFuture;
import org.jspecify.annotations.Nullable;

/**
 * The codec of one connection, with the commands of both sides: it has the frames, field compression, windows and the
 * states of streams. A stream is its number here; a command for one that is closed does nothing.
 *
 * <p>Owner: the connection's event loop. Order: the codec reports what has come to the connection, its streams and
 * their faults.
 */
interface StreamCodec {
    /**
     * Writes a header section: a head, or trailers.
     *
     * @return what is done once the section has left for the kernel; null where nobody has to wait for that, as the
     *     peer takes what is written, or is gone
     */
    @Nullable
    ChannelFuture writeSection(int stream, SentSection section, boolean ends);

    /** Asks the peer for an answer that carries {@code data}. */
    void ping(long data);

    /** Returns whether a GOAWAY has been written. */
    boolean hasGoneAway();
}
