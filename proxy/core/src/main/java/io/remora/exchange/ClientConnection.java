package io.remora.exchange;

import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.memory.Claim;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection of any protocol. It has its place among its listener's connections, its wait, its state and its
 * end. It also has the exchange's weight when memory is short. A subclass has the protocol, and the events of the
 * channel, which HTTP/2 receives from its codec.
 *
 * <p>Owner: its channel's event loop. Bounds: {@link ClientWait} for every wait for the client. Spec: RFC 9112 section
 * 9.6.
 */
public abstract class ClientConnection extends InboundHandler implements Drainable, Claim.Holder, Deadline.Expirable {
    /** Life of a connection; it only ever moves on. */
    private enum Life {
        /** Takes requests. */
        OPEN,
        /** The exchange in progress is the last. */
        LAST,
        /** No request will be answered any more: what is written goes out, what is read is dropped. */
        ENDING,
        /** The connection no longer counts as open, and the channel's close is reported in a later turn. */
        LEFT,
        CLOSED
    }

    private final ListenerLoop listener;
    private final Link link;
    private final ClientWait wait;
    /** Created once an exchange has been granted memory that is the connection's own. */
    private @Nullable FrontendMemory memory;

    private Life life = Life.OPEN;
    private boolean inputEnded;
    private boolean draining;
    /** Set once a request has come since {@link #readBeforeEnd} began. */
    private boolean asked;

    protected ClientConnection(ListenerLoop listener, Link link) {
        this.listener = listener;
        this.link = link;
        this.wait = new ClientWait(
                listener.snapshot().config().timeouts(), listener.loop().deadlines(), this, link);
    }

    public final ListenerLoop listener() {
        return listener;
    }

    public final Link link() {
        return link;
    }

    public final ClientWait clientWait() {
        return wait;
    }

    public final FrontendMemory memory() {
        FrontendMemory known = memory;
        if (known == null) {
            known = new FrontendMemory(listener.loop().memory(), link);
            memory = known;
        }
        return known;
    }

    // ---- what it carries

    /** The exchange in progress, null for none, or where there may be several. */
    protected @Nullable FrontendExchange exchange() {
        return null;
    }

    /** Returns whether an exchange is in progress. */
    protected boolean isBusy() {
        return exchange() != null;
    }

    /** Returns whether the client is to go on sending the request of {@link #exchange}. */
    protected boolean isBodyAwaited() {
        return false;
    }

    /** Returns since when it has waited for a request; {@link Long#MAX_VALUE} where it does not. */
    protected abstract long restsSinceNs();

    /** A drain has begun; called once. */
    protected abstract void beginDrain();

    /**
     * Makes the exchange of a request, which {@link FrontendExchange#start} begins.
     *
     * @param startedNs when the request's first bytes were readable
     * @param readyNs when the bytes that completed its head were readable
     * @param carriedNs spent in the proxy on reads before that one
     */
    public final FrontendExchange newExchange(
            Frontend frontend, RequestHead head, long startedNs, long readyNs, long carriedNs) {
        asked = true;
        return new Exchange(listener, frontend, head, startedNs, readyNs, carriedNs);
    }

    /** Fails the exchange in progress, if there is one. */
    protected final void failExchange(Failure failure) {
        FrontendExchange current = exchange();
        if (current != null) {
            current.fail(failure);
        }
    }

    // ---- its life

    /** Takes its place among its listener's connections. */
    protected final void enter() {
        listener.opened(link, this);
    }

    /** Its handshake may have outlasted the beginning of a drain, or its end. */
    protected final void catchUpWithDrain() {
        if (listener.endsIdle()) {
            closeNow();
        } else if (listener.isDraining()) {
            drain();
        }
    }

    /** Returns whether another request may follow the one in progress, as far as the connection knows. */
    public final boolean isOpen() {
        return life == Life.OPEN;
    }

    /** Returns whether no request will be answered any more. */
    public final boolean isOver() {
        return life.compareTo(Life.ENDING) >= 0;
    }

    /** Returns whether it closes behind what is written. */
    public final boolean isEnding() {
        return life == Life.ENDING;
    }

    /** Returns whether it has given up its place among the open ones, or is closed. */
    protected final boolean hasLeft() {
        return life.compareTo(Life.LEFT) >= 0;
    }

    public final boolean isClosed() {
        return life == Life.CLOSED;
    }

    /** Returns whether the client has ended its side; what it sent before may still wait. */
    public final boolean isInputEnded() {
        return inputEnded;
    }

    private void moveOn(Life next) {
        if (life.compareTo(next) < 0) {
            life = next;
        }
    }

    /** The exchange in progress, or the one before, is the last. */
    public final void keepNoLonger() {
        moveOn(Life.LAST);
    }

    /** Answers no more requests; octets that are written already may still reach the client. */
    public final void giveUp() {
        moveOn(Life.ENDING);
    }

    /**
     * Stops counting the connection as open, once, when its end is decided. The channel's close is reported in a later
     * turn, and other connections are accepted before.
     */
    protected final void leave() {
        if (!hasLeft()) {
            life = Life.LEFT;
            listener.loop().memory().closed();
        }
    }

    // ---- how it ends

    /** Closes at once, and makes room for another one. */
    protected final void closeNow() {
        leave();
        link.close();
    }

    /** Leaves its channel and its place to another one. */
    protected final void handOver() {
        life = Life.CLOSED;
        listener.connections().remove(this);
        wait.cancel();
    }

    /**
     * Closes after all output. Where the client may still be sending, its end is waited for first: a close with unread
     * input resets the connection, and the reset can overtake the response.
     *
     * @param sending whether the client may still be sending, or has sent what is not going to be taken
     */
    public final void closeBehindWrites(boolean sending) {
        moveOn(Life.ENDING);
        if (sending && !inputEnded) {
            link.shutdownOutputBehindWrites(true);
        } else {
            link.closeBehindWrites();
        }
    }

    /** The client has ended its side, perhaps with the last response in its hands. */
    protected final void endInput() {
        inputEnded = true;
        if (isOver() && link.isOutputShutdown()) {
            link.close();
        }
    }

    /** The channel is closed: it leaves its listener, if it has not yet, and waits for nothing. */
    protected final void closed() {
        leave();
        life = Life.CLOSED;
        listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
        listener.connections().remove(this);
        wait.cancel();
    }

    /** Logs a fault, unless it was the wire's; returns whether it did. */
    protected final boolean report(Throwable cause) {
        boolean ours = !(cause instanceof IOException);
        if (ours) {
            listener.loop().report("frontend connection ended by ", cause);
        }
        return ours;
    }

    // ---- a drain

    protected final boolean isDraining() {
        return draining;
    }

    @Override
    public final void drain() {
        if (!draining) {
            draining = true;
            beginDrain();
        }
    }

    @Override
    public void cut() {
        if (!isBusy() && link.hasUnsent()) {
            // finished, but for what the client has not taken
            listener.cutUnread();
        }
        failExchange(Failure.CUT);
        link.close();
    }

    // ---- a shortage of memory

    @Override
    public final Object client() {
        return link.claimant();
    }

    @Override
    public final long idleSinceNs() {
        if (isBusy() || hasLeft()) {
            return Long.MAX_VALUE;
        }
        if (isOver()) {
            return link.hasUnsent() || !link.isOpen() ? Long.MAX_VALUE : LINGERS;
        }
        return isOpen() ? restsSinceNs() : Long.MAX_VALUE;
    }

    /** Reads a request that may have come in this very turn of the loop, or with the connection itself. */
    @Override
    public final AfterRead readBeforeEnd() {
        boolean lingered = isOver();
        asked = false;
        if (link.isReading()) {
            link.readNow();
        }
        if (isBusy()) {
            return AfterRead.ANSWERS;
        }
        if (!link.isOpen()) {
            // others are accepted before the channel reports it
            leave();
            return AfterRead.ENDS;
        }
        return asked || isOver() && !lingered ? AfterRead.ANSWERS : AfterRead.RESTS;
    }

    @Override
    public void shrink(boolean greedy) {
        FrontendExchange current = exchange();
        if (current != null) {
            current.grant().shrink(greedy);
        }
    }

    @Override
    public void grow() {
        FrontendExchange current = exchange();
        if (current != null) {
            current.grant().grow();
        }
    }

    @Override
    public long evictionScore(long nowNs) {
        return memory == null ? 0 : memory.evictionScore(exchange(), isBodyAwaited(), nowNs);
    }

    @Override
    public long reclaimableBytes() {
        return memory == null ? 0 : memory.reclaimableBytes(exchange());
    }
}
