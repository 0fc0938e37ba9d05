package io.remora.detect;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.ClientConnection;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.memory.Claim;
import io.remora.memory.LoopBudget;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Acceptor;
import io.remora.transport.Link;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection until its protocol is known: counted, kept within bounds, and handed over with the octets read
 * so far, octet for octet and once. A subclass decides on the protocol.
 *
 * <p>Owner: one connection. Bounds: the deadline, and half of the loop's memory for heads for the octets kept, so that
 * as much is left for requests. Cost: none but for the handler where the first read decides.
 */
public abstract class Undecided extends ClientConnection {
    private static final int FIRST_OCTETS = 512;

    private final long acceptedNs;
    private @Nullable ChannelHandlerContext context;
    /** Octets so far, where they were not enough. */
    private @Nullable ByteBuf begun;
    /** Bytes of {@link #begun} that count in the loop's memory. */
    private int counted;
    /** Set if its time is what the drain leaves, after which nobody takes it over. */
    private boolean hurried;

    protected Undecided(ListenerLoop listener, Link link) {
        super(listener, link);
        this.acceptedNs = listener.loop().nowNs();
    }

    /** Installs itself in the pipeline. Called once, when the channel is ready. */
    protected final void install(long timeoutNs) {
        link().channel().pipeline().addLast(this);
        enter();
        clientWait().forDecision(timeoutNs);
        catchUpWithDrain();
    }

    // ---- what a subclass says

    /**
     * Reads further octets, which stay where they are.
     *
     * @return who takes the connection over, null while that is not known
     */
    protected abstract Acceptor.@Nullable Protocol taker(ByteBuf bytes);

    /** Returns the protocol that takes the connection over after its deadline; null for none. */
    protected abstract Acceptor.@Nullable Protocol takerWhenLate(boolean hasBegun);

    /** Returns the protocol that takes the connection over after the client has ended its side; null for none. */
    protected abstract Acceptor.@Nullable Protocol takerWhenEnded();

    /** Called at the first octets, if they were not enough. */
    protected void begins() {}

    /** Called where the connection ends before its protocol is known. */
    protected void lost() {}

    /** Sets another bound on the time that is left. */
    protected final void expectWithin(long timeoutNs) {
        clientWait().forDecision(timeoutNs);
        hurried = isDraining() && clientWait().cutShort(listener().lastWaitNs());
    }

    // ---- what comes

    @Override
    public final void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public final void channelRead(ChannelHandlerContext at, Object message) {
        if (hasLeft() || !(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
            return;
        }
        Acceptor.Protocol taker = taker(bytes);
        if (taker == null) {
            keep(at, bytes);
        } else {
            handOver(at, join(bytes), taker, null);
        }
    }

    private void keep(ChannelHandlerContext at, ByteBuf bytes) {
        ByteBuf all = begun;
        if (all == null) {
            all = at.alloc().heapBuffer(Math.max(FIRST_OCTETS, bytes.readableBytes()));
            begun = all;
            begins();
        }
        all.writeBytes(bytes);
        bytes.release();
        int more = all.capacity() - counted;
        LoopBudget memory = listener().loop().memory();
        if (memory.holdSpare(more) || memory.makeRoomForSpare(more, link().claimant())) {
            counted += more;
        } else {
            // what has come so far may lead to another server than all of it
            listener().stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
            yieldMemory();
        }
    }

    private ByteBuf join(ByteBuf bytes) {
        ByteBuf all = takeBegun();
        if (all == null) {
            return bytes;
        }
        all.writeBytes(bytes);
        bytes.release();
        return all;
    }

    private @Nullable ByteBuf takeBegun() {
        ByteBuf all = begun;
        if (all != null) {
            begun = null;
            listener().loop().memory().hold(-counted);
            counted = 0;
        }
        return all;
    }

    /**
     * @param all null where nothing has come
     * @param ended the end of what the client sends, null where it has not come
     */
    private void handOver(
            ChannelHandlerContext at, @Nullable ByteBuf all, Acceptor.Protocol taker, @Nullable Object ended) {
        // it counts for its listener until it closes, also once a protocol has taken it over
        handOver();
        taker.accept(link());
        if (all != null && link().isOpen()) {
            at.fireChannelRead(all);
            at.fireChannelReadComplete();
        } else {
            ReferenceCountUtil.release(all);
        }
        if (ended != null) {
            at.fireUserEventTriggered(ended);
        }
        if (!at.isRemoved()) {
            at.pipeline().remove(this);
        }
    }

    @Override
    public final void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (isClosed() || !(event instanceof ChannelInputShutdownEvent)) {
            at.fireUserEventTriggered(event);
        } else if (!hasLeft()) {
            handOverOrEnd(at, takerWhenEnded(), event);
        }
    }

    @Override
    public final void onDeadline() {
        ChannelHandlerContext at = context;
        if (at == null || hasLeft() || !link().channel().isActive()) {
            return;
        }
        if (hurried) {
            closeNow();
        } else {
            handOverOrEnd(at, takerWhenLate(begun != null), null);
        }
    }

    private void handOverOrEnd(ChannelHandlerContext at, Acceptor.@Nullable Protocol taker, @Nullable Object ended) {
        if (taker == null) {
            closeNow();
        } else {
            handOver(at, takeBegun(), taker, ended);
        }
    }

    // ---- an end before that

    @Override
    public final void channelInactive(ChannelHandlerContext at) {
        if (!isClosed()) {
            closed();
            ReferenceCountUtil.release(takeBegun());
            lost();
        }
        at.fireChannelInactive();
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (isClosed()) {
            at.fireExceptionCaught(cause);
        } else {
            report(cause);
            closeNow();
        }
    }

    /**
     * Bounds the time until its protocol is known. It carries nothing yet, and its first request is its last one: the
     * protocol that takes it over learns of the drain.
     */
    @Override
    protected final void beginDrain() {
        hurried = clientWait().cutShort(listener().lastWaitNs());
    }

    @Override
    public final void cut() {
        closeNow();
    }

    @Override
    public final void claims(List<Claim> into) {
        if (counted > 0) {
            into.add(new Claim(link().claimant(), false, counted, acceptedNs, 0, this));
        }
    }

    @Override
    public final void yieldMemory() {
        link().resetOnClose();
        closeNow();
        // others are admitted before the news that it is closed
        ReferenceCountUtil.release(takeBegun());
    }

    @Override
    protected final long restsSinceNs() {
        return acceptedNs;
    }
}
