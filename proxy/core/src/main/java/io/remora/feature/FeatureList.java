package io.remora.feature;

import io.remora.cluster.AccrualPart;
import io.remora.cluster.BalancerPart;
import io.remora.cluster.BreakerPart;
import io.remora.cluster.CaptureConfig;
import io.remora.cluster.CapturePart;
import io.remora.cluster.HealthCheckPart;
import io.remora.config.keys.Key;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.text.OffKeys;
import io.remora.config.yaml.FeatureKeys;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.detect.DetectConfig;
import io.remora.detect.DetectPart;
import io.remora.discovery.ResolverPart;
import io.remora.exchange.AdaptiveConfig;
import io.remora.exchange.AdaptivePart;
import io.remora.exchange.RetryPart;
import io.remora.feature.answer.Answering;
import io.remora.feature.clients.ClientLists;
import io.remora.feature.fault.FaultKeys;
import io.remora.feature.fault.Faults;
import io.remora.feature.grpc.Grpc;
import io.remora.feature.grpc.GrpcKeys;
import io.remora.feature.hedge.HedgeKeys;
import io.remora.feature.hedge.Hedging;
import io.remora.feature.mirror.Mirroring;
import io.remora.feature.ratelimit.RateLimits;
import io.remora.feature.rewrite.Rewriting;
import io.remora.feature.servertiming.ServerTiming;
import io.remora.feature.split.Splitting;
import io.remora.feature.tracing.Tracing;
import io.remora.feature.trust.Trust;
import io.remora.finaglekeys.FinaglePart;
import io.remora.http2.config.ClusterHttp2Part;
import io.remora.http2.config.Http2Config;
import io.remora.http2.config.Http2Part;
import io.remora.log.AccessLogPart;
import io.remora.proxyprotocol.ProxyProtocolConfig;
import io.remora.proxyprotocol.ProxyProtocolPart;
import io.remora.proxyprotocol.ProxyVersionPart;
import io.remora.takeover.TakeoverConfig;
import io.remora.takeover.TakeoverPart;
import io.remora.template.TemplatePart;
import io.remora.text.Ascii;
import io.remora.tls.config.ListenerTls;
import io.remora.tls.config.TlsPart;
import io.remora.warmupkeys.WarmUpConfig;
import io.remora.warmupkeys.WarmUpPart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The list of features, and the keys of the file that they own. Each key has a line, and {@link #part} loads the class behind it only
 * where it is wanted. Immutable.
 */
public final class FeatureList implements FeatureKeys {
    // the places of a key; one without a place is read and shown at a moment of its own
    private static final int TOP = 1;
    private static final int LISTENER = 1 << 1;
    private static final int ROUTE = 1 << 2;
    private static final int CLUSTER = 1 << 3;

    /** Flag of a key with a meaning where connections are tunnels. */
    private static final int TUNNELS = 1 << 4;

    /** Flag of a key about requests that go to an endpoint, so that a route which answers cannot have it. */
    private static final int FORWARDING = 1 << 5;

    /** Flag of a key by which a route answers by itself, so that it needs no cluster. */
    private static final int ANSWERS = 1 << 6;

    /** Flag of a key that {@code /config} shows with its word where the feature is off. */
    private static final int SHOWN = 1 << 7;

    /** Flag of a key without stages: its part does nothing but read and judge. */
    private static final int CONFIG = 1 << 8;

    private static final String OFF = Key.OFF;

    /** Stands for a key that no word switches off, such as a list. */
    private static final String NO_WORD = "";

    /** The keys in the order of reading, which is also that of stages at one slot. */
    private static final Line[] LINES = {
        new Line(RateLimits.NAME, LISTENER | ROUTE | TUNNELS, NO_WORD),
        new Line(ServerTiming.NAME, LISTENER | SHOWN, "false"),
        new Line(GrpcKeys.NAME, LISTENER | TUNNELS, OFF),
        new Line(HedgeKeys.NAME, ROUTE | FORWARDING, OFF),
        new Line(Mirroring.NAME, ROUTE | FORWARDING, OFF),
        new Line(FaultKeys.NAME, ROUTE, OFF),
        new Line(Trust.NAME, LISTENER | SHOWN, OFF),
        new Line(Tracing.NAME, TOP | SHOWN, OFF),
        new Line(Http2Config.NAME, TUNNELS | CONFIG, NO_WORD),
        new Line(ClusterHttp2Part.NAME, TUNNELS | CONFIG, NO_WORD),
        new Line(ListenerTls.NAME, TUNNELS | CONFIG, OFF),
        new Line(TlsPart.OfAdmin.NAME, TUNNELS | CONFIG, NO_WORD),
        new Line(TlsPart.OfCluster.NAME, TUNNELS | CONFIG, NO_WORD),
        new Line(BalancerPart.BALANCER, TUNNELS | CONFIG, NO_WORD),
        new Line(RetryPart.NAME, TUNNELS | CONFIG, OFF),
        new Line(AccrualPart.NAME, TUNNELS | CONFIG, OFF),
        new Line(BreakerPart.NAME, TUNNELS | CONFIG, OFF),
        new Line(HealthCheckPart.NAME, TUNNELS | CONFIG, OFF),
        new Line(ResolverPart.NAME, TUNNELS | CONFIG, NO_WORD),
        new Line(TemplatePart.NAME, TUNNELS | CONFIG, NO_WORD),
        new Line(AdaptiveConfig.NAME, TUNNELS | CONFIG, OFF),
        new Line(WarmUpConfig.NAME, TOP | CONFIG, OFF),
        new Line(TakeoverConfig.NAME, TOP | CONFIG, OFF),
        new Line(CaptureConfig.NAME, CLUSTER | TUNNELS | CONFIG, OFF),
        new Line(ProxyProtocolConfig.NAME, LISTENER | TUNNELS | CONFIG, OFF),
        new Line(ProxyVersionPart.NAME, TUNNELS | CONFIG, NO_WORD),
        new Line(DetectConfig.NAME, LISTENER | TUNNELS | CONFIG, NO_WORD),
        new Line(AccessLogPart.NAME, TUNNELS | CONFIG, OFF),
        new Line(FinaglePart.PLUGINS, TUNNELS | CONFIG, OFF),
        new Line(FinaglePart.FINAGLE, TUNNELS | CONFIG, NO_WORD),
        new Line(FinaglePart.REQUEST_DTAB, TUNNELS | CONFIG, OFF),
        new Line(FinaglePart.ANNOUNCE, TUNNELS | CONFIG, OFF),
        new Line(FinaglePart.DTAB, TUNNELS | CONFIG, NO_WORD),
        new Line(FinaglePart.DEST, TUNNELS | CONFIG, NO_WORD),
        new Line(ClientLists.NAME, LISTENER | ROUTE | TUNNELS, OFF),
        new Line(Rewriting.REWRITE, ROUTE | FORWARDING, NO_WORD),
        new Line(Rewriting.REQUEST_HEADERS, ROUTE | FORWARDING, NO_WORD),
        new Line(Rewriting.RESPONSE_HEADERS, ROUTE, NO_WORD),
        new Line(Answering.REDIRECT, ROUTE | ANSWERS, NO_WORD),
        new Line(Answering.RESPOND, ROUTE | ANSWERS, NO_WORD),
        new Line(Splitting.CLUSTERS, ROUTE | FORWARDING | TUNNELS, NO_WORD),
        new Line(Splitting.STICKY, ROUTE | FORWARDING | TUNNELS, OFF)
    };

    /** Creates the part that reads a key, and loads its class. */
    private static FeaturePart part(String key) {
        return switch (key) {
            case RateLimits.NAME -> new RateLimits();
            case ServerTiming.NAME -> new ServerTiming();
            case GrpcKeys.NAME -> new Grpc();
            case HedgeKeys.NAME -> new Hedging();
            case Mirroring.NAME -> new Mirroring();
            case FaultKeys.NAME -> new Faults();
            case Trust.NAME -> new Trust();
            case Tracing.NAME -> new Tracing();
            case Http2Config.NAME -> new Http2Part();
            case ClusterHttp2Part.NAME -> new ClusterHttp2Part();
            case ListenerTls.NAME -> new TlsPart.OfListener();
            case TlsPart.OfAdmin.NAME -> new TlsPart.OfAdmin();
            case TlsPart.OfCluster.NAME -> new TlsPart.OfCluster();
            case BalancerPart.BALANCER -> new BalancerPart.Reader();
            case RetryPart.NAME -> new RetryPart();
            case AccrualPart.NAME -> new AccrualPart();
            case BreakerPart.NAME -> new BreakerPart();
            case HealthCheckPart.NAME -> new HealthCheckPart();
            case ResolverPart.NAME -> new ResolverPart.Reader();
            case TemplatePart.NAME -> new TemplatePart.Reader();
            case AdaptiveConfig.NAME -> new AdaptivePart();
            case WarmUpConfig.NAME -> new WarmUpPart();
            case TakeoverConfig.NAME -> new TakeoverPart();
            case CaptureConfig.NAME -> new CapturePart();
            case ProxyProtocolConfig.NAME -> new ProxyProtocolPart();
            case ProxyVersionPart.NAME -> new ProxyVersionPart();
            case DetectConfig.NAME -> new DetectPart();
            case AccessLogPart.NAME -> new AccessLogPart();
            case FinaglePart.PLUGINS,
                    FinaglePart.FINAGLE,
                    FinaglePart.REQUEST_DTAB,
                    FinaglePart.ANNOUNCE,
                    FinaglePart.DTAB,
                    FinaglePart.DEST -> new FinaglePart();
            case ClientLists.NAME -> new ClientLists();
            case Rewriting.REWRITE, Rewriting.REQUEST_HEADERS, Rewriting.RESPONSE_HEADERS -> new Rewriting();
            case Answering.REDIRECT, Answering.RESPOND -> new Answering();
            case Splitting.CLUSTERS, Splitting.STICKY -> new Splitting();
            default -> throw unknown(key);
        };
    }

    private static IllegalArgumentException unknown(String key) {
        return new IllegalArgumentException("no feature owns the key " + Ascii.quote(key));
    }

    private static Line line(String key) {
        for (Line line : LINES) {
            if (line.key.equals(key)) {
                return line;
            }
        }
        throw unknown(key);
    }

    /** Returns the keys that have all of these flags. */
    private static List<String> keys(int flags) {
        List<String> keys = new ArrayList<>();
        for (Line line : LINES) {
            if (line.has(flags)) {
                keys.add(line.key);
            }
        }
        return keys;
    }

    /** Returns the keys at a place that {@code /config} shows where the feature is off, each with its word. */
    private static Map<String, String> off(int place) {
        Map<String, String> off = new LinkedHashMap<>();
        for (String key : keys(place | SHOWN)) {
            off.put(key, line(key).word);
        }
        return off;
    }

    /** Returns what {@code /config} shows of features that are off. */
    public static OffKeys off() {
        return new OffKeys(off(TOP), off(LISTENER));
    }

    /** Returns the features that a listener, or one of its routes, has. */
    static List<Feature> of(ListenerConfig listener) {
        List<Feature> features = new ArrayList<>();
        for (FeaturePart part : used(listener, false)) {
            features.add((Feature) part);
        }
        return features;
    }

    /** Returns the parts that a listener or its routes use, each once; without {@code all}, only those that add stages. */
    private static List<FeaturePart> used(ListenerConfig listener, boolean all) {
        List<FeaturePart> parts = new ArrayList<>();
        for (Line line : LINES) {
            if ((all || !line.has(CONFIG)) && line.isUsedBy(listener)) {
                FeaturePart part = part(line.key);
                if (parts.isEmpty() || parts.get(parts.size() - 1).getClass() != part.getClass()) {
                    parts.add(part);
                }
            }
        }
        return parts;
    }

    // ---- for the reader of the file

    @Override
    public List<String> ofTop() {
        return keys(TOP);
    }

    @Override
    public List<String> ofListeners() {
        return keys(LISTENER);
    }

    @Override
    public List<String> ofRoutes() {
        return keys(ROUTE);
    }

    @Override
    public List<String> ofClusters() {
        return keys(CLUSTER);
    }

    @Override
    public List<String> ofForwardingRoutes() {
        return keys(ROUTE | FORWARDING);
    }

    @Override
    public List<String> ofAnsweringRoutes() {
        return keys(ROUTE | ANSWERS);
    }

    @Override
    public Options read(String name, FeatureSection from, Options options) {
        Line line = line(name);
        if (!line.has(TUNNELS)) {
            from.refuseForTunnels(name);
        }
        return line.isOff(from) ? options : part(name).read(from, options);
    }

    @Override
    public List<Flaw> judge(ListenerConfig listener, NamedClusters clusters, String path) {
        List<Flaw> flaws = new ArrayList<>();
        for (FeaturePart part : used(listener, true)) {
            part.judge(listener, clusters, path, flaws);
        }
        return flaws;
    }

    @Override
    public List<Flaw> judge(ProxyConfig config, NamedClusters clusters) {
        List<Flaw> flaws = new ArrayList<>();
        for (Line line : LINES) {
            if (line.has(TOP) && config.options().has(Option.of(line.key))) {
                part(line.key).judge(config, clusters, flaws);
            }
        }
        return flaws;
    }

    /**
     * A key of a feature.
     *
     * @param flags its places, and what is special about it
     * @param word by which the file switches it off, so that nothing of it is loaded
     */
    private record Line(String key, int flags, String word) {
        boolean has(int all) {
            return (flags & all) == all;
        }

        boolean isOff(FeatureSection from) {
            return !word.equals(NO_WORD) && from.isText(key, word);
        }

        boolean isUsedBy(ListenerConfig listener) {
            boolean carriesCalls = key.equals(GrpcKeys.NAME) && listener.http2() != null;
            return carriesCalls || listener.uses(Option.of(key));
        }
    }
}
