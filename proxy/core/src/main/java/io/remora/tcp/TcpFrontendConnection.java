package io.remora.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.ClientConnection;
import io.remora.exchange.ClientWait;
import io.remora.exchange.FrontendExchange;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.memory.Claim;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Link;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection that is a tunnel from its first octet. It has one exchange, which begins when the connection is
 * accepted, or after its TLS hello where routes use the name in it.
 *
 * <p>Owner: its channel's event loop. Bounds: one read that waits for the endpoint, the channel's water marks, and the
 * grant of its exchange, as for any tunnel; {@link HelloInput} for the octets before.
 */
final class TcpFrontendConnection extends ClientConnection implements Link.Sender {
    private final long acceptedNs;
    private @Nullable ChannelHandlerContext context;
    /** Null before the connection is a tunnel, and once that is over. */
    private @Nullable FrontendExchange exchange;
    /** Null where no route depends on the hello, and once it is read. */
    private @Nullable HelloInput hello;

    /** Set once the endpoint is there. */
    private boolean opened;

    private TcpFrontendConnection(ListenerLoop listener, Link link) {
        super(listener, link);
        this.acceptedNs = listener.loop().nowNs();
    }

    static void install(ListenerLoop listener, Link link) {
        TcpFrontendConnection connection = new TcpFrontendConnection(listener, link);
        link.channel().pipeline().addLast(connection);
        connection.enter();
        if (listener.endsIdle()) {
            // its handshake has outlasted the beginning of the drain
            connection.closeNow();
        } else if (HelloInput.isNeeded(listener.snapshot().config().routes())) {
            connection.hello = new HelloInput(listener.loop().memory());
            connection.clientWait().forHead(1);
        } else {
            connection.begin("");
        }
    }

    /** The client wants the server of that name, empty where it has not said so. */
    private void begin(String name) {
        keepNoLonger();
        clientWait().forTunnel(null);
        FrontendExchange begun = newExchange(
                new FrontendTunnel(this),
                Heads.request(name),
                acceptedNs,
                listener().loop().nowNs(),
                0);
        exchange = begun;
        begun.start();
        flushRequest();
    }

    @Override
    protected @Nullable FrontendExchange exchange() {
        return exchange;
    }

    /** Returns whether its exchange relays, or is about to. */
    private boolean isTunnel() {
        return !isOpen() && !isOver();
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
        } else if (isOpen()) {
            readHello(bytes);
        } else {
            relay(bytes);
        }
    }

    private void relay(ByteBuf bytes) {
        FrontendExchange current = exchange;
        if (!isTunnel() || current == null) {
            bytes.release();
            return;
        }
        clientWait().forTunnel(null);
        current.requestContent(bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        flushRequest();
    }

    private void flushRequest() {
        FrontendExchange current = exchange;
        if (current != null) {
            current.flushRequest();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        FrontendExchange current = exchange;
        if (current != null) {
            current.frontendWritable(isWritable());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (!(event instanceof ChannelInputShutdownEvent)) {
            return;
        }
        endInput();
        if (isOpen()) {
            decide("");
            flushRequest();
        }
        if (isTunnel()) {
            endRequest();
        }
    }

    private void endRequest() {
        FrontendExchange current = exchange;
        if (opened && isInputEnded() && current != null) {
            current.requestEnd(null);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        closed();
        endHello();
        failExchange(Failure.CLIENT_GONE);
        memory().giveBack();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (report(cause)) {
            failExchange(Failure.INTERNAL);
        }
        failExchange(Failure.CLIENT_GONE);
        link().close();
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
        } else if (!reading.fits() && !listener().loop().memory().makeRoomForUnfinished(link().claimant())) {
            // what has come so far may lead to another server than all of it
            listener().stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
            loseHello();
        }
    }

    // at once, as others are read and admitted before the news that the channel is closed
    private void loseHello() {
        reset();
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
        if (!isTunnel() || at == null) {
            content.release();
            return;
        }
        clientWait().forTunnel(null);
        at.write(content, at.channel().voidPromise());
    }

    void flush() {
        if (context != null) {
            context.flush();
        }
    }

    boolean isWritable() {
        return link().channel().isWritable();
    }

    void read(boolean wanted) {
        link().read(wanted || !isTunnel());
    }

    /** Called once the endpoint is connected. */
    void opened() {
        opened = true;
        clientWait().forTunnel(null);
        endRequest();
    }

    /** The backend's side has ended. */
    void endOutput() {
        link().shutdownOutputBehindWrites(false);
    }

    boolean keeps(int grant, int held) {
        return !isClosed() && memory().keep(grant, held);
    }

    void exchangeDone() {
        exchange = null;
        if (isTunnel()) {
            end();
        }
    }

    // ---- the end

    private void end() {
        closeBehindWrites(true);
        if (isEnding()) {
            waitForEnd();
            read(true);
            if (link().hasUnsent()) {
                link().whenSent(this);
            }
        }
    }

    // nothing more comes from the exchange: the client is to take what is written, and then to end its side
    private void waitForEnd() {
        if (clientWait().isReaderBehind()) {
            clientWait().forReader();
        } else {
            clientWait().forEnd();
        }
    }

    @Override
    public void sent() {
        memory().giveBackSent();
        if (isEnding()) {
            waitForEnd();
        }
    }

    /** Ends the connection so that it shows that something is missing. */
    void reset() {
        if (!isClosed()) {
            giveUp();
            link().closeByReset();
        }
    }

    // ---- the deadline

    @Override
    public void onDeadline() {
        ClientWait.Phase phase = clientWait().phase();
        clientWait().forNothing();
        switch (phase) {
            case HEAD -> helloLate();
            case TUNNEL -> {
                failExchange(Failure.TUNNEL_IDLE);
                link().close();
            }
            case READER -> readerLate();
            default -> link().close();
        }
    }

    private void helloLate() {
        if (isOpen()) {
            decide("");
            flushRequest();
        }
    }

    private void readerLate() {
        if (!clientWait().isReaderBehind() || clientWait().isReaderMoving()) {
            waitForEnd();
        } else {
            link().closeByReset();
        }
    }

    // ---- a drain

    /** A tunnel has no place at which it could end in order, and has until the end of the drain. */
    @Override
    protected void beginDrain() {
        if (isOpen()) {
            link().close();
        }
    }

    // ---- a shortage of memory

    @Override
    protected long restsSinceNs() {
        return acceptedNs;
    }

    @Override
    public void claims(List<Claim> into) {
        HelloInput reading = hello;
        if (exchange != null) {
            into.add(exchange.claim(this));
        } else if (memory().isKeeping()) {
            into.add(new Claim(link().claimant(), true, memory().keptHeld(), acceptedNs, 0, this));
        } else if (reading != null && reading.heldBytes() > 0) {
            into.add(new Claim(link().claimant(), false, reading.heldBytes(), acceptedNs, 0, this));
        }
    }

    @Override
    public void yieldMemory() {
        if (exchange != null) {
            failExchange(Failure.OVERLOADED);
        } else {
            countLost();
            loseHello();
            memory().giveBack();
        }
    }

    private void countLost() {
        if (memory().isKeeping()) {
            listener().stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
        }
    }

    @Override
    public void relieve() {
        if (exchange != null) {
            memory().cut();
            failExchange(Failure.OVERLOADED);
        } else if (memory().isKeeping()) {
            memory().cut();
            countLost();
            link().closeByReset();
        } else {
            closeNow();
        }
    }
}
