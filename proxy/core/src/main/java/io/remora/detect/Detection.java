package io.remora.detect;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.ListenerLoop;
import io.remora.metrics.DetectMetric;
import io.remora.metrics.DetectStats;
import io.remora.transport.Acceptor;
import io.remora.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection until it is known whether it carries requests. A client that has not said so in time, or has
 * ended before, is passed on as it comes, as in some protocols the server speaks first.
 *
 * <p>Owner: one connection. Bounds: the time for all of it, and the octets of a request line with one read more.
 */
final class Detection extends Undecided {
    /** Type of a TLS handshake record, with which a hello begins; no token has this octet. */
    private static final int TLS_HANDSHAKE = 22;

    private final DetectStats stats;
    private final Acceptor.Protocol requests;
    private final Acceptor.Protocol tunnels;
    private final RequestLine line;

    private Detection(
            ListenerLoop listener,
            Link link,
            DetectStats stats,
            Acceptor.Protocol requests,
            Acceptor.Protocol tunnels) {
        super(listener, link);
        this.stats = stats;
        this.requests = requests;
        this.tunnels = tunnels;
        this.line = new RequestLine(listener.snapshot().config().limits().requestLineBytes());
    }

    /**
     * @param timeoutNs for all that is needed to tell
     */
    static void begin(
            ListenerLoop listener,
            Link link,
            DetectStats stats,
            long timeoutNs,
            Acceptor.Protocol requests,
            Acceptor.Protocol tunnels) {
        stats.increment(DetectMetric.UNDECIDED);
        new Detection(listener, link, stats, requests, tunnels).install(timeoutNs);
    }

    @Override
    protected Acceptor.@Nullable Protocol taker(ByteBuf bytes) {
        int first = bytes.readerIndex();
        boolean hello = line.isEmpty() && bytes.isReadable() && bytes.getByte(first) == TLS_HANDSHAKE;
        RequestLine.Verdict verdict = line.read(bytes, first);
        if (verdict == RequestLine.Verdict.OPEN) {
            return null;
        }
        if (verdict == RequestLine.Verdict.HTTP) {
            return turnsOut(line.isPreface() ? DetectStats.HTTP2 : DetectStats.HTTP1, requests);
        }
        return turnsOut(hello ? DetectStats.TLS : DetectStats.TCP, tunnels);
    }

    private Acceptor.Protocol turnsOut(String what, Acceptor.Protocol taker) {
        stats.decided(what);
        return taker;
    }

    @Override
    protected Acceptor.Protocol takerWhenLate(boolean hasBegun) {
        return turnsOut(hasBegun ? DetectStats.UNFINISHED : DetectStats.SILENT, tunnels);
    }

    @Override
    protected Acceptor.Protocol takerWhenEnded() {
        return turnsOut(DetectStats.ENDED, tunnels);
    }

    @Override
    protected void lost() {
        stats.decided(DetectStats.LOST);
    }
}
