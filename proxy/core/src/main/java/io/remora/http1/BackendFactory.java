package io.remora.http1;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.remora.config.ClusterConfig;
import io.remora.exchange.Backend;
import io.remora.pool.ConnectionFactory;
import io.remora.pool.EndpointPool;
import io.remora.transport.Loop;
import java.nio.ByteBuffer;

/** Makes HTTP/1.1 connections to the endpoints of one cluster. Owner: one event loop. */
public final class BackendFactory implements ConnectionFactory<Backend> {
    private final ClusterConfig config;
    private final Loop loop;
    private final HttpDecoderConfig bounds;
    private final ByteBuffer probe = ByteBuffer.allocateDirect(1);

    public BackendFactory(ClusterConfig config, Loop loop) {
        this.config = config;
        this.loop = loop;
        this.bounds = ResponseDecoder.bounds(config);
    }

    @Override
    public Backend create(EndpointPool<Backend> pool, Channel channel) {
        return Http1Backend.install(pool, config, channel, new ResponseDecoder(bounds, loop), loop, probe);
    }
}
