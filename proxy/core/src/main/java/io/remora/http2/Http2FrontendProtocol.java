package io.remora.http2;

import io.remora.config.model.LogComponent;
import io.remora.exchange.FloodReport;
import io.remora.exchange.ListenerLoop;
import io.remora.http2.config.Http2Config;
import io.remora.http2.hpack.FieldSection;
import io.remora.metrics.Http2Stats;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Acceptor;
import io.remora.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * Speaks HTTP/2 on a listener's accepted connections, and leaves those to HTTP/1 that speak it, where both are spoken.
 *
 * <p>Owner: one event loop. Spec: RFC 9113 section 3.
 */
public final class Http2FrontendProtocol implements Acceptor.Protocol {
    private static final String H2 = "h2";

    private final ListenerLoop listener;
    private final Http2Config atStart;
    private final Http2Stats stats;
    private final FloodReport floods;
    private final Acceptor.@Nullable Protocol http1;
    /** The section that is read, of one connection after the other. */
    private final FieldSection section = new FieldSection();
    /** Protocol for connections that are known to speak HTTP/2. */
    private final Acceptor.Protocol known = new Known();

    /**
     * @param http1 null where HTTP/2 alone is spoken
     */
    public Http2FrontendProtocol(
            ListenerLoop listener, Http2Config config, Http2Stats stats, Acceptor.@Nullable Protocol http1) {
        this.listener = listener;
        this.atStart = config;
        this.stats = stats;
        this.floods = new FloodReport(LogComponent.LISTENER, "listener " + listener.stats().listener);
        this.http1 = http1;
    }

    /** The label of every reason for which a connection is ended as abuse. */
    public static String[] reasons() {
        return Abuse.labels();
    }

    @Override
    public void accept(Link link) {
        boolean isAgreed = H2.equals(link.protocol());
        if (http1 == null && !isAgreed && link.scheme().equals("https")) {
            // RFC 9113 3.2: with TLS a client that does not ask for h2 does not speak it
            listener.stats().increment(ListenerMetric.FRONTEND_ACCEPTED);
            listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
            link.channel().close();
        } else if (http1 == null || isAgreed) {
            begin(link);
        } else if (link.protocol() != null || link.scheme().equals("https")) {
            http1.accept(link);
        } else {
            FrontendDetection.begin(listener, link, known, http1);
        }
    }

    private void begin(Link link) {
        Http2Config now = listener.snapshot().config().options().get(Http2Config.HTTP2);
        Http2FrontendConnection.install(listener, link, now == null ? atStart : now, stats, floods, section);
    }

    /** Takes connections without a look at their first octets. */
    private final class Known implements Acceptor.Protocol {
        @Override
        public void accept(Link link) {
            begin(link);
        }
    }
}
