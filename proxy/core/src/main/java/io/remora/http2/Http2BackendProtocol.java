package io.remora.http2;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.LogComponent;
import io.remora.exchange.FloodReport;
import io.remora.http2.config.ClusterHttp2;
import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.pool.Protocol;
import io.remora.transport.Deadlines;
import io.remora.transport.Link;
import io.remora.transport.Loop;

/**
 * Speaks HTTP/2 on a cluster's connections that a {@link BackendHandshake} has made ready for it, and HTTP/1.1 on the
 * others. It is also the state that these share. Owner: one event loop.
 */
public final class Http2BackendProtocol implements Protocol {
    /** The end of an idle connection's age is met with this accuracy, so that no close deadline has the loop tick often. */
    private static final long LEAST_REST_NS = 1_000_000_000L;

    private final ClusterConfig config;
    private final ClusterHttp2 http2;
    private final Loop loop;
    private final Protocol http1;
    private final ResponseFields responses;
    private final FloodReport floods;
    /** Streams of the connection that became ready last: until there is one, it is expected to be HTTP/2. */
    private int expectedStreams;

    /**
     * @param http1 for endpoints that have chosen it
     */
    public Http2BackendProtocol(ClusterConfig config, ClusterHttp2 http2, Loop loop, Protocol http1) {
        this.config = config;
        this.http2 = http2;
        this.loop = loop;
        this.http1 = http1;
        this.responses = new ResponseFields(config.headerBlockBytes());
        this.floods = new FloodReport(LogComponent.CLUSTER, "cluster " + config.name());
        this.expectedStreams = http2.maxStreams();
    }

    @Override
    public Connection begin(Link link, EndpointPool pool) {
        BackendHandler handler = link.channel().pipeline().get(BackendHandler.class);
        if (handler == null) {
            expectedStreams = http1.expectedStreams();
            return http1.begin(link, pool);
        }
        expectedStreams = Math.max(1, handler.maxStreams());
        Http2BackendConnection connection = new Http2BackendConnection(this, link, handler, pool);
        handler.attach(connection);
        return connection;
    }

    @Override
    public int expectedStreams() {
        return expectedStreams;
    }

    ClusterConfig config() {
        return config;
    }

    Loop loop() {
        return loop;
    }

    ResponseFields responses() {
        return responses;
    }

    FloodReport floods() {
        return floods;
    }

    /** Returns the silence after which a PING is sent; {@link Limits#UNLIMITED} for none. */
    long keepAliveNs() {
        return http2.keepAliveNs();
    }

    // ---- how long a connection is used

    /** Returns until when a connection is used that begins now; {@link Limits#UNLIMITED} for ever. */
    long endsNs() {
        long mostNs = config.maxAgeNs();
        return mostNs == Limits.UNLIMITED ? mostNs : loop.nowNs() + Deadlines.jittered(mostNs);
    }

    boolean isOver(long endsNs) {
        return endsNs != Limits.UNLIMITED && loop.nowNs() - endsNs >= 0;
    }

    /** Returns for how long a connection may rest that is used until then. */
    long restNs(long endsNs) {
        return endsNs == Limits.UNLIMITED
                ? config.idleNs()
                : Math.min(config.idleNs(), Math.max(LEAST_REST_NS, endsNs - loop.nowNs()));
    }
}
