package io.remora.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
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
 * A client's connection that is a tunnel from its first octet: one exchange, which begins when the connection is accepted, or
 * behind its TLS hello where routes go by the name in it.
 *
 * <p>Owner: its channel's event loop. Bounds: one read that waits for the endpoint, the channel's water marks, and the grant of
 * its exchange, as for any tunnel; {@link HelloInput} for what comes before.
 */
final class TcpFrontendConnection extends InboundHandler
        implements Drainable, Claim.Holder, Deadline.Expirable, Link.Sender {
    /** It only ever moves on. */
    private enum State {
        /** No exchange yet. */
        HELLO,
        /** An exchange relays. */
        TUNNEL,
        /** What is written goes out, what is read is dropped. */
        ENDING,
        CLOSED
    }

    private final ListenerLoop listener;
    private final Link link;
    private final Channel channel;
    private final TunnelWait wait;
    private final FrontendMemory memory;
    private final long acceptedNs;
    private State state = State.HELLO;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Exchange exchange;
    /** Null where no route goes by the hello, and once it is read. */
    private @Nullable HelloInput hello;

    private boolean opened;
    private boolean inputEnded;

    private TcpFrontendConnection(ListenerLoop listener, Link link) {
        this.listener = listener;
        this.link = link;
        this.channel = link.channel();
        this.acceptedNs = listener.loop().nowNs();
        this.wait = new TunnelWait(listener.snapshot().config().timeouts(), listener.loop(), this, link);
        this.memory = new FrontendMemory(listener.loop().memory(), link);
    }

    static void install(ListenerLoop listener, Link link) {
        TcpFrontendConnection connection = new TcpFrontendConnection(listener, link);
        link.channel().pipeline().addLast(connection);
        listener.opened(link, connection);
        if (listener.endsIdle()) {
            // its handshake has outlasted the beginning of the drain
            link.channel().close();
        } else if (HelloInput.isNeeded(listener.snapshot().config().routes())) {
            connection.hello = new HelloInput(listener.loop().memory());
            connection.wait.forHello();
        } else {
            connection.begin("");
        }
    }

    /** The client wants the server of that name, empty where it has not said so. */
    private void begin(String name) {
        state = State.TUNNEL;
        wait.forMove();
        Exchange begun = new Exchange(
                listener,
                new FrontendTunnel(this),
                Heads.request(name),
                acceptedNs,
                listener.loop().nowNs(),
                0);
        exchange = begun;
        begun.start();
        flushRequest();
    }

    Link link() {
        return link;
    }

    FrontendMemory memory() {
        return memory;
    }

    // ---- the channel

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
        } else if (state == State.HELLO) {
            readHello(bytes);
        } else {
            relay(bytes);
        }
    }

    private void relay(ByteBuf bytes) {
        Exchange current = exchange;
        if (state != State.TUNNEL || current == null) {
            bytes.release();
            return;
        }
        wait.forMove();
        current.requestContent(bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        flushRequest();
    }

    private void flushRequest() {
        Exchange current = exchange;
        if (current != null) {
            current.flushRequest();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        Exchange current = exchange;
        if (current != null) {
            current.frontendWritable(channel.isWritable());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (!(event instanceof ChannelInputShutdownEvent)) {
            return;
        }
        inputEnded = true;
        if (state == State.HELLO) {
            decide("");
            flushRequest();
        }
        if (state == State.TUNNEL) {
            endInput();
        } else if (state == State.ENDING && link.isOutputShutdown()) {
            channel.close();
        }
    }

    private void endInput() {
        Exchange current = exchange;
        if (opened && inputEnded && current != null) {
            current.requestEnd(null);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        state = State.CLOSED;
        listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
        listener.connections().remove(this);
        wait.cancel();
        endHello();
        fail(Failure.CLIENT_GONE);
        memory.giveBack();
        memory.leave();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (!(cause instanceof IOException)) {
            listener.loop().report("frontend connection ended by ", cause);
            fail(Failure.INTERNAL);
        }
        fail(Failure.CLIENT_GONE);
        channel.close();
    }

    // ---- the hello

    private void readHello(ByteBuf bytes) {
        HelloInput reading = hello;
        if (reading == null) {
            bytes.release();
            return;
        }
        String name = reading.read(bytes);
        if (name != null) {
            decide(name);
        } else if (!reading.fits() && !listener.loop().memory().makeRoomForUnfinished(link.claimant())) {
            // what has come so far may lead to another server than all of it
            listener.stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
            loseHello();
        }
    }

    // at once, as others are read and admitted before the news that the channel is closed
    private void loseHello() {
        giveUp();
        endHello();
    }

    private void decide(String name) {
        HelloInput read = hello;
        hello = null;
        begin(name);
        ByteBuf held = read == null ? null : read.take();
        if (held != null) {
            relay(held);
        }
    }

    private void endHello() {
        HelloInput reading = hello;
        hello = null;
        if (reading != null) {
            ReferenceCountUtil.safeRelease(reading.take());
        }
    }

    // ---- what the exchange wants

    void write(ByteBuf content) {
        ChannelHandlerContext at = context;
        if (state != State.TUNNEL || at == null) {
            content.release();
            return;
        }
        wait.forMove();
        at.write(content, channel.voidPromise());
    }

    void flush() {
        if (context != null) {
            context.flush();
        }
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    void read(boolean wanted) {
        boolean reads = wanted || state != State.TUNNEL;
        if (channel.config().isAutoRead() != reads) {
            channel.config().setAutoRead(reads);
        }
    }

    /** The endpoint is there. */
    void opened() {
        opened = true;
        wait.forMove();
        endInput();
    }

    /** The backend's side has ended. */
    void endOutput() {
        link.shutdownOutputBehindWrites(false);
    }

    boolean keeps(int grant, int held) {
        return state != State.CLOSED && memory.keep(grant, held);
    }

    void exchangeDone() {
        exchange = null;
        if (state == State.TUNNEL) {
            end();
        }
    }

    // ---- the end

    // where the client may still be sending its end is waited for: a close with unread input resets the connection, and
    // the
    // reset can overtake what was sent last
    private void end() {
        state = State.ENDING;
        if (inputEnded) {
            link.closeBehindWrites();
        } else {
            link.shutdownOutputBehindWrites(true);
        }
        if (state == State.ENDING) {
            wait.forEnd();
            read(true);
            if (link.hasUnsent()) {
                link.whenSent(this);
            }
        }
    }

    @Override
    public void sent() {
        memory.giveBackSent();
        if (state == State.ENDING) {
            wait.forEnd();
        }
    }

    /** Ends the connection so that it shows that something is missing. */
    void giveUp() {
        if (state != State.CLOSED) {
            state = State.ENDING;
            link.closeByReset();
        }
    }

    private void fail(Failure failure) {
        Exchange current = exchange;
        if (current != null) {
            current.fail(failure);
        }
    }

    // ---- the deadline

    @Override
    public void onDeadline() {
        switch (wait.phase()) {
            case HELLO -> {
                decide("");
                flushRequest();
            }
            case MOVE -> idle();
            case READER -> readerLate();
            case END -> channel.close();
        }
    }

    private void idle() {
        fail(Failure.TUNNEL_IDLE);
        channel.close();
    }

    private void readerLate() {
        if (wait.isReaderMoving()) {
            wait.forEnd();
        } else {
            link.closeByReset();
        }
    }

    // ---- a drain

    /** A tunnel has no place at which it could end in order, and has until the end of the drain. */
    @Override
    public void drain() {
        if (state == State.HELLO) {
            channel.close();
        }
    }

    @Override
    public void cut() {
        if (state == State.ENDING && link.hasUnsent()) {
            // finished, but for what the client has not taken
            listener.cutUnread();
        }
        fail(Failure.CUT);
        channel.close();
    }

    // ---- a shortage of memory

    @Override
    public void shrink(boolean greedy) {
        if (exchange != null) {
            exchange.grant().shrink(greedy);
        }
    }

    @Override
    public void grow() {
        if (exchange != null) {
            exchange.grant().grow();
        }
    }

    @Override
    public long burden(long nowNs) {
        return memory.burden(exchange, false, nowNs);
    }

    @Override
    public long holds() {
        return memory.holds(exchange);
    }

    @Override
    public void claims(List<Claim> into) {
        HelloInput reading = hello;
        if (exchange != null) {
            into.add(exchange.claim(this));
        } else if (memory.isKeeping()) {
            into.add(new Claim(link.claimant(), true, memory.keptHeld(), acceptedNs, 0, this));
        } else if (reading != null && reading.heldBytes() > 0) {
            into.add(new Claim(link.claimant(), false, reading.heldBytes(), acceptedNs, 0, this));
        }
    }

    @Override
    public void yieldMemory() {
        if (exchange != null) {
            fail(Failure.OVERLOADED);
        } else {
            countLost();
            loseHello();
            memory.giveBack();
        }
    }

    private void countLost() {
        if (memory.isKeeping()) {
            listener.stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
        }
    }

    @Override
    public Object client() {
        return link.claimant();
    }

    @Override
    public long idleSinceNs() {
        return switch (state) {
            case HELLO -> acceptedNs;
            case ENDING -> channel.isOpen() && !link.hasUnsent() ? LINGERS : Long.MAX_VALUE;
            case TUNNEL, CLOSED -> Long.MAX_VALUE;
        };
    }

    @Override
    public void relieve() {
        if (exchange != null) {
            memory.cut();
            fail(Failure.OVERLOADED);
        } else if (memory.isKeeping()) {
            memory.cut();
            countLost();
            link.closeByReset();
        } else {
            memory.leave();
            channel.close();
        }
    }
}
