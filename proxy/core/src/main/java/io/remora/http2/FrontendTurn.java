package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;

/**
 * The work that a turn on a connection leaves for its end: streams to be settled, and frames to be flushed.
 *
 * <p>Owner: one connection. Order: frames that are read, then a flush, then the streams, until nothing is left. The
 * connection comes last, as it ends or waits by the state of its streams.
 */
final class FrontendTurn implements Runnable {
    /** Streams for which there is room from one turn to the next. */
    private static final int KEPT = 10;

    /** The work that goes on, innermost first: a flush goes on within a read, or within the settling of a stream. */
    enum Turn {
        IDLE,
        /** A read goes on, whose end settles every stream that is touched. */
        READING,
        /** A flush goes on, or one is to come that is for several streams; the turn ends behind it. */
        FLUSHING,
        SETTLING
    }

    private final Http2FrontendConnection owner;
    private final Channel channel;
    private List<Http2FrontendStream> touched = new ArrayList<>();
    /** Replaces {@link #touched} while the streams of that are settled. */
    private List<Http2FrontendStream> spare = new ArrayList<>();

    private Turn turn = Turn.IDLE;
    /** Set while a turn of its own is to come. */
    private boolean scheduled;
    /** Set while a frame has been written that nobody has flushed. */
    private boolean written;

    FrontendTurn(Http2FrontendConnection owner, Channel channel) {
        this.owner = owner;
        this.channel = channel;
    }

    /** Reads on; the end of the read settles what that brings. */
    void read(FrontendGate gate, ByteBuf bytes) {
        turn = Turn.READING;
        try {
            gate.read(bytes);
        } finally {
            turn = Turn.IDLE;
        }
    }

    /** Has the end of this turn settle {@code stream}. */
    void touch(Http2FrontendStream stream) {
        if (!stream.touched) {
            stream.touched = true;
            touched.add(stream);
        }
    }

    /** Does the same as {@link #touch}, where there may be no turn that ends. */
    void touchLater(Http2FrontendStream stream) {
        touch(stream);
        settleLater();
    }

    void settleLater() {
        if (turn == Turn.IDLE && !scheduled) {
            scheduled = true;
            channel.eventLoop().execute(this);
        }
    }

    @Override
    public void run() {
        scheduled = false;
        if (!owner.isClosed()) {
            flush();
        }
    }

    void written() {
        written = true;
    }

    /** Holds flushes back from now on; {@link #letGo} has to follow, with the result of this call. */
    Turn hold() {
        Turn outer = turn;
        turn = Turn.FLUSHING;
        return outer;
    }

    void letGo(Turn outer) {
        turn = outer;
    }

    void flush() {
        if (turn == Turn.FLUSHING) {
            // that flush is not done yet, but may be past the channel
            written = true;
            return;
        }
        written = false;
        flushNow();
        settle();
    }

    /** Writes what the windows allow, unless that goes on already. */
    void push() {
        if (turn != Turn.FLUSHING) {
            flushNow();
        }
    }

    private void flushNow() {
        Turn outer = hold();
        try {
            owner.codec().flush();
        } finally {
            letGo(outer);
        }
    }

    void settle() {
        if (turn != Turn.IDLE) {
            return;
        }
        turn = Turn.SETTLING;
        try {
            while (!touched.isEmpty() || written) {
                List<Http2FrontendStream> now = touched;
                touched = spare;
                for (int i = 0; i < now.size(); i++) {
                    settle(now.get(i));
                }
                spare = emptied(now);
                if (written) {
                    written = false;
                    owner.codec().flush();
                }
            }
        } finally {
            turn = Turn.IDLE;
        }
        owner.settled();
    }

    // an array for more is not kept
    private static List<Http2FrontendStream> emptied(List<Http2FrontendStream> list) {
        if (list.size() > KEPT) {
            return new ArrayList<>();
        }
        list.clear();
        return list;
    }

    // the others of this turn have no other one that would see to them
    private void settle(Http2FrontendStream stream) {
        try {
            stream.settle();
        } catch (RuntimeException | Error e) {
            owner.broken(e);
        }
    }
}
