package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Octets;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Acceptor;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Tells by how a connection begins which protocol it speaks, hands it over with what has been read, and goes.
 *
 * <p>Owner: one connection. Bounds: the octets of the preface, the time in which a head is to come, and before anything has
 * come the time for which a connection may rest. Spec: RFC 9113 section 3.4.
 */
final class FrontendDetection extends InboundHandler implements Drainable, Deadline.Expirable {
    private static final byte[] PREFACE = Octets.of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").array;

    private final ListenerLoop listener;
    private final Link link;
    private final FrontendProtocol http2;
    private final Acceptor.Protocol http1;
    private final Deadline deadline;
    /** What has come so far, which begins as the preface does. */
    private @Nullable ByteBuf begun;

    private boolean decided;

    private FrontendDetection(ListenerLoop listener, Link link, FrontendProtocol http2, Acceptor.Protocol http1) {
        this.listener = listener;
        this.link = link;
        this.http2 = http2;
        this.http1 = http1;
        this.deadline = listener.loop().deadlines().add(this);
    }

    static void install(ListenerLoop listener, Link link, FrontendProtocol http2, Acceptor.Protocol http1) {
        FrontendDetection detection = new FrontendDetection(listener, link, http2, http1);
        link.channel().pipeline().addLast(detection);
        if (!listener.loop().memory().open()) {
            listener.shed();
        }
        listener.connections().add(detection);
        detection.deadline.set(listener.snapshot().config().timeouts().idleNs());
        if (listener.endsIdle()) {
            link.channel().close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (decided || !(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
            return;
        }
        ByteBuf all = begun == null ? bytes : begun.writeBytes(bytes);
        if (begun != null) {
            bytes.release();
        }
        int length = Math.min(PREFACE.length, all.readableBytes());
        boolean same = isPreface(all, length);
        if (same && length < PREFACE.length) {
            keep(at, all);
        } else {
            begun = null;
            decide(at, all, same);
        }
    }

    private static boolean isPreface(ByteBuf bytes, int length) {
        for (int i = 0; i < length; i++) {
            if (bytes.getByte(bytes.readerIndex() + i) != PREFACE[i]) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same octets
    private void keep(ChannelHandlerContext at, ByteBuf all) {
        if (begun == null) {
            deadline.set(listener.snapshot().config().timeouts().headerReadNs());
            begun = at.alloc().heapBuffer(PREFACE.length).writeBytes(all);
            all.release();
        }
    }

    private void decide(ChannelHandlerContext at, ByteBuf all, boolean isHttp2) {
        leave();
        if (isHttp2) {
            http2.begin(link);
        } else {
            http1.accept(link);
        }
        at.fireChannelRead(all);
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

    // ---- an end before that

    private void giveUp() {
        if (decided) {
            return;
        }
        leave();
        listener.stats().increment(ListenerMetric.FRONTEND_ACCEPTED);
        listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
        ByteBuf part = begun;
        begun = null;
        if (part != null) {
            part.release();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent && !decided) {
            link.channel().close();
        } else {
            at.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        giveUp();
        at.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (!(cause instanceof IOException)) {
            listener.loop().report("frontend connection ended by ", cause);
        }
        link.channel().close();
    }

    @Override
    public void onDeadline() {
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
        long atNs = deadline.atNs();
        return atNs == Long.MAX_VALUE
                ? atNs
                : atNs - listener.snapshot().config().timeouts().idleNs();
    }
}
