package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.ClientConnection;
import io.remora.exchange.ClientWait;
import io.remora.exchange.FrontendExchange;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.http.Rule;
import io.remora.memory.LoopBudget;
import io.remora.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a client's connection, taken from the input one after the other. An exchange begins when the one
 * before is over. The end of each turn of work decides on the next read and the next wait.
 *
 * <p>Owner: one connection. Bounds: {@link RequestInput} for pipelined and parsed octets, {@link ClientWait} for every
 * wait for the client.
 */
final class Http1FrontendRequests implements Link.Sender {
    /** The rest of a connection that is old enough: a client in regular use sends its next request sooner. */
    private static final long OLD_REST_NS = 1_000_000_000L;

    final ClientConnection connection;
    final Link link;
    final HeadWriter heads;
    final MessageWriter out;
    private final ListenerLoop listener;
    private final ClientWait wait;
    private final RequestInput input;
    private final RequestFeed feed;
    private @Nullable Http1FrontendStream stream;
    private boolean taking;
    /** True where the request in progress had come before the response to its predecessor was whole. */
    private boolean pipelined;
    /** True once the connection has been used for as long as it may: each further response is its last. */
    private boolean aged;

    Http1FrontendRequests(ClientConnection connection, HeadWriter heads, MessageWriter out) {
        this.connection = connection;
        this.link = connection.link();
        this.heads = heads;
        this.out = out;
        this.listener = connection.listener();
        this.wait = connection.clientWait();
        this.input = new RequestInput(listener);
        this.feed = new RequestFeed(connection, input);
    }

    /** Exchange in progress, null for none. */
    @Nullable
    FrontendExchange exchange() {
        return stream == null ? null : stream.exchange();
    }

    /** Returns whether nothing of a request has come and none is in progress. */
    boolean isIdle() {
        return stream == null && input.isEmpty() && !input.hasPartialHead();
    }

    /** Returns true where another request may follow. */
    boolean isKept() {
        return connection.isOpen() && !aged && listener.keepsConnections();
    }

    /** Bytes of the heap that are held apart from the exchange in progress. */
    int waitingBytes() {
        return input.waitingBytes();
    }

    /** Returns whether the client is to go on sending a body. */
    boolean isBodyAwaited() {
        return feed.isAwaited(exchange());
    }

    // ---- what has been read

    /** Takes over {@code bytes}, and of them what may be taken now. */
    void read(ByteBuf bytes) {
        input.add(bytes);
        take();
        if (!input.hasRoom()) {
            // now, for the loop may go on to read sixteen times before it says that a read is over
            feed.readAsWanted(mayBegin());
        }
    }

    /** Takes the octets that may be taken now. A nested call does nothing, as the outer one goes on. */
    private void take() {
        if (taking) {
            return;
        }
        taking = true;
        try {
            while (!connection.isOver() && takeOne()) {
                // the next piece
            }
        } finally {
            taking = false;
            input.discardTaken();
            input.giveBackTaken();
        }
    }

    private boolean takeOne() {
        return switch (input.state()) {
            case HEAD -> mayBegin() && takeHead();
            case BODY -> feed.takeContent(exchange());
            case TUNNEL -> feed.takeRaw(exchange());
        };
    }

    // a request waits for the exchange before it, and for a client that reads its responses
    private boolean mayBegin() {
        return stream == null && link.channel().isWritable();
    }

    private boolean takeHead() {
        return switch (input.parseHead()) {
            case MORE -> false;
            case DONE -> {
                begin(input.takeHead());
                yield true;
            }
            case REFUSED -> {
                refuse(input.failure());
                yield false;
            }
        };
    }

    private void begin(Http1Request head) {
        boolean keepAlive = head.isHttp11() && !head.asksToClose() && isKept();
        if (!keepAlive) {
            connection.keepNoLonger();
        }
        feed.begin();
        newExchange(head, keepAlive).start();
    }

    private FrontendExchange newExchange(Http1Request head, boolean keepAlive) {
        Http1FrontendStream next = new Http1FrontendStream(this, head, keepAlive);
        FrontendExchange begun =
                connection.newExchange(next, head, input.startedNs(), input.readyNs(), input.carriedNs());
        next.serve(begun);
        stream = next;
        return begun;
    }

    /** Answers a request whose head cannot be read, and ends the connection. */
    private void refuse(Failure failure) {
        connection.keepNoLonger();
        Http1Request unreadable = input.unreadable();
        Rule rule = input.rule();
        input.abandon();
        newExchange(unreadable, false).fail(failure, rule);
    }

    // ---- the end of a turn

    /** A read is over. */
    void readComplete() {
        Failure failure = input.readComplete();
        if (failure != null && !connection.isOver()) {
            notHeld(failure);
        }
        settle();
    }

    // a section is not whole, and there is no room for what has come of it, unless others have more than their share
    private void notHeld(Failure failure) {
        FrontendExchange current = exchange();
        Object client = current == null ? link.claimant() : current.claimant();
        LoopBudget budget = listener.loop().memory();
        boolean fits = input.hasPartialHead() ? budget.makeRoomForUnfinished(client) : budget.makeRoomForHeld(client);
        if (fits || connection.isOver()) {
            return;
        }
        if (current != null) {
            input.abandon();
            current.fail(failure);
        } else if (input.hasPartialHead()) {
            refuse(failure);
        } else {
            end(true);
        }
    }

    /** Does the remaining work at the end of a turn. */
    void settle() {
        FrontendExchange current = exchange();
        if (current != null) {
            current.flushRequest();
            current = exchange();
        }
        if (connection.isInputEnded() && (input.isEmpty() || waitsBeforeAPart(current))) {
            inputEnded(current);
        }
        feed.readAsWanted(mayBegin());
        waitAsDue();
    }

    // a line end behind a request (RFC 9112 2.2), or a part of a head that nothing follows, is no request that waits
    private boolean waitsBeforeAPart(@Nullable FrontendExchange current) {
        return current != null
                && current.isRequestEnded()
                && input.state() == RequestInput.State.HEAD
                && !input.mayHoldHead();
    }

    // all that the client sent has been taken
    private void inputEnded(@Nullable FrontendExchange current) {
        if (current == null) {
            if (!connection.isOver()) {
                // bytes that are left are a head that will never be whole
                end(false);
            }
        } else if (current.isTunnel()) {
            current.requestEnd(null);
        } else if (!current.isRequestEnded()) {
            // RFC 9112 8: a message cut short is incomplete
            current.fail(Failure.BAD_REQUEST, Rule.CUT_SHORT);
        } else if (!pipelined && current.head().upgrade() == null && current.isCancelledByHalfClose()) {
            current.fail(Failure.CLIENT_GONE);
        }
    }

    /** Waits for the client's next step, and releases the memory of its last response. */
    void waitAsDue() {
        connection.memory().giveBackSent();
        if (connection.isOver()) {
            return;
        }
        FrontendExchange current = exchange();
        if (current != null && current.isTunnel()) {
            if (wait.phase() != ClientWait.Phase.TUNNEL) {
                wait.forTunnel(current);
            }
        } else if (!link.channel().isWritable() || current == null && link.hasUnsent()) {
            wait.forReader();
            if (link.hasUnsent()) {
                link.whenSent(this);
            }
        } else if (current == null) {
            waitForRequest();
        } else if (feed.isAwaited(current)) {
            wait.forBody(current);
        } else if (connection.isInputEnded()) {
            wait.forAnswer(current);
        } else {
            wait.forNothing();
        }
    }

    private void waitForRequest() {
        if (input.hasPartialHead()) {
            wait.forHead(1);
        } else {
            wait.forRequest();
        }
    }

    /** The client has taken all that was written: the next wait is for something else. */
    @Override
    public void sent() {
        if (wait.phase() == ClientWait.Phase.READER && !connection.isOver()) {
            settle();
        }
    }

    /** The client takes what is written again, or has fallen behind. */
    void writabilityChanged() {
        FrontendExchange current = exchange();
        if (current != null) {
            current.frontendWritable(link.channel().isWritable());
            waitAsDue();
        } else if (link.channel().isWritable()) {
            goOn();
        }
    }

    // takes what is pipelined; where bytes are being taken already, that goes on by itself
    private void goOn() {
        if (!taking) {
            take();
            settle();
        }
    }

    // ---- what the stream wants

    void readBody(boolean wanted) {
        if (feed.want(wanted)) {
            feed.readAsWanted(mayBegin());
            waitAsDue();
        }
    }

    /** Passes what is read on to the exchange as it comes, from now on. */
    void openTunnel() {
        connection.keepNoLonger();
        input.openTunnel();
        wait.forTunnel(exchange());
    }

    /** Passes on the tunnel's first octets, which were read after the request that switched. */
    void tunnelOpened() {
        take();
        settle();
    }

    void tunnelMoved() {
        wait.forTunnel(exchange());
    }

    void exchangeDone(Http1FrontendStream done, boolean requestEnded) {
        if (stream == done) {
            stream = null;
        }
        if (connection.isOver()) {
            return;
        }
        wait.forNothing();
        if (connection.isOpen()) {
            pipelined = input.hasUnread();
            input.turn();
            goOn();
        } else {
            end(!requestEnded);
        }
    }

    // ---- the end

    /** The connection has been used for as long as it may: a response that is under way has promised the client another. */
    void age() {
        aged = true;
        if (!wait.hasRested(OLD_REST_NS, listener.loop().nowNs())) {
            wait.hurry(OLD_REST_NS);
        } else if (isIdle() && !connection.isOver()) {
            end(false);
        }
    }

    /**
     * Closes behind all that is written.
     *
     * @param sending whether the client has not sent all of the request
     */
    void end(boolean sending) {
        boolean unread = sending || input.isAbandoned() || !input.isEmpty();
        input.close();
        wait.forReader();
        connection.closeBehindWrites(unread);
        if (connection.isEnding() && !link.hasUnsent()) {
            wait.forEnd();
        }
        link.read(true);
    }

    /** Refuses the request whose head is not whole, and will not be waited for any longer. */
    void refuseHead(Failure failure) {
        input.giveUpHead();
        refuse(failure);
    }

    /** Fails the exchange in progress, if there is one. */
    void fail(Failure failure) {
        FrontendExchange current = exchange();
        if (current != null) {
            current.fail(failure);
        }
    }

    /** The channel is closed. */
    void close() {
        input.close();
        fail(Failure.CLIENT_GONE);
    }
}
