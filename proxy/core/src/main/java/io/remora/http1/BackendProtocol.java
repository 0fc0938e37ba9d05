package io.remora.http1;

import io.remora.config.ClusterConfig;
import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.pool.Protocol;
import io.remora.transport.Link;
import io.remora.transport.Loop;

/** Speaks HTTP/1.1 on connections to the endpoints of one cluster, and is what these share. Owner: one event loop. */
public final class BackendProtocol implements Protocol {
    private final ClusterConfig config;
    private final Loop loop;
    private final SectionRules rules;
    private final HeadWriter heads = new HeadWriter();

    public BackendProtocol(ClusterConfig config, Loop loop) {
        this.config = config;
        this.loop = loop;
        this.rules = SectionRules.ofResponse(config.headerBlockBytes());
    }

    @Override
    public Connection begin(Link link, EndpointPool pool) {
        return BackendConnection.install(this, link, pool);
    }

    @Override
    public int expectedStreams() {
        return 1;
    }

    ClusterConfig config() {
        return config;
    }

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
