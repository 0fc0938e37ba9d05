package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.FrontendTimeouts;
import io.remora.detect.Undecided;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.http.Octets;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Acceptor;
import io.remora.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * Tells by a connection's first octets whether it speaks HTTP/2 or HTTP/1.
 *
 * <p>Owner: one connection. Bounds: the octets of the preface, and the time in which a head is to come. Before anything
 * has come, it is the time for which a connection may rest. Spec: RFC 9113 section 3.4.
 */
final class FrontendDetection extends Undecided {
    private static final byte[] PREFACE = Octets.of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").array;

    private final ListenerLoop listener;
    private final Acceptor.Protocol http2;
    private final Acceptor.Protocol http1;
    private final FrontendTimeouts timeouts;
    /** Number of octets that have come, all of them the preface's. */
    private int same;

    private FrontendDetection(ListenerLoop listener, Link link, Acceptor.Protocol http2, Acceptor.Protocol http1) {
        super(listener, link);
        this.listener = listener;
        this.http2 = http2;
        this.http1 = http1;
        this.timeouts = listener.snapshot().config().timeouts();
    }

    static void begin(ListenerLoop listener, Link link, Acceptor.Protocol http2, Acceptor.Protocol http1) {
        FrontendDetection detection = new FrontendDetection(listener, link, http2, http1);
        detection.install(detection.timeouts.idleNs());
    }

    @Override
    protected Acceptor.@Nullable Protocol taker(ByteBuf bytes) {
        for (int at = bytes.readerIndex(); at < bytes.writerIndex() && same < PREFACE.length; at++) {
            if (bytes.getByte(at) != PREFACE[same]) {
                return http1;
            }
            same++;
        }
        return same == PREFACE.length ? http2 : null;
    }

    @Override
    protected void begins() {
        expectWithin(timeouts.headerReadNs());
    }

    @Override
    protected Acceptor.@Nullable Protocol takerWhenLate(boolean hasBegun) {
        if (hasBegun) {
            listener.stats().increment(ListenerMetric.FAILURES, Failure.HEADER_TIMEOUT.label());
        }
        return null;
    }

    @Override
    protected Acceptor.@Nullable Protocol takerWhenEnded() {
        return null;
    }
}
