package io.remora.detect;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Acceptor;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection until it is known whether it carries requests: then it is handed over with what has been read, octet for octet. Who
 * has not said so in time, or has ended before, is passed on as it comes, as in some protocols the server speaks first.
 *
 * <p>Owner: one connection. Bounds: the time for all of it, the octets of a request line, and the loop's memory for heads. Cost: none but for the
 * handler where a request line comes in one read.
 */
final class Detection extends InboundHandler implements Drainable, Deadline.Expirable {
    private static final int FIRST_OCTETS = 512;

    private final ListenerLoop listener;
    private final Link link;
    private final Acceptor.Protocol requests;
    private final Acceptor.Protocol tunnels;
    private final RequestLine line;
    private final Deadline deadline;
    private final long acceptedNs;
    private @Nullable ChannelHandlerContext context;
    /** What has come so far, where that was not enough. */
    private @Nullable ByteBuf begun;
    /** Of {@link #begun}, what counts in the loop's memory. */
    private int counted;

    private boolean decided;

    private Detection(ListenerLoop listener, Link link, Acceptor.Protocol requests, Acceptor.Protocol tunnels) {
        this.listener = listener;
        this.link = link;
        this.requests = requests;
        this.tunnels = tunnels;
        this.line = new RequestLine(listener.snapshot().config().limits().requestLineBytes());
        this.deadline = listener.loop().deadlines().add(this);
        this.acceptedNs = listener.loop().nowNs();
    }

    /**
     * @param timeoutNs for all that is needed to tell
     */
    static void install(
            ListenerLoop listener, Link link, long timeoutNs, Acceptor.Protocol requests, Acceptor.Protocol tunnels) {
        Detection detection = new Detection(listener, link, requests, tunnels);
        link.channel().pipeline().addLast(detection);
        if (!listener.loop().memory().open()) {
            listener.shed();
        }
        listener.connections().add(detection);
        detection.deadline.set(timeoutNs);
        if (listener.isDraining()) {
            link.channel().close();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    // ---- what comes

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (decided || !(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
            return;
        }
        RequestLine.Verdict verdict = line.read(bytes, bytes.readerIndex());
        if (verdict == RequestLine.Verdict.OPEN) {
            keep(at, bytes);
        } else {
            handOver(at, join(bytes), verdict == RequestLine.Verdict.HTTP ? requests : tunnels, null);
        }
    }

    private void keep(ChannelHandlerContext at, ByteBuf bytes) {
        int octets = bytes.readableBytes();
        if (begun == null) {
            begun = at.alloc().heapBuffer(Math.max(FIRST_OCTETS, octets));
        }
        begun.writeBytes(bytes);
        bytes.release();
        counted += octets;
        if (!listener.loop().memory().hold(octets)) {
            // what has come so far may lead to another server than all of it
            listener.stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
            link.closeByReset();
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
        begun = null;
        listener.loop().memory().hold(-counted);
        counted = 0;
        return all;
    }

    /**
     * @param all null where nothing has come
     * @param ended the end of what the client sends, null where it has not come
     */
    private void handOver(
            ChannelHandlerContext at, @Nullable ByteBuf all, Acceptor.Protocol protocol, @Nullable Object ended) {
        leave();
        protocol.accept(link);
        if (all != null && link.channel().isOpen()) {
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

    // whoever takes the connection over counts it anew
    private void leave() {
        decided = true;
        deadline.cancel();
        listener.connections().remove(this);
        listener.loop().memory().closed();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent && !decided) {
            handOver(at, takeBegun(), tunnels, event);
        } else {
            at.fireUserEventTriggered(event);
        }
    }

    /** It has not said in time what it speaks, and may be waiting for the server to begin. */
    @Override
    public void onDeadline() {
        ChannelHandlerContext at = context;
        if (at != null && !decided && link.channel().isActive()) {
            handOver(at, takeBegun(), tunnels, null);
        }
    }

    // ---- an end before that

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        if (!decided) {
            leave();
            listener.stats().increment(ListenerMetric.FRONTEND_ACCEPTED);
            listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
            ReferenceCountUtil.release(takeBegun());
        }
        at.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (decided) {
            at.fireExceptionCaught(cause);
            return;
        }
        if (!(cause instanceof IOException)) {
            listener.loop().report("frontend connection ended by ", cause);
        }
        link.channel().close();
    }

    @Override
    public void drain() {
        link.channel().close();
    }

    @Override
    public void cut() {
        link.channel().close();
    }

    @Override
    public long idleSinceNs() {
        return acceptedNs;
    }
}
