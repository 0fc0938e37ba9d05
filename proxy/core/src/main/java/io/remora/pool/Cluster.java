package io.remora.pool;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.NoopAddressResolverGroup;
import io.remora.balance.RoundRobin;
import io.remora.config.ClusterConfig;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.Stats;
import io.remora.naming.Endpoint;
import io.remora.transport.Loop;
import io.remora.transport.SocketOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One event loop's way to a cluster: its endpoints' pools, and whose turn it is. Owner: the event loop. */
public final class Cluster<C extends Connection> {
    private final List<EndpointPool<C>> pools;
    private final RoundRobin balancer;

    private Cluster(List<EndpointPool<C>> pools) {
        this.pools = pools;
        this.balancer = new RoundRobin(pools.size());
    }

    /** Makes the pools of a cluster for one event loop; nothing is connected yet. */
    public static <C extends Connection> Cluster<C> create(
            ClusterConfig config,
            List<Endpoint> endpoints,
            Loop loop,
            ByteBufAllocator allocator,
            Stats stats,
            ConnectionFactory<C> factory) {
        Bootstrap bootstrap = bootstrap(config, loop, allocator);
        List<EndpointPool<C>> pools = new ArrayList<>(endpoints.size());
        for (Endpoint endpoint : endpoints) {
            EndpointStats counts = stats.add(new EndpointStats(config.name(), endpoint.name()));
            pools.add(new EndpointPool<>(
                    endpoint, counts, bootstrap, factory, config.maxConnections(), config.maxIdleConnections()));
        }
        return new Cluster<>(pools);
    }

    private static Bootstrap bootstrap(ClusterConfig config, Loop loop, ByteBufAllocator allocator) {
        int buffer = config.bufferBytes();
        return new Bootstrap()
                .group(loop.eventLoop())
                .channelFactory(new ChannelFactory<Channel>() {
                    @Override
                    public Channel newChannel() {
                        return new NioSocketChannel();
                    }
                })
                .resolver(NoopAddressResolverGroup.INSTANCE)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public boolean isSharable() {
                        return true;
                    }
                })
                .option(ChannelOption.ALLOCATOR, allocator)
                .option(ChannelOption.RECVBUF_ALLOCATOR, SocketOptions.readBuffers(buffer))
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(buffer / 2, buffer))
                .option(ChannelOption.TCP_NODELAY, true)
                // a failed write must not take the response with it that the endpoint gave before it stopped reading
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.max(1, TimeUnit.NANOSECONDS.toMillis(config.connectTimeoutNs())));
    }

    /** The pool of the endpoint whose turn it is. */
    public EndpointPool<C> pick() {
        return pools.get(balancer.pick());
    }
}
