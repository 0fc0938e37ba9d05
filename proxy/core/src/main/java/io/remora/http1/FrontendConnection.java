package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.Exchange;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.http1.ClientWait.Phase;
import io.remora.memory.LoopBudget;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/1 connection: lets one exchange begin after the other, and decides when it reads, for what it waits,
 * and when it ends.
 *
 * <p>Owner: its channel's event loop. Bounds: {@link RequestInput} for what is pipelined and parsed, the channel's water marks for what is written, {@link ClientWait} for every wait for the client.
 */
final class FrontendConnection extends InboundHandler implements Drainable, Deadline.Expirable, Link.Sender {
    /** How far the connection's life has gone; it only ever moves on. */
    private enum Life {
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
    private final Channel channel;
    private final HeadWriter heads;
    private final MessageWriter out;
    private final RequestInput input;
    private final ClientWait wait;
    private @Nullable String client;
    private @Nullable FrontendStream stream;
    private Life life = Life.OPEN;
    /** Whether the client has ended its side; what it sent before may still wait. */
    private boolean inputClosed;

    private boolean bodyWanted = true;
    private boolean taking;
    /** Whether it counts among the open connections no more. */
    private boolean left;
    /** Of a finished exchange whose response has not left, 0 for none. */
    private int kept;
    /** How the exchange in progress moves, once somebody has asked. */
    private @Nullable Pace pace;
    /** What the client still sends would reset the connection under the last response, if it were closed on it. */
    private boolean lingers;

    private FrontendConnection(ListenerLoop listener, Link link, HeadWriter heads) {
        this.heads = heads;
        this.listener = listener;
        this.link = link;
        this.channel = link.channel();
        this.out = new MessageWriter(channel);
        this.input = new RequestInput(listener);
        this.wait = new ClientWait(
                listener.snapshot().config().timeouts(), listener.loop().deadlines(), this, link);
    }

    static void install(ListenerLoop listener, Link link, HeadWriter heads) {
        FrontendConnection connection = new FrontendConnection(listener, link, heads);
        link.channel().pipeline().addLast(connection);
        if (!listener.loop().memory().open()) {
            listener.shed();
        }
        listener.connections().add(connection);
        connection.wait.forRequest();
        listener.stats().increment(ListenerMetric.FRONTEND_ACCEPTED);
        if (listener.isDraining()) {
            // its handshake has outlasted the beginning of the drain
            connection.drain();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        out.attach(added);
    }

    HeadWriter heads() {
        return heads;
    }

    Link link() {
        return link;
    }

    String client() {
        if (client == null) {
            client = link.peerAddress();
        }
        return client;
    }

    private @Nullable Exchange exchange() {
        return stream == null ? null : stream.exchange();
    }

    // ---- what the client sends

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
        } else if (life.compareTo(Life.ENDING) >= 0) {
            bytes.release();
        } else {
            input.add(bytes);
            take();
            if (!input.hasRoom()) {
                // now, for the loop may go on to read sixteen times before it says that a read is over
                readAsWanted();
            }
        }
    }

    /** Takes what may be taken now; where that is going on further up the stack, it goes on by itself. */
    private void take() {
        if (taking) {
            return;
        }
        taking = true;
        try {
            while (life.compareTo(Life.ENDING) < 0 && takeOne()) {
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
            case BODY -> takeContent();
            case TUNNEL -> takeRaw();
        };
    }

    // a request waits for the exchange before it, and for a client that reads its responses
    private boolean mayBegin() {
        return stream == null && channel.isWritable();
    }

    private boolean takeHead() {
        return switch (input.parseHead()) {
            case MORE -> false;
            case DONE -> {
                begin(input.head());
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
            life = Life.LAST;
        }
        bodyWanted = true;
        newExchange(head, keepAlive).start();
    }

    private Exchange newExchange(Http1Request head, boolean keepAlive) {
        FrontendStream next = new FrontendStream(this, head, keepAlive);
        Exchange begun = new Exchange(listener, next, head, input.startedNs(), input.readyNs(), input.carriedNs());
        next.serve(begun);
        stream = next;
        return begun;
    }

    /** Answers a request whose head cannot be read, and ends the connection. */
    private void refuse(Failure failure) {
        lingers = true;
        life = Life.LAST;
        input.close();
        newExchange(input.unreadable(), false).fail(failure);
    }

    private boolean takeContent() {
        Exchange current = exchange();
        ByteBuf content = input.readBody();
        if (content != null) {
            if (current == null) {
                content.release();
            } else {
                current.requestContent(content);
            }
        }
        Failure failure = input.bodyFailure();
        if (failure != null) {
            // the request turned out broken behind its head
            lingers = true;
            input.close();
            if (current != null) {
                current.fail(failure);
            }
            return false;
        }
        // the content may have ended the exchange
        if (input.endBodyIfWhole() && current != null && current == exchange()) {
            current.requestEnd(input.trailers());
        }
        return content != null || input.state() != RequestInput.State.BODY;
    }

    private boolean takeRaw() {
        ByteBuf bytes = input.raw();
        Exchange current = exchange();
        if (bytes == null || current == null) {
            ReferenceCountUtil.safeRelease(bytes);
            return false;
        }
        wait.forTunnel();
        current.requestContent(bytes);
        return true;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        Failure failure = input.readComplete();
        if (failure != null && life.compareTo(Life.ENDING) < 0 && stream == null) {
            refuse(failure);
        }
        settle();
    }

    // what is left to do when a turn of work is over, whatever brought it about
    private void settle() {
        Exchange current = exchange();
        if (current != null) {
            current.flushRequest();
            current = exchange();
        }
        if (inputClosed && input.isEmpty()) {
            inputEnded(current);
        }
        readAsWanted();
        waitAsDue();
    }

    // all that the client sent has been taken
    private void inputEnded(@Nullable Exchange current) {
        if (current == null) {
            if (life.compareTo(Life.ENDING) < 0) {
                // bytes that are left are a head that will never be whole
                end();
            }
        } else if (current.isTunnel()) {
            current.requestEnd(null);
        } else if (!current.isRequestEnded()) {
            // RFC 9112 8: a message cut short is incomplete
            current.fail(Failure.BAD_REQUEST);
        }
    }

    // while no request may begin, what comes next is read ahead: only who reads learns that the client has reset
    private void readAsWanted() {
        boolean wanted =
                switch (input.state()) {
                    case BODY, TUNNEL -> bodyWanted;
                    case HEAD -> mayBegin() || input.hasRoom();
                };
        wanted |= life.compareTo(Life.ENDING) >= 0;
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    private void waitAsDue() {
        if (kept > 0 && !link.hasUnsent()) {
            giveBackKept();
        }
        if (life.compareTo(Life.ENDING) >= 0) {
            return;
        }
        Exchange current = exchange();
        if (current != null && current.isTunnel()) {
            if (wait.phase() != Phase.TUNNEL) {
                wait.forTunnel();
            }
        } else if (!channel.isWritable() || current == null && wait.isReaderBehind()) {
            wait.forReader();
            if (wait.isReaderBehind()) {
                link.whenSent(this);
            }
        } else if (current == null && input.hasPartialHead()) {
            wait.forHead();
        } else if (current == null) {
            wait.forRequest();
        } else if (input.state() == RequestInput.State.BODY && bodyWanted && !current.isRequestEnded()) {
            wait.forBody();
        } else {
            wait.forNothing();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (!(event instanceof ChannelInputShutdownEvent)) {
            return;
        }
        inputClosed = true;
        if (life.compareTo(Life.ENDING) < 0) {
            settle();
        } else if (link.isOutputShutdown()) {
            // the last response is with the client, which has ended its side too
            channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
        listener.connections().remove(this);
        life = Life.CLOSED;
        wait.cancel();
        input.close();
        failExchange(Failure.CLIENT_GONE);
        giveBackKept();
        leave();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (!(cause instanceof IOException)) {
            listener.loop().report("frontend connection ended by ", cause);
            failExchange(Failure.INTERNAL);
        }
        channel.close();
    }

    private void failExchange(Failure failure) {
        Exchange current = exchange();
        if (current != null) {
            current.fail(failure);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        Exchange current = exchange();
        if (current != null) {
            current.frontendWritable(channel.isWritable());
            waitAsDue();
        } else if (channel.isWritable()) {
            goOn();
        }
    }

    // ---- what the stream wants

    MessageWriter out() {
        return out;
    }

    void readBody(boolean wanted) {
        if (bodyWanted != wanted) {
            bodyWanted = wanted;
            readAsWanted();
            waitAsDue();
        }
    }

    /** The response in progress is the last. */
    void keepNoLonger() {
        if (life == Life.OPEN) {
            life = Life.LAST;
        }
    }

    boolean isKept() {
        return life == Life.OPEN && !listener.isDraining();
    }

    /** From now on what is read goes to the exchange as it comes. */
    void openTunnel() {
        life = Life.LAST;
        input.openTunnel();
        wait.forTunnel();
    }

    /** What was read behind the request that switched is the tunnel's. */
    void tunnelOpened() {
        take();
        settle();
    }

    void tunnelMoved() {
        wait.forTunnel();
    }

    /**
     * Closes so that a response that is not whole shows it.
     *
     * @param byReset where the close itself would look like its end
     */
    void abort(boolean byReset) {
        life = life == Life.CLOSED ? life : Life.ENDING;
        out.flush();
        if (byReset) {
            link.closeByReset();
        } else {
            channel.close();
        }
    }

    void exchangeDone(FrontendStream done, boolean requestEnded) {
        if (stream == done) {
            stream = null;
        }
        if (life.compareTo(Life.ENDING) >= 0) {
            return;
        }
        wait.forNothing();
        if (life == Life.OPEN) {
            input.turn();
            goOn();
        } else {
            lingers |= !requestEnded;
            end();
        }
    }

    // takes what is pipelined; where bytes are being taken already, that goes on by itself
    private void goOn() {
        if (!taking) {
            take();
            settle();
        }
    }

    // ---- memory

    /** None of the connection's buffers is to hold more. */
    void bound(int bytes) {
        LoopBudget memory = listener.loop().memory();
        link.bound(bytes, memory.sendBytes(bytes), memory.queued(bytes));
    }

    /** Keeps what an exchange was granted until its response has left. */
    boolean keeps(int grant) {
        if (kept > 0 || life == Life.CLOSED || !link.hasUnsent()) {
            return false;
        }
        kept = grant;
        return true;
    }

    // once, and when it is decided: the news that the channel is closed comes in a later turn, and others are accepted
    // before
    private void leave() {
        if (!left) {
            left = true;
            listener.loop().memory().closed();
        }
    }

    private void giveBackKept() {
        if (kept > 0) {
            listener.loop().memory().giveBack(kept, 0);
            kept = 0;
        }
    }

    @Override
    public void shrink(boolean greedy) {
        Exchange current = exchange();
        if (current != null) {
            current.grant().shrink(greedy);
        }
    }

    @Override
    public void grow() {
        Exchange current = exchange();
        if (current != null) {
            current.grant().grow();
        }
    }

    @Override
    public long burden(long nowNs) {
        Exchange current = exchange();
        boolean sending = input.state() == RequestInput.State.BODY && bodyWanted;
        boolean client = link.hasUnsent() || current != null && sending && !current.isRequestEnded();
        if (!client || holds() == 0) {
            pace = null;
            return 0;
        }
        if (pace == null) {
            pace = new Pace();
        }
        long moved = (current == null ? 0 : current.grant().moved()) - link.unsent();
        return pace.slowness(moved, nowNs) * (holds() >> Pace.HOLDS_SHIFT);
    }

    @Override
    public long holds() {
        Exchange current = exchange();
        return current != null
                ? current.grant().reservedBytes()
                : kept == 0 ? 0 : listener.loop().memory().reserved(kept);
    }

    @Override
    public long idleSinceNs() {
        return stream == null && life == Life.OPEN ? wait.waitsSinceNs() : Long.MAX_VALUE;
    }

    @Override
    public void relieve() {
        Exchange current = exchange();
        if (current != null || kept > 0) {
            listener.loop().memory().cut();
            if (current == null) {
                listener.stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
            } else if (current.status() == 0) {
                // a response can still tell
                current.fail(Failure.OVERLOADED);
                return;
            } else {
                link.resetOnClose();
                current.fail(Failure.OVERLOADED);
            }
            link.closeByReset();
        } else {
            life = life == Life.CLOSED ? life : Life.ENDING;
            leave();
            channel.close();
        }
    }

    // ---- the end

    @Override
    public void onDeadline() {
        Phase phase = wait.phase();
        wait.forNothing();
        switch (phase) {
            case HEAD -> {
                input.giveUpHead();
                refuse(Failure.HEADER_TIMEOUT);
            }
            case BODY -> failExchange(Failure.REQUEST_BODY_TIMEOUT);
            case READER -> onReaderLate();
            case TUNNEL -> tunnelIdle();
            case NOTHING, REQUEST, END -> channel.close();
        }
    }

    private void tunnelIdle() {
        Exchange current = exchange();
        if (current != null) {
            current.tunnelIdle();
        }
        channel.close();
    }

    /** The client has taken all that was written: whatever is waited for next, it is not that any more. */
    @Override
    public void sent() {
        if (wait.phase() == Phase.READER && life.compareTo(Life.ENDING) < 0) {
            settle();
        }
    }

    private void onReaderLate() {
        if (!wait.isReaderBehind()) {
            // all is taken, below the mark that would have said so
            if (life == Life.ENDING) {
                wait.forEnd();
            }
            waitAsDue();
        } else if (!wait.isReaderMoving()) {
            failExchange(Failure.CLIENT_STALLED);
            // which would leave in the kernel what the client does not take
            link.closeByReset();
        }
    }

    @Override
    public void drain() {
        keepNoLonger();
        if (stream == null && input.isEmpty() && !input.hasPartialHead() && life == Life.LAST) {
            end();
        }
    }

    @Override
    public void cut() {
        if (stream == null && wait.isReaderBehind()) {
            // finished, but for what the client has not taken
            listener.stats().increment(ListenerMetric.EXCHANGES_CUT);
        }
        failExchange(Failure.CUT);
        channel.close();
    }

    /**
     * Closes behind all that is written. Where the client may still be sending, its end is waited for first: a close with
     * unread input resets the connection, and the reset can overtake the response.
     */
    private void end() {
        life = Life.ENDING;
        boolean linger = (lingers || !input.isEmpty()) && !inputClosed;
        input.close();
        wait.forReader();
        if (linger) {
            link.shutdownOutputBehindWrites(true);
        } else {
            link.closeBehindWrites();
        }
        if (life == Life.ENDING && !wait.isReaderBehind()) {
            wait.forEnd();
        }
        channel.config().setAutoRead(true);
    }
}
