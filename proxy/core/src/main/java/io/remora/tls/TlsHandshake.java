package io.remora.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.TlsStats;
import io.remora.transport.Handshake;
import java.net.SocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the connections of one listener, or of one cluster, protected ones.
 *
 * <p>Thread safe. Bounds: for a listener, handshakes in flight. A connection beyond it is closed at once, unless its
 * client has fewer of them than another, which loses one. The caller bounds the time of each.
 */
public final class TlsHandshake implements Handshake, FirstOctets.Next {

    private final String name;
    private final boolean server;
    private final int maxInFlight;
    private final Executor thread;
    private final TlsStats stats;
    /** The current context, under the lock, so that none is released while a session of it is being made. */
    private TlsContext context;

    /** True once no handshake begins any more; under the lock. */
    private boolean released;

    private volatile @Nullable Runnable onEnd;
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile LogThrottle throttle = LogThrottle.ofSource();

    /**
     * @param name for logs, such as {@code listener in}
     * @param server whether the connections are accepted ones
     * @param thread where handshakes compute, one step at a time
     */
    public TlsHandshake(
            String name, TlsContext context, boolean server, int maxInFlight, Executor thread, TlsStats stats) {
        this.name = name;
        this.context = context;
        this.server = server;
        this.maxInFlight = maxInFlight;
        this.thread = thread;
        this.stats = stats;
    }

    @Override
    public void begin(Channel channel, Outcome outcome) {
        if (server) {
            channel.pipeline().addLast(new FirstOctets(channel, outcome, this));
        } else {
            begin(channel, outcome, true);
        }
    }

    @Override
    public void begin(Channel channel, Outcome outcome, boolean isTls) {
        if (!isTls) {
            channel.pipeline().addLast(new PlainHttp(channel, outcome, this));
            return;
        }
        outcome.counts(true);
        if (inFlight.incrementAndGet() > maxInFlight && !outcome.makeRoom()) {
            inFlight.decrementAndGet();
            TlsException refused = new TlsException(TlsFailure.BUSY, "");
            stats.failed(refused.failure().label());
            report(refused);
            outcome.failed(refused);
            return;
        }
        TlsSession session;
        try {
            session = newSession(channel.remoteAddress());
        } catch (TlsException e) {
            failed(e, true);
            outcome.failed(e);
            return;
        }
        TlsHandler handler = new TlsHandler(channel, session, this, outcome);
        channel.pipeline().addLast(handler);
        ChannelHandlerContext at = channel.pipeline().context(handler);
        if (at != null) {
            handler.begin(at);
        } else {
            // the channel went before it had a handler
            session.free();
            failed(new TlsException(TlsFailure.TRUNCATED, ""), false);
        }
    }

    @Override
    public void lost(TlsException cause, boolean told) {
        stats.failed(cause.failure().label());
        if (told || cause.failure() == TlsFailure.INTERNAL) {
            report(cause);
        }
    }

    private synchronized TlsSession newSession(@Nullable SocketAddress peer) throws TlsException {
        return context.newSession(peer);
    }

    /** Replaces the context for handshakes that begin from now on; earlier ones keep theirs. */
    public void replace(TlsContext next) {
        TlsContext before;
        synchronized (this) {
            // files that were being read while the listener or the cluster went
            before = released ? next : context;
            context = released ? context : next;
        }
        // which its sessions outlive
        before.release();
    }

    void onEnd(Runnable then) {
        onEnd = then;
    }

    @Override
    public void end() {
        Runnable then = onEnd;
        if (then != null) {
            then.run();
        }
    }

    @Override
    public void warnWithin(LogThrottle shared) {
        throttle = shared;
    }

    @Override
    public synchronized void release() {
        released = true;
        context.release();
    }

    Executor thread() {
        return thread;
    }

    boolean isServer() {
        return server;
    }

    /**
     * One that began is over.
     *
     * @param durationNs since its first octets
     */
    void established(long durationNs, TlsSession session, SocketAddress peer) {
        boolean resumed = session.isResumed();
        if (Log.enabled(LogComponent.TLS, LogLevel.DEBUG)) {
            Log.debug(
                    LogComponent.TLS,
                    name + ": handshake with " + peer + " in " + durationNs / 1_000 + " us, " + session.version() + ' '
                            + session.cipherSuite() + (resumed ? ", resumed" : ""));
        }
        inFlight.decrementAndGet();
        stats.established(durationNs, resumed);
    }

    /**
     * One that began is over.
     *
     * @param told whether the peer has said anything: who only connects and leaves is a probe
     */
    void failed(TlsException cause, boolean told) {
        inFlight.decrementAndGet();
        stats.failed(cause.failure().label());
        if (told || !server) {
            report(cause);
        }
    }

    /** A client's certificate is too long for X-Forwarded-Client-Cert. */
    void leftOut(int octets) {
        report("a client's certificate of " + octets + " octets is left out of X-Forwarded-Client-Cert as too long");
    }

    private void report(TlsException cause) {
        report("TLS handshake failed: " + cause.getMessage());
    }

    /** Logs a line a few times a minute at most: a client that can cause it can cause it often. */
    private void report(String what) {
        String tail = throttle.tail(System.nanoTime());
        if (tail != null) {
            Log.warn(LogComponent.TLS, name + ": " + what + tail);
        }
    }
}
