package io.remora.http1;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.pool.Protocol;
import io.remora.transport.Deadlines;
import io.remora.transport.Link;
import io.remora.transport.Loop;

/**
 * Speaks HTTP/1.1 on connections to the endpoints of one cluster, and has the state that these share. Owner: one event
 * loop.
 */
public final class Http1BackendProtocol implements Protocol {
    /** The end of an idle connection's age is met with this accuracy, so that no close deadline has the loop tick often. */
    private static final long LEAST_REST_NS = 1_000_000_000L;

    private final ClusterConfig config;
    private final Loop loop;
    private final SectionRules rules;
    private final HeadWriter heads = new HeadWriter();

    public Http1BackendProtocol(ClusterConfig config, Loop loop) {
        this.config = config;
        this.loop = loop;
        this.rules = SectionRules.ofResponse(config.headerBlockBytes());
    }

    @Override
    public Connection begin(Link link, EndpointPool pool) {
        return Http1BackendConnection.install(this, link, pool);
    }

    @Override
    public int expectedStreams() {
        return 1;
    }

    ClusterConfig config() {
        return config;
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

    // ---- what they share

    Loop loop() {
        return loop;
    }

    HeadWriter heads() {
        return heads;
    }

    SectionRules rules() {
        return rules;
    }
}
