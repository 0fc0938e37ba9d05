package io.remora.serving;

import io.remora.cluster.Backends;
import io.remora.cluster.DefaultEngine;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.EngineKind;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ListenerSecurity;
import io.remora.config.model.ProxyConfig;
import io.remora.detect.DetectingProtocol;
import io.remora.discovery.ResolverConfig;
import io.remora.engine.Engine;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.Stage;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestIds;
import io.remora.http1.Http1BackendProtocol;
import io.remora.http1.Http1FrontendProtocol;
import io.remora.http2.BackendHandshake;
import io.remora.http2.Http2BackendProtocol;
import io.remora.http2.Http2FrontendProtocol;
import io.remora.http2.config.ClusterHttp2;
import io.remora.http2.config.Http2Config;
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
import io.remora.proxyprotocol.ProxyProtocolConfig;
import io.remora.proxyprotocol.ProxySender;
import io.remora.proxyprotocol.ProxyVersion;
import io.remora.source.HttpSources;
import io.remora.tcp.TcpBackendProtocol;
import io.remora.tcp.TcpFrontendProtocol;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.ListenerTls;
import io.remora.transport.Acceptor;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import io.remora.trust.Cidrs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Choice of the implementation behind each seam. A feature that is a second implementation is chosen here; tests put theirs in by
 * overriding a method.
 *
 * <p>Stateless: a method makes what it returns from its arguments alone. A private method stands apart where only that keeps the classes of
 * a feature from being loaded for those who do not have it.
 */
public class Seams {
    // ---- towards endpoints

    /** Makes what carries out attempts. */
    public Engine engine(ProxyConfig config, Shared shared) throws IOException {
        OverShared backends = new OverShared(this, shared);
        // nothing of another engine is loaded, nor looked for, unless it is configured
        return config.engine() == EngineKind.NETTY
                ? backends.engine()
                : OtherEngine.of(config.engine()).engine(config, backends, shared.allocator(), shared.stats());
    }

    /** Chooses where a cluster's endpoints come from. */
    public Resolver resolver(ClusterConfig config, Shared shared) throws IOException {
        ResolverConfig asked = config.has(ClusterConfig.RESOLVER) ? ResolverConfig.of(config) : null;
        return asked == null ? StaticResolver.of(config) : resolver(config.name(), asked, shared);
    }

    /** Does the same for a resolver that belongs to no cluster. */
    public Resolver resolver(String name, ResolverConfig asked, Shared shared) throws IOException {
        return asked.server() == null
                ? Sources.of(name, asked, shared.files().watch(), Entropy.seed())
                : overHttp(name, asked, shared);
    }

    // by the proxy's own means, with every engine
    private Resolver overHttp(String name, ResolverConfig asked, Shared shared) throws IOException {
        List<Loop> loops = shared.loops();
        Loop loop = loops.get(Math.floorMod(name.hashCode(), loops.size()));
        return HttpSources.of(name, asked, new OverShared(this, shared).engine(), loop, Entropy.seed());
    }

    /** Chooses how connections to a cluster's endpoints are made ready. */
    public Handshake handshake(ClusterConfig config, Shared shared) throws IOException {
        Handshake tls = config.has(ClusterConfig.TLS) ? tls(config, false, shared) : Handshake.NONE;
        ClusterHttp2 http2 = config.http2() == null ? null : config.options().get(ClusterHttp2.HTTP2);
        Handshake spoken = http2 == null || http2.isAsClients() ? tls : http2(config, http2, tls, shared.stats());
        return config.has(ClusterConfig.PROXY_VERSION) ? telling(config, spoken) : spoken;
    }

    /** Does the same for requests that came by a version which multiplexes; null where that makes no difference. */
    public @Nullable Handshake multiplexedHandshake(ClusterConfig config, Shared shared) throws IOException {
        ClusterHttp2 http2 = config.http2() == null ? null : config.options().get(ClusterHttp2.HTTP2);
        if (http2 == null || !http2.isAsClients()) {
            return null;
        }
        Handshake tls = config.has(ClusterConfig.TLS) ? tls(config, true, shared) : Handshake.NONE;
        Handshake spoken = http2(config, http2, tls, shared.stats());
        return config.has(ClusterConfig.PROXY_VERSION) ? telling(config, spoken) : spoken;
    }

    private static Handshake tls(ClusterConfig config, boolean http2, Shared shared) throws IOException {
        ClusterTls asked = Objects.requireNonNull(config.options().get(ClusterTls.TLS));
        return shared.files().tls().of(config, http2 ? asked.offeringHttp2() : asked, shared.stats());
    }

    private static Handshake telling(ClusterConfig config, Handshake next) {
        ProxyVersion version = Objects.requireNonNull(config.options().get(ProxyVersion.VERSION));
        return new ProxySender(version.number(), next);
    }

    private static Handshake http2(ClusterConfig config, ClusterHttp2 http2, Handshake tls, Stats stats) {
        return new BackendHandshake(config, http2, tls, stats);
    }

    /** Chooses what is spoken on connections to a cluster's endpoints. */
    public Protocol protocol(ClusterConfig config, Loop loop) {
        if (config.tcp()) {
            return tunnels(loop);
        }
        Protocol http1 = new Http1BackendProtocol(config, loop);
        ClusterHttp2 http2 = config.http2() == null ? null : config.options().get(ClusterHttp2.HTTP2);
        return http2 == null || http2.isAsClients() ? http1 : http2(config, http2, loop, http1);
    }

    /** Chooses what is spoken behind {@link #multiplexedHandshake}. */
    public Protocol multiplexed(ClusterConfig config, Loop loop) {
        Protocol http1 = new Http1BackendProtocol(config, loop);
        ClusterHttp2 http2 = config.http2() == null ? null : config.options().get(ClusterHttp2.HTTP2);
        return http2 == null ? http1 : http2(config, http2, loop, http1);
    }

    private static Protocol http2(ClusterConfig config, ClusterHttp2 http2, Loop loop, Protocol http1) {
        return new Http2BackendProtocol(config, http2, loop, http1);
    }

    private static Protocol tunnels(Loop loop) {
        return new TcpBackendProtocol(loop);
    }

    // ---- towards clients

    /** Chooses how accepted connections are made ready. */
    public Handshake handshake(ListenerConfig listener, Shared shared) throws IOException {
        Handshake tls = listener.tls() == null ? Handshake.NONE : tls(listener, shared);
        return listener.options().has(ListenerConfig.PROXY_PROTOCOL) ? told(listener, tls, shared.stats()) : tls;
    }

    private static Handshake tls(ListenerConfig listener, Shared shared) throws IOException {
        ListenerTls asked = Objects.requireNonNull(listener.options().get(ListenerTls.TLS));
        return shared.files().tls().of(listener, asked, shared.stats());
    }

    private static Handshake told(ListenerConfig listener, Handshake next, Stats stats) {
        ProxyProtocolConfig told = Objects.requireNonNull(listener.options().get(ProxyProtocolConfig.PROXY_PROTOCOL));
        ProxyHeaderStats counts = stats.add(new ProxyHeaderStats(listener.name()));
        return new ProxyHandshake("listener " + listener.name(), new Cidrs(told.from()), next, counts);
    }

    /** Does the same for the admin listener. */
    public Handshake handshake(AdminConfig admin, Shared shared) throws IOException {
        ListenerSecurity asked = admin.tls();
        return asked == null ? Handshake.NONE : shared.files().tls().ofAdmin((ListenerTls) asked, shared.stats());
    }

    /** Chooses what is spoken on accepted connections. */
    public Acceptor.Protocol protocol(ListenerLoop listener, Shared shared) {
        ListenerConfig config = listener.snapshot().config();
        if (config.tcp()) {
            return tunnels(listener);
        }
        Http2Config http2 = config.http2() == null ? null : config.options().get(Http2Config.HTTP2);
        if (http2 == null) {
            return new Http1FrontendProtocol(listener);
        }
        Acceptor.Protocol http1 = http2.alone() ? null : new Http1FrontendProtocol(listener);
        Acceptor.Protocol requests = multiplexing(listener, config.name(), http2, http1, shared.stats());
        return config.detects() ? detecting(listener, requests, shared.stats()) : requests;
    }

    private static Acceptor.Protocol detecting(ListenerLoop listener, Acceptor.Protocol requests, Stats stats) {
        DetectStats counts = listener.detect();
        if (counts == null) {
            counts = stats.add(new DetectStats(listener.stats().listener));
            listener.detect(counts);
        }
        return new DetectingProtocol(listener, counts, requests, tunnels(listener.tunnels()));
    }

    private static Acceptor.Protocol tunnels(ListenerLoop listener) {
        return new TcpFrontendProtocol(listener);
    }

    private static Acceptor.Protocol multiplexing(
            ListenerLoop listener, String name, Http2Config http2, Acceptor.@Nullable Protocol http1, Stats stats) {
        Http2Stats counts = listener.http2();
        if (counts == null) {
            counts = stats.add(new Http2Stats(name, Http2FrontendProtocol.reasons()));
            listener.http2(counts);
            listener.grpc(stats.add(new GrpcStats(name, GrpcStatus.labels())));
        }
        return new Http2FrontendProtocol(listener, http2, counts, http1);
    }

    /**
     * Lists what each request passes.
     *
     * @param tracing the stage by which requests are traced, null for none
     */
    public Stage[] stages(ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing, Shared shared) {
        StagePath path = new StagePath();
        Stage recording = shared.recording();
        if (recording != null && !listener.tcp()) {
            path.at(Slot.RECORD).add(recording);
        }
        Stages.add(path, listener, requestIds, tracing);
        shared.features().add(listener, path);
        return path.stages();
    }

    /** The seams towards endpoints, as engines call them. Immutable; thread safe. */
    private static final class OverShared implements Backends {
        private final Seams seams;
        private final Shared shared;

        OverShared(Seams seams, Shared shared) {
            this.seams = seams;
            this.shared = shared;
        }

        Engine engine() {
            return new DefaultEngine(this, shared.allocator(), shared.stats());
        }

        @Override
        public Resolver resolver(ClusterConfig config) throws IOException {
            return seams.resolver(config, shared);
        }

        @Override
        public Resolver resolver(String name, ResolverConfig asked) throws IOException {
            return seams.resolver(name, asked, shared);
        }

        @Override
        public Handshake handshake(ClusterConfig config, Stats stats) throws IOException {
            return seams.handshake(config, shared);
        }

        @Override
        public @Nullable Handshake multiplexedHandshake(ClusterConfig config, Stats stats) throws IOException {
            return seams.multiplexedHandshake(config, shared);
        }

        @Override
        public boolean isOwn(InetSocketAddress destination) {
            return shared.isOwn(destination);
        }

        @Override
        public Protocol protocol(ClusterConfig config, Loop loop) {
            return seams.protocol(config, loop);
        }

        @Override
        public Protocol multiplexed(ClusterConfig config, Loop loop) {
            return seams.multiplexed(config, loop);
        }
    }
}
