package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;

/**
 * What a turn of work on a connection leaves to do when it is over, whatever has brought it about: streams to be settled, and
 * frames to be flushed.
 *
 * <p>Owner: one connection. Order: frames that are read, then a flush, then the streams, until nothing is left; the connection
 * hears of that last, as it ends or waits by what has become of them.
 */
final class FrontendTurn implements Runnable {
    /** Streams for which there is room from one turn to the next. */
    private static final int KEPT = 10;

    private final Http2FrontendConnection owner;
    private final Channel channel;
    private List<Http2FrontendStream> touched = new ArrayList<>();
    /** Takes the place of {@link #touched} while these are settled. */
    private List<Http2FrontendStream> spare = new ArrayList<>();
    /** Whether the turn that goes on settles what is touched when it ends. */
    private boolean inTurn;

    /** Whether a flush goes on, or one is to come that is for several streams; a turn ends behind it. */
    private boolean flushing;

    private boolean settling;
    private boolean scheduled;
    /** Whether a frame has been written that nobody has flushed. */
    private boolean written;

    FrontendTurn(Http2FrontendConnection owner, Channel channel) {
        this.owner = owner;
        this.channel = channel;
    }

    /** Reads on; the end of the read settles what that brings. */
    void read(FrontendGate gate, ByteBuf bytes) {
        inTurn = true;
        try {
            gate.read(bytes);
        } finally {
            inTurn = false;
        }
    }

    /** The end of this turn sees to {@code stream}. */
    void touch(Http2FrontendStream stream) {
        if (!stream.touched) {
            stream.touched = true;
            touched.add(stream);
        }
    }

    /** The same where there may be no turn that ends. */
    void touchLater(Http2FrontendStream stream) {
        touch(stream);
        settleLater();
    }

    void settleLater() {
        if (!inTurn && !settling && !flushing && !scheduled) {
            scheduled = true;
            channel.eventLoop().execute(this);
        }
    }

    @Override
    public void run() {
        scheduled = false;
        if (!owner.isClosing()) {
            flush();
        }
    }

    void written() {
        written = true;
    }

    /** From now on nothing is flushed; {@link #letGo} has to follow, with what this tells. */
    boolean hold() {
        boolean outer = flushing;
        flushing = true;
        return outer;
    }

    void letGo(boolean outer) {
        flushing = outer;
    }

    void flush() {
        if (flushing) {
            // whoever flushes is not done yet, but may be past the channel
            written = true;
            return;
        }
        flushing = true;
        written = false;
        try {
            owner.handler().flush();
        } finally {
            flushing = false;
        }
        settle();
    }

    /** Writes what the windows allow, unless that goes on already. */
    void push() {
        if (!flushing) {
            flushing = true;
            try {
                owner.handler().flush();
            } finally {
                flushing = false;
            }
        }
    }

    void settle() {
        if (settling || inTurn) {
            return;
        }
        settling = true;
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
                    owner.handler().flush();
                }
            }
        } finally {
            settling = false;
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
        } catch (RuntimeException e) {
            owner.broken(e);
        }
    }
}
