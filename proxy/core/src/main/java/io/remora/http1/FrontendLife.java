package io.remora.http1;

import io.remora.exchange.ListenerLoop;
import io.remora.transport.Link;

/**
 * How far the life of a client's connection has gone, and how it ends: behind all that is written, or at once.
 *
 * <p>Owner: one connection. Spec: RFC 9112 section 9.6.
 */
final class FrontendLife {
    /** It only ever moves on. */
    private enum State {
        /** Takes one request after the other. */
        OPEN,
        /** The exchange in progress is the last. */
        LAST,
        /** No request will be answered any more: what is written goes out, what is read is dropped. */
        ENDING,
        CLOSED
    }

    private final ListenerLoop listener;
    private final Link link;
    private final ClientWait wait;
    private State state = State.OPEN;
    /** Whether it has been used for as long as it may: each further response is its last. */
    private boolean aged;
    /** Whether the client has ended its side; what it sent before may still wait. */
    private boolean inputEnded;
    /** What the client still sends would reset the connection under the last response, if it were closed on it. */
    private boolean lingers;

    FrontendLife(ListenerLoop listener, Link link, ClientWait wait) {
        this.listener = listener;
        this.link = link;
        this.wait = wait;
    }

    /** Whether another request may follow the one in progress, as far as the connection knows. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Whether another request may follow. */
    boolean isKept() {
        return state == State.OPEN && !aged && !listener.isDraining();
    }

    /** Whether no request will be answered any more. */
    boolean isOver() {
        return state.compareTo(State.ENDING) >= 0;
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    boolean isInputEnded() {
        return inputEnded;
    }

    /** The exchange in progress, or the one before, is the last. */
    void keepNoLonger() {
        if (state == State.OPEN) {
            state = State.LAST;
        }
    }

    /** From now on a response that begins is the last; one that is under way has promised the client another. */
    void age() {
        aged = true;
    }

    /** The client may go on sending what nobody will read. */
    void linger() {
        lingers = true;
    }

    /** The client has ended its side. */
    void endInput() {
        inputEnded = true;
        if (isOver() && link.isOutputShutdown()) {
            // the last response is with the client, which has ended its side too
            link.channel().close();
        }
    }

    /**
     * Closes behind all that is written. Where the client may still be sending, its end is waited for first: a close
     * with unread input resets the connection, and the reset can overtake the response.
     *
     * @param unread whether some of what it has sent already is not going to be taken
     */
    void end(boolean unread) {
        state = State.ENDING;
        wait.forReader();
        if ((lingers || unread) && !inputEnded) {
            link.shutdownOutputBehindWrites(true);
        } else {
            link.closeBehindWrites();
        }
        if (state == State.ENDING && !wait.isReaderBehind()) {
            wait.forEnd();
        }
        link.channel().config().setAutoRead(true);
    }

    /** No request will be answered any more, whatever becomes of what is written. */
    void giveUp() {
        if (state != State.CLOSED) {
            state = State.ENDING;
        }
    }

    /** The channel is closed. */
    void closed() {
        state = State.CLOSED;
    }
}
