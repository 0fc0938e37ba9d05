package io.remora.http1;

import io.netty.channel.Channel;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.remora.config.ClusterConfig;
import io.remora.exchange.Backend;
import io.remora.pool.ConnectionFactory;
import io.remora.pool.EndpointPool;
import io.remora.transport.Loop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Makes HTTP/1.1 connections to the endpoints of one cluster, and is what these share. Owner: one event loop. */
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
        return Http1Backend.install(pool, this, channel);
    }

    ClusterConfig config() {
        return config;
    }

    Loop loop() {
        return loop;
    }

    ResponseDecoder decoder() {
        return new ResponseDecoder(bounds, loop);
    }

    /**
     * Whether the kernel holds nothing for an idle connection, neither bytes nor an end; a byte that it did hold is
     * lost.
     */
    boolean isSilent(Channel channel) {
        if (!(channel.unsafe() instanceof AbstractNioChannel.NioUnsafe nio
                && nio.ch() instanceof SocketChannel socket)) {
            return true;
        }
        try {
            return socket.read(probe.clear()) == 0;
        } catch (IOException ended) {
            return false;
        }
    }
}
