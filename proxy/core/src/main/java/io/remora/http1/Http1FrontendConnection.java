package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.config.model.Limits;
import io.remora.exchange.ClientConnection;
import io.remora.exchange.ClientWait;
import io.remora.exchange.FrontendExchange;
import io.remora.exchange.FrontendMemory;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.memory.Claim;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Link;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/1 connection: the events of its channel, its deadline, its age, and a shortage of memory.
 *
 * <p>Owner: its channel's event loop. {@link Http1FrontendRequests} carry on with what was read, {@link ClientConnection} has what
 * connections of all protocols share, and {@link FrontendMemory} what it holds.
 */
final class Http1FrontendConnection extends ClientConnection {
    private final MessageWriter out;
    private final Http1FrontendRequests requests;
    /** Null where there is no bound on it. */
    private @Nullable ConnectionAge age;

    private Http1FrontendConnection(ListenerLoop listener, Link link, HeadWriter heads) {
        super(listener, link);
        this.out = new MessageWriter(link.channel());
        this.requests = new Http1FrontendRequests(this, heads, out);
    }

    static void install(ListenerLoop listener, Link link, HeadWriter heads) {
        Http1FrontendConnection connection = new Http1FrontendConnection(listener, link, heads);
        link.channel().pipeline().addLast(connection);
        connection.enter();
        connection.clientWait().forRequest();
        connection.beginAge(listener.snapshot().config().timeouts().maxAgeNs());
        connection.catchUpWithDrain();
    }

    private void beginAge(long mostNs) {
        if (mostNs != Limits.UNLIMITED) {
            age = new ConnectionAge(requests, listener().loop().deadlines());
            age.begin(mostNs);
        }
    }

    // ---- what its requests ask

    @Override
    protected @Nullable FrontendExchange exchange() {
        return requests.exchange();
    }

    @Override
    protected boolean isBodyAwaited() {
        return requests.isBodyAwaited();
    }

    // ---- the channel

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        out.attach(added);
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
        } else if (isOver()) {
            bytes.release();
        } else {
            requests.read(bytes);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        requests.readComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        requests.writabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            endInput();
            if (!isOver()) {
                requests.settle();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        closed();
        if (age != null) {
            age.cancel();
        }
        requests.close();
        memory().giveBack();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (report(cause)) {
            failExchange(Failure.INTERNAL);
        }
        link().close();
    }

    // ---- the deadline

    @Override
    public void onDeadline() {
        ClientWait.Phase phase = clientWait().phase();
        clientWait().forNothing();
        switch (phase) {
            case HEAD -> requests.refuseHead(Failure.HEADER_TIMEOUT);
            case BODY -> failExchange(Failure.REQUEST_BODY_TIMEOUT);
            case ANSWER -> onAnswerLate();
            case READER -> onReaderLate();
            case TUNNEL -> onTunnelIdle();
            case REQUEST -> endAtRest();
            case NOTHING, END -> link().close();
        }
    }

    private void endAtRest() {
        // a request may have come in this very turn of the loop
        link().readNow();
        if (requests.isIdle()) {
            link().close();
        }
    }

    private void onAnswerLate() {
        FrontendExchange current = requests.exchange();
        if (current != null && !clientWait().isAnswerMoving(current)) {
            current.fail(Failure.CLIENT_GONE);
        } else {
            requests.waitAsDue();
        }
    }

    private void onReaderLate() {
        if (!clientWait().isReaderBehind()) {
            // all is taken, below the mark that would have said so
            if (isOver()) {
                clientWait().forEnd();
            }
            requests.waitAsDue();
        } else if (!clientWait().isReaderMoving()) {
            failExchange(Failure.CLIENT_STALLED);
            // which would leave in the kernel what the client does not take
            link().closeByReset();
        }
    }

    private void onTunnelIdle() {
        FrontendExchange current = requests.exchange();
        if (current != null && current.tunnelIdle(link().hasUnsent())) {
            clientWait().forTunnel(current);
        } else {
            link().close();
        }
    }

    /** A response that has begun may have promised the client another, so that it is no reason to end here. */
    @Override
    protected void beginDrain() {
        clientWait().hurry(listener().lastWaitNs());
    }

    // ---- a shortage of memory

    @Override
    protected long restsSinceNs() {
        return Math.min(
                clientWait().sinceNs(ClientWait.Phase.REQUEST), clientWait().sinceNs(ClientWait.Phase.HEAD));
    }

    @Override
    public void claims(List<Claim> into) {
        FrontendExchange current = requests.exchange();
        if (current != null) {
            into.add(current.claim(this));
        } else if (memory().isKeeping()) {
            int held = memory().keptHeld() + requests.waitingBytes();
            into.add(new Claim(link().claimant(), true, held, clientWait().sinceNs(ClientWait.Phase.READER), 0, this));
        } else if (requests.waitingBytes() > 0) {
            into.add(new Claim(link().claimant(), false, requests.waitingBytes(), restsSinceNs(), 0, this));
        }
    }

    @Override
    public void yieldMemory() {
        FrontendExchange current = requests.exchange();
        if (current != null) {
            cut(current);
        } else if (memory().isKeeping()) {
            cutKept();
        } else if (!isOver()) {
            requests.refuseHead(Failure.OVERLOADED);
        }
    }

    @Override
    public void relieve() {
        FrontendExchange current = requests.exchange();
        if (current != null) {
            memory().cut();
            cut(current);
        } else if (memory().isKeeping()) {
            memory().cut();
            cutKept();
        } else {
            closeNow();
        }
    }

    // the exchange is over, but what it wrote is lost
    private void cutKept() {
        listener().stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
        closeByReset();
    }

    private void cut(FrontendExchange current) {
        if (current.status() == 0 && !link().hasUnsent()) {
            // a response can still tell
            current.fail(Failure.OVERLOADED);
        } else {
            // behind what the client does not take a response would keep the grant
            link().resetOnClose();
            current.fail(Failure.OVERLOADED);
            closeByReset();
        }
    }

    // others are admitted before the news that the channel is closed
    private void closeByReset() {
        link().closeByReset();
        memory().giveBack();
    }
}
