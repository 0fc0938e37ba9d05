package io.remora.http2;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.remora.metrics.BackendHttp2Stats;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * The end of a connection to an endpoint: the GOAWAYs of both sides, and faults of the endpoint or of writing to it. Each
 * fault costs a stream, or the connection, which ends by a GOAWAY where it can.
 *
 * <p>Owner: one connection. Spec: RFC 9113 sections 5.4 and 6.8.
 */
final class BackendFaults {
    /** State of the connection; it only ever moves on. */
    private enum Life {
        RUNS,
        /** A write has failed: all that follow do. */
        OUTPUT_BROKEN,
        /** Nothing is read any more. */
        OVER
    }

    private final Channel channel;
    private final WireStreams streams;
    private final FrameWriter writer;
    private final BackendHttp2Stats stats;
    private final BackendSettings handshake;
    private @Nullable Http2BackendConnection owner;
    private Life life = Life.RUNS;
    /** The last stream that the endpoint answers, as its last GOAWAY says. */
    private int lastAnswered = Integer.MAX_VALUE;

    BackendFaults(
            Channel channel,
            WireStreams streams,
            FrameWriter writer,
            BackendHttp2Stats stats,
            BackendSettings handshake) {
        this.channel = channel;
        this.streams = streams;
        this.writer = writer;
        this.stats = stats;
        this.handshake = handshake;
    }

    /** Reports all faults to {@code connection} from now on. */
    void attach(Http2BackendConnection connection) {
        owner = connection;
    }

    /** Returns whether nothing is read any more. */
    boolean isOver() {
        return life == Life.OVER;
    }

    /** The channel is closed. */
    void closed() {
        life = Life.OVER;
        handshake.fail(new IOException("closed"));
    }

    // ---- GOAWAY

    /** Returns whether neither side has ended the opening of streams. */
    boolean mayOpen() {
        return lastAnswered == Integer.MAX_VALUE && !streams.refusesSome();
    }

    /** The endpoint answers no stream above that number; false where it has promised less before (RFC 9113 6.8). */
    boolean goAwayRead(int last) {
        if (last > lastAnswered) {
            return false;
        }
        lastAnswered = last;
        stats.goneAway(true);
        Http2BackendConnection told = owner;
        if (told != null) {
            told.goneAway(last);
        }
        return true;
    }

    /** Writes the last GOAWAY, where none has been written and one can be. */
    void goAway(ErrorCode error) {
        if (!streams.refusesSome() && life != Life.OUTPUT_BROKEN) {
            say(error);
            writer.flush();
        }
    }

    private void say(ErrorCode error) {
        stats.goneAway(false);
        // it opens no streams
        streams.refuseAbove(0);
        writer.goAway(0, error.code());
    }

    // ---- faults of the endpoint's

    /** The endpoint has broken a rule of a stream; what was on its way when its stream ended is no fault. */
    void ofStream(int id, ErrorCode error) {
        Http2BackendConnection told = owner;
        boolean isUnderWay = told != null && told.streamError(id, error);
        if (!isUnderWay && !streams.mayHaveBeen(id)) {
            // RFC 9113 6.4: a stream that nobody has begun takes no reset
            ofConnection(error);
        }
    }

    /** The endpoint has broken a rule of the connection. */
    void ofConnection(ErrorCode error) {
        if (life == Life.OVER) {
            return;
        }
        boolean writes = life == Life.RUNS;
        life = Life.OVER;
        handshake.fail(new IOException("HTTP/2 error " + error));
        Http2BackendConnection told = owner;
        if (told != null) {
            told.broken(error);
        }
        if (told != null && writes) {
            endWith(error);
        } else {
            channel.close();
        }
    }

    private void endWith(ErrorCode error) {
        if (!streams.refusesSome()) {
            say(error);
        }
        ChannelPromise left = channel.newPromise();
        left.addListener(ChannelFutureListener.CLOSE);
        writer.handOver(left);
        writer.flush();
    }

    // ---- of writing

    /** The kernel takes no more. */
    void outputShutDown() {
        Http2BackendConnection told = owner;
        if (told != null) {
            breakOutput(told);
        }
    }

    // a response or a GOAWAY may be there to be read, which says more
    private void breakOutput(Http2BackendConnection told) {
        if (life == Life.RUNS) {
            life = Life.OUTPUT_BROKEN;
        }
        told.outputBroken();
    }

    /** Something has failed: a write, a read, or something of ours. */
    void caught(Throwable cause) {
        handshake.fail(cause);
        Http2BackendConnection told = owner;
        if (told != null && isOutputBroken(cause)) {
            breakOutput(told);
            return;
        }
        if (told != null) {
            told.lost(cause);
        }
        channel.close();
    }

    private boolean isOutputBroken(Throwable cause) {
        return cause instanceof ChannelOutputShutdownException
                || life == Life.OUTPUT_BROKEN && cause instanceof ClosedChannelException && channel.isActive();
    }
}
