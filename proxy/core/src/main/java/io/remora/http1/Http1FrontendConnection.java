package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.config.model.Limits;
import io.remora.exchange.Exchange;
import io.remora.exchange.FrontendMemory;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.memory.Claim;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/1 connection as the outside sees it: the events of its channel, its deadline, a drain, and a shortage of
 * memory.
 *
 * <p>Owner: its channel's event loop. {@link Http1FrontendRequests} carry on with what was read, {@link FrontendLife} says how
 * far it has gone, and {@link FrontendMemory} what it holds.
 */
final class Http1FrontendConnection extends InboundHandler implements Drainable, Claim.Holder, Deadline.Expirable {
    /** For which a connection that is old enough may still rest: a client in regular use sends its next request sooner. */
    private static final long OLD_REST_NS = 1_000_000_000L;

    private final ListenerLoop listener;
    private final Link link;
    private final Channel channel;
    private final MessageWriter out;
    private final ClientWait wait;
    private final FrontendLife life;
    private final FrontendMemory memory;
    private final Http1FrontendRequests requests;
    /** Null where there is no bound on it. */
    private @Nullable ConnectionAge age;

    private boolean draining;

    private Http1FrontendConnection(ListenerLoop listener, Link link, HeadWriter heads) {
        this.listener = listener;
        this.link = link;
        this.channel = link.channel();
        this.out = new MessageWriter(channel);
        this.wait = new ClientWait(
                listener.snapshot().config().timeouts(), listener.loop().deadlines(), this, link);
        this.life = new FrontendLife(listener, link, wait);
        this.memory = new FrontendMemory(listener.loop().memory(), link);
        this.requests = new Http1FrontendRequests(listener, link, heads, out, wait, life, memory);
    }

    static void install(ListenerLoop listener, Link link, HeadWriter heads) {
        Http1FrontendConnection connection = new Http1FrontendConnection(listener, link, heads);
        link.channel().pipeline().addLast(connection);
        listener.opened(link, connection);
        connection.wait.forRequest();
        connection.beginAge(listener.snapshot().config().timeouts().maxAgeNs());
        // its handshake may have outlasted the beginning of the drain, or its end
        if (listener.endsIdle()) {
            link.channel().close();
        } else if (listener.isDraining()) {
            connection.drain();
        }
    }

    private void beginAge(long mostNs) {
        if (mostNs != Limits.UNLIMITED) {
            age = new ConnectionAge(this, listener.loop().deadlines());
            age.begin(mostNs);
        }
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
        } else if (life.isOver()) {
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
            life.endInput();
            if (!life.isOver()) {
                requests.settle();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
        listener.connections().remove(this);
        life.closed();
        wait.cancel();
        if (age != null) {
            age.cancel();
        }
        requests.close();
        memory.giveBack();
        memory.leave();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (!(cause instanceof IOException)) {
            listener.loop().report("frontend connection ended by ", cause);
            requests.fail(Failure.INTERNAL);
        }
        channel.close();
    }

    // ---- the deadline

    @Override
    public void onDeadline() {
        ClientWait.Phase phase = wait.phase();
        wait.forNothing();
        switch (phase) {
            case HEAD -> requests.refuseHead(Failure.HEADER_TIMEOUT);
            case BODY -> requests.fail(Failure.REQUEST_BODY_TIMEOUT);
            case ANSWER -> onAnswerLate();
            case READER -> onReaderLate();
            case TUNNEL -> onTunnelIdle();
            case REQUEST -> endAtRest();
            case NOTHING, END -> channel.close();
        }
    }

    private void endAtRest() {
        // a request may have come in this very turn of the loop
        link.readNow();
        if (requests.isIdle()) {
            channel.close();
        }
    }

    private void onAnswerLate() {
        Exchange current = requests.exchange();
        if (current != null && !wait.isAnswerMoving(current)) {
            current.fail(Failure.CLIENT_GONE);
        } else {
            requests.waitAsDue();
        }
    }

    private void onReaderLate() {
        if (!wait.isReaderBehind()) {
            // all is taken, below the mark that would have said so
            if (life.isOver()) {
                wait.forEnd();
            }
            requests.waitAsDue();
        } else if (!wait.isReaderMoving()) {
            requests.fail(Failure.CLIENT_STALLED);
            // which would leave in the kernel what the client does not take
            link.closeByReset();
        }
    }

    private void onTunnelIdle() {
        Exchange current = requests.exchange();
        if (current != null && current.tunnelIdle(link.hasUnsent())) {
            wait.forTunnel(current);
        } else {
            channel.close();
        }
    }

    /** It has been used for as long as it may. */
    void age() {
        life.age();
        if (!wait.hasRested(OLD_REST_NS, listener.loop().nowNs())) {
            wait.hurry(OLD_REST_NS);
        } else if (requests.isIdle() && !life.isOver()) {
            requests.end(false);
        }
    }

    // ---- a drain

    /** A response that has begun may have promised the client another, so that it is no reason to end here. */
    @Override
    public void drain() {
        if (!draining) {
            draining = true;
            wait.hurry(listener.lastWaitNs());
        }
    }

    @Override
    public void cut() {
        if (requests.exchange() == null && wait.isReaderBehind()) {
            // finished, but for what the client has not taken
            listener.cutUnread();
        }
        requests.fail(Failure.CUT);
        channel.close();
    }

    // ---- a shortage of memory

    @Override
    public void shrink(boolean greedy) {
        Exchange current = requests.exchange();
        if (current != null) {
            current.grant().shrink(greedy);
        }
    }

    @Override
    public void grow() {
        Exchange current = requests.exchange();
        if (current != null) {
            current.grant().grow();
        }
    }

    @Override
    public long burden(long nowNs) {
        return memory.burden(requests.exchange(), requests.isBodyAwaited(), nowNs);
    }

    @Override
    public long holds() {
        return memory.holds(requests.exchange());
    }

    @Override
    public void claims(List<Claim> into) {
        Exchange current = requests.exchange();
        if (current != null) {
            into.add(current.claim(this));
        } else if (memory.isKeeping()) {
            int held = memory.keptHeld() + requests.waitingBytes();
            into.add(new Claim(link.claimant(), true, held, wait.readerSinceNs(), 0, this));
        } else if (requests.waitingBytes() > 0) {
            into.add(new Claim(link.claimant(), false, requests.waitingBytes(), wait.waitsSinceNs(), 0, this));
        }
    }

    @Override
    public void yieldMemory() {
        Exchange current = requests.exchange();
        if (current != null) {
            cut(current);
        } else if (memory.isKeeping()) {
            cutKept();
        } else if (!life.isOver()) {
            requests.refuseHead(Failure.OVERLOADED);
        }
    }

    @Override
    public Object client() {
        return link.claimant();
    }

    @Override
    public long idleSinceNs() {
        if (requests.exchange() != null) {
            return Long.MAX_VALUE;
        }
        boolean lingers = wait.phase() == ClientWait.Phase.END && channel.isOpen();
        return life.isOpen() ? wait.waitsSinceNs() : lingers ? LINGERS : Long.MAX_VALUE;
    }

    @Override
    public void relieve() {
        Exchange current = requests.exchange();
        if (current != null) {
            memory.cut();
            cut(current);
        } else if (memory.isKeeping()) {
            memory.cut();
            cutKept();
        } else {
            life.giveUp();
            memory.leave();
            channel.close();
        }
    }

    // the exchange is over, but what it wrote is lost
    private void cutKept() {
        listener.stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
        closeNow();
    }

    private void cut(Exchange current) {
        if (current.status() == 0 && !link.hasUnsent()) {
            // a response can still tell
            current.fail(Failure.OVERLOADED);
        } else {
            // behind what the client does not take a response would keep the grant
            link.resetOnClose();
            current.fail(Failure.OVERLOADED);
            closeNow();
        }
    }

    // others are admitted before the news that the channel is closed
    private void closeNow() {
        link.closeByReset();
        memory.giveBack();
    }
}
