package io.remora.serving;

import io.netty.buffer.ByteBufAllocator;
import io.remora.cluster.NettyEngine;
import io.remora.cluster.Protocols;
import io.remora.cluster.Resolvers;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ClusterHttp2;
import io.remora.config.model.ClusterTls;
import io.remora.config.model.EngineKind;
import io.remora.config.model.GrpcConfig;
import io.remora.config.model.Http2Config;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ListenerTls;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.ProxyProtocolConfig;
import io.remora.config.model.ResolverConfig;
import io.remora.engine.Engine;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.Stage;
import io.remora.feature.Features;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.files.FileWatch;
import io.remora.files.Watched;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestIds;
import io.remora.http1.Http1BackendProtocol;
import io.remora.http1.Http1FrontendProtocol;
import io.remora.http2.BackendCosts;
import io.remora.http2.BackendHandshake;
import io.remora.http2.FrontendCosts;
import io.remora.memory.MemoryCosts;
import io.remora.metrics.DetectStats;
import io.remora.metrics.GrpcStats;
import io.remora.metrics.Http2Stats;
import io.remora.metrics.ProxyHeaderStats;
import io.remora.metrics.Stats;
import io.remora.naming.Resolver;
import io.remora.naming.Sources;
import io.remora.naming.StaticResolver;
import io.remora.pool.Protocol;
import io.remora.process.Entropy;
import io.remora.proxyprotocol.ProxyHandshake;
import io.remora.proxyprotocol.ProxySender;
import io.remora.source.HttpSources;
import io.remora.stages.CountMethods;
import io.remora.tls.TlsSetup;
import io.remora.transport.Acceptor;
import io.remora.transport.GivenSockets;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import io.remora.trust.Cidrs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which implementation stands behind each seam. A feature that is a second one behind a seam is chosen here; tests put
 * theirs in by overriding a method.
 *
 * <p>Thread safe.
 */
public class Assembly implements Resolvers, Protocols {
    /** Once somebody has TLS. */
    private @Nullable TlsSetup tls;

    /** On which the sources of endpoints are asked that are asked over HTTP; what they count, and where their buffers come from. */
    private @Nullable List<Loop> loops;

    private @Nullable Stats stats;
    private @Nullable ByteBufAllocator allocator;

    private final Features features = new Features();

    /** Once somebody goes by files that may change. */
    private @Nullable FileWatch files;

    /** Once the data path is made by it. */
    private volatile @Nullable ProxyConfig config;

    /** What this process was given to listen on; null for nothing. */
    private @Nullable GivenSockets given;

    /** Has listeners take what was given in the place of binding. */
    public synchronized void give(GivenSockets sockets) {
        given = sockets;
    }

    public synchronized @Nullable GivenSockets given() {
        return given;
    }

    /** What there is before anything is asked for. */
    synchronized void begin(List<Loop> all, Stats counts, ByteBufAllocator buffers) {
        loops = all;
        stats = counts;
        allocator = buffers;
        features.begin(counts);
    }

    /** The loops of the data path; none before it has begun. */
    public synchronized List<Loop> loops() {
        return loops == null ? List.of() : loops;
    }

    /** What the configuration has carry out attempts. */
    public Engine engine(ProxyConfig config, Stats counts, ByteBufAllocator buffers) throws IOException {
        this.config = config;
        // nothing of another engine is loaded, nor looked for, unless it is asked for
        return config.engine() == EngineKind.NETTY
                ? engine(counts, buffers)
                : OtherEngine.of(config.engine()).engine(config, this, this, buffers, counts);
    }

    /** What holds from now on. */
    synchronized void goBy(ProxyConfig next) {
        config = next;
        features.keepOnly(next.listeners());
    }

    /** The default one. */
    public Engine engine(Stats stats, ByteBufAllocator allocator) {
        return new NettyEngine(this, this, allocator, stats);
    }

    /** Where a cluster's endpoints come from. */
    @Override
    public Resolver of(ClusterConfig config) throws IOException {
        ResolverConfig asked = config.resolver();
        return asked == null ? StaticResolver.of(config) : of(config.name(), asked);
    }

    @Override
    public Resolver of(String name, ResolverConfig asked) throws IOException {
        return asked.server() == null ? Sources.of(name, asked, files(), Entropy.seed()) : http(name, asked);
    }

    /** One that is asked by the proxy's own means, whatever engine carries the traffic. */
    private synchronized Resolver http(String name, ResolverConfig asked) throws IOException {
        if (loops == null || stats == null || allocator == null) {
            throw new IllegalStateException("not begun");
        }
        Loop loop = loops.get(Math.floorMod(name.hashCode(), loops.size()));
        return HttpSources.of(name, asked, new NettyEngine(this, this, allocator, stats), loop, Entropy.seed());
    }

    /** How connections to a cluster's endpoints are made ready. */
    @Override
    public Handshake handshake(ClusterConfig config, Stats stats) throws IOException {
        ClusterTls asked = config.tls();
        Handshake tls = asked == null ? Handshake.NONE : tls().of(config, asked, stats);
        ClusterHttp2 http2 = config.http2();
        Handshake spoken = http2 == null || http2.isAsClients() ? tls : http2(config, http2, tls, stats);
        return config.proxyVersion() == 0 ? spoken : telling(config, spoken);
    }

    @Override
    public @Nullable Handshake multiplexedHandshake(ClusterConfig config, Stats stats) throws IOException {
        ClusterHttp2 http2 = config.http2();
        if (http2 == null || !http2.isAsClients()) {
            return null;
        }
        ClusterTls asked = config.tls();
        Handshake tls = asked == null ? Handshake.NONE : tls().of(config, asked.offeringHttp2(), stats);
        Handshake spoken = http2(config, http2, tls, stats);
        return config.proxyVersion() == 0 ? spoken : telling(config, spoken);
    }

    // apart for the same reason as what follows
    private static Handshake telling(ClusterConfig config, Handshake next) {
        return new ProxySender(config.proxyVersion(), next);
    }

    // apart from who calls it, which would have its class loaded only to be verified
    private static Handshake http2(ClusterConfig config, ClusterHttp2 http2, Handshake tls, Stats stats) {
        return new BackendHandshake(config, http2, tls, stats);
    }

    @Override
    public boolean isOwn(InetSocketAddress destination) {
        ProxyConfig known = config;
        InetAddress address = destination.getAddress();
        try {
            return address.isAnyLocalAddress()
                    || known != null
                            && known.binds(destination.getPort())
                            && (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null);
        } catch (IOException e) {
            return true;
        }
    }

    /** What is spoken on them. */
    @Override
    public Protocol of(ClusterConfig config, Loop loop) {
        if (config.tcp()) {
            return tunnels(loop);
        }
        Protocol http1 = new Http1BackendProtocol(config, loop);
        ClusterHttp2 http2 = config.http2();
        return http2 == null || http2.isAsClients() ? http1 : http2(config, http2, loop, http1);
    }

    @Override
    public Protocol multiplexed(ClusterConfig config, Loop loop) {
        Protocol http1 = new Http1BackendProtocol(config, loop);
        ClusterHttp2 http2 = config.http2();
        return http2 == null ? http1 : http2(config, http2, loop, http1);
    }

    private static Protocol http2(ClusterConfig config, ClusterHttp2 http2, Loop loop, Protocol http1) {
        return new io.remora.http2.Http2BackendProtocol(config, http2, loop, http1);
    }

    private static Protocol tunnels(Loop loop) {
        return new io.remora.tcp.TcpBackendProtocol(loop);
    }

    /** How accepted connections are made ready. */
    public Handshake handshake(ListenerConfig listener, Stats stats) throws IOException {
        ListenerTls asked = listener.tls();
        Handshake tls = asked == null ? Handshake.NONE : tls().of(listener, asked, stats);
        ProxyProtocolConfig told = listener.proxyProtocol();
        return told == null ? tls : told(listener.name(), told, tls, stats);
    }

    private static Handshake told(String listener, ProxyProtocolConfig told, Handshake next, Stats stats) {
        ProxyHeaderStats counts = stats.add(new ProxyHeaderStats(listener));
        return new ProxyHandshake("listener " + listener, new Cidrs(told.from()), next, counts);
    }

    /** The same for the admin listener. */
    public Handshake handshake(AdminConfig admin, Stats stats) throws IOException {
        ListenerTls asked = admin.tls();
        return asked == null ? Handshake.NONE : tls().ofAdmin(asked, stats);
    }

    /** Who does TLS, for those who have it; always the same, so that what was judged is not read again. */
    public synchronized TlsSetup tls() {
        if (tls == null) {
            tls = TlsSetup.byWhatIsThere(files());
        }
        return tls;
    }

    /** Has files looked after, or no longer. */
    public void watch(Watched files, boolean wanted) {
        if (wanted) {
            files().add(files);
        } else {
            files().remove(files);
        }
    }

    /** Lets go of the TLS material that was judged and is not in use. */
    public synchronized void forgetJudged() {
        if (tls != null) {
            tls.forget();
        }
    }

    /** Who looks after files that may change. */
    private synchronized FileWatch files() {
        if (files == null) {
            files = new FileWatch();
        }
        return files;
    }

    /** What connections cost beyond plain ones. */
    public MemoryCosts costs(ProxyConfig config) {
        return costs(config, Features.heapBytes(config));
    }

    /** The same for who has had so much of the heap reserved for the tables of rate limits. */
    public MemoryCosts costs(ProxyConfig config, long featureBytes) {
        // without TLS none of its classes is loaded
        MemoryCosts costs = config.hasTls() ? tls().costs(config) : MemoryCosts.NONE;
        costs = config.hasHttp2Clients() ? FrontendCosts.of(costs) : costs;
        costs = config.hasHttp2Backends() ? BackendCosts.of(costs, config) : costs;
        return costs.holding(featureBytes + Memory.spansBytes(config));
    }

    /** Ends what goes on beside the data path. */
    synchronized void close() {
        if (files != null) {
            files.close();
        }
        if (tls != null) {
            tls.close();
        }
    }

    /** What is spoken on them. */
    public Acceptor.Protocol protocol(ListenerLoop listener) {
        ListenerConfig config = listener.snapshot().config();
        if (config.tcp()) {
            return tunnels(listener);
        }
        Http2Config http2 = config.http2();
        Acceptor.Protocol http1 = http2 != null && http2.alone() ? null : new Http1FrontendProtocol(listener);
        if (http2 == null && http1 != null) {
            return http1;
        }
        Acceptor.Protocol requests = multiplexing(listener, config, http1);
        return config.detect() == null ? requests : detecting(listener, requests);
    }

    // apart for the same reason as what follows
    private synchronized Acceptor.Protocol detecting(ListenerLoop listener, Acceptor.Protocol requests) {
        if (stats == null) {
            throw new IllegalStateException("not begun");
        }
        DetectStats counts = listener.detect();
        if (counts == null) {
            counts = stats.add(new DetectStats(listener.stats().listener));
            listener.detect(counts);
        }
        return new io.remora.detect.DetectingProtocol(listener, counts, requests, tunnels(listener.tunnels()));
    }

    // apart, so that nothing of it is loaded where nobody asks for it
    private static Acceptor.Protocol tunnels(ListenerLoop listener) {
        return new io.remora.tcp.TcpFrontendProtocol(listener);
    }

    // apart for the same reason
    private synchronized Acceptor.Protocol multiplexing(
            ListenerLoop listener, ListenerConfig config, Acceptor.@Nullable Protocol http1) {
        Http2Config http2 = config.http2();
        if (http2 == null || stats == null) {
            throw new IllegalStateException("not begun");
        }
        Http2Stats counts = listener.http2();
        if (counts == null) {
            counts = stats.add(new Http2Stats(config.name(), io.remora.http2.Http2FrontendProtocol.reasons()));
            listener.http2(counts);
            listener.grpc(stats.add(new GrpcStats(config.name(), GrpcStatus.labels())));
        }
        return new io.remora.http2.Http2FrontendProtocol(listener, http2, counts, http1);
    }

    /** What each request passes. */
    public Stage[] stages(ListenerConfig listener, RequestIds requestIds) {
        return stages(listener, requestIds, null);
    }

    /** The same with the stage by which requests are traced, null for none. */
    final Stage[] stagesWith(ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing) {
        return tracing == null ? stages(listener, requestIds) : stages(listener, requestIds, tracing);
    }

    private Stage[] stages(ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing) {
        StagePath path = new StagePath();
        Stages.add(path, listener, requestIds, tracing);
        features.add(listener, path);
        if (listener.grpc() != null) {
            count(path, listener.name(), listener.grpc());
        }
        return path.stages();
    }

    // apart so that nothing of it is loaded for others
    private void count(StagePath path, String listener, GrpcConfig grpc) {
        path.at(Slot.COUNT).add(new CountMethods(listener, grpc.methods(), features.stats()));
    }

    /** The optional features, and what they keep for the whole process. */
    Features features() {
        return features;
    }
}
