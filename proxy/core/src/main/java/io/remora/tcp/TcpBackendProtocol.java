package io.remora.tcp;

import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.pool.Protocol;
import io.remora.transport.Link;
import io.remora.transport.Loop;

/** Speaks nothing on connections to the endpoints of one cluster: each carries one tunnel. Owner: one event loop. */
public final class TcpBackendProtocol implements Protocol {
    private final Loop loop;

    public TcpBackendProtocol(Loop loop) {
        this.loop = loop;
    }

    @Override
    public Connection begin(Link link, EndpointPool pool) {
        return TcpBackendConnection.install(loop, link, pool);
    }

    @Override
    public int expectedStreams() {
        return 1;
    }
}
