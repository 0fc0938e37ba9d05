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
import io.remora.config.model.RouteConfig;
import io.remora.config.rules.Flaw;
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
import io.remora.finagle.config.FinaglePart;
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
import io.remora.tls.config.ListenerTls;
import io.remora.tls.config.TlsPart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The list of features, and the keys of the file that they own. {@link #list} has a line for each, which loads its class only for the one
 * who asks for it. An instance is a question to all lines.
 *
 * <p>Thread safe, as only methods here put questions.
 */
public final class FeatureList implements FeatureKeys {
    // where the key of a feature stands
    private static final int TOP = 1;
    private static final int LISTENER = 1 << 1;
    private static final int ROUTE = 1 << 2;
    private static final int CLUSTER = 1 << 3;

    /** Flag of a key with a meaning where connections are tunnels. */
    private static final int TUNNELS = 1 << 4;

    /** Flag of a key about requests that go to an endpoint, so that a route which answers cannot have it. */
    private static final int FORWARDING = 1 << 5;

    /** Flag of a key that no word switches off, such as a list. */
    private static final int WORDLESS = 1 << 6;

    /** Flag of a key by which a route answers by itself, so that it needs no cluster. */
    private static final int ANSWERS = 1 << 7;

    /** All flags, which no line has. */
    private static final int NOWHERE = -1;

    /** {@code /config} says nothing where it is off. */
    private static final String UNSHOWN = "";

    private static final String OFF = Key.OFF;

    // the question, and what the lines say to it
    private final int places;
    private final @Nullable String name;
    private final @Nullable ListenerConfig listener;
    private final List<String> names = new ArrayList<>();
    private final List<Feature> features = new ArrayList<>();
    /** The features without stages; asked for by name, or to judge the listener. */
    private final List<FeaturePart> parts = new ArrayList<>();

    private boolean judges;
    private @Nullable Map<String, String> off;
    /** Name of the key whose word is wanted, by which the file switches a feature off. */
    private @Nullable String switched;

    private String offWord = UNSHOWN;
    private int found;

    /**
     * The list, in the order of reading. A line has the name of the key, where it stands, what {@code /config} shows where it is off, and
     * the class. The reader of a section asks at its own moment for a key that stands nowhere here, and the writer shows it at its own place.
     */
    private FeatureList list() {
        add(has(RateLimits.NAME, LISTENER | ROUTE | TUNNELS | WORDLESS, UNSHOWN) ? new RateLimits() : null);
        add(has(ServerTiming.NAME, LISTENER, "false") ? new ServerTiming() : null);
        add(has(GrpcKeys.NAME, LISTENER | TUNNELS, UNSHOWN) || speaksHttp2() ? new Grpc() : null);
        add(has(HedgeKeys.NAME, ROUTE | FORWARDING, UNSHOWN) ? new Hedging() : null);
        add(has(Mirroring.NAME, ROUTE | FORWARDING, UNSHOWN) ? new Mirroring() : null);
        add(has(FaultKeys.NAME, ROUTE, UNSHOWN) ? new Faults() : null);
        add(has(Trust.NAME, LISTENER, OFF) ? new Trust() : null);
        add(has(Tracing.NAME, TOP, OFF) ? new Tracing() : null);
        part(reads(Http2Config.NAME, TUNNELS | WORDLESS) ? new Http2Part() : null);
        part(reads(ClusterHttp2Part.NAME, TUNNELS | WORDLESS) ? new ClusterHttp2Part() : null);
        part(reads(ListenerTls.NAME, TUNNELS) ? new TlsPart.OfListener() : null);
        part(reads(TlsPart.OfAdmin.NAME, TUNNELS | WORDLESS) ? new TlsPart.OfAdmin() : null);
        part(reads(TlsPart.OfCluster.NAME, TUNNELS | WORDLESS) ? new TlsPart.OfCluster() : null);
        part(reads(BalancerPart.BALANCER, TUNNELS | WORDLESS) ? new BalancerPart.Reader() : null);
        part(reads(RetryPart.NAME, TUNNELS) ? new RetryPart() : null);
        part(reads(AccrualPart.NAME, TUNNELS) ? new AccrualPart() : null);
        part(reads(BreakerPart.NAME, TUNNELS) ? new BreakerPart() : null);
        part(reads(HealthCheckPart.NAME, TUNNELS) ? new HealthCheckPart() : null);
        part(reads(ResolverPart.NAME, TUNNELS | WORDLESS) ? new ResolverPart.Reader() : null);
        part(reads(TemplatePart.NAME, TUNNELS | WORDLESS) ? new TemplatePart.Reader() : null);
        part(reads(AdaptiveConfig.NAME, TUNNELS) ? new AdaptivePart() : null);
        part(reads(TakeoverConfig.NAME, TOP) ? new TakeoverPart() : null);
        part(reads(CaptureConfig.NAME, CLUSTER | TUNNELS) ? new CapturePart() : null);
        part(reads(ProxyProtocolConfig.NAME, LISTENER | TUNNELS) ? new ProxyProtocolPart() : null);
        part(reads(ProxyVersionPart.NAME, TUNNELS | WORDLESS) ? new ProxyVersionPart() : null);
        part(reads(DetectConfig.NAME, LISTENER | TUNNELS | WORDLESS) ? new DetectPart() : null);
        part(reads(AccessLogPart.NAME, TUNNELS) ? new AccessLogPart() : null);
        boolean ofFinagle = any(
                reads(FinaglePart.PLUGINS, TUNNELS),
                reads(FinaglePart.FINAGLE, TUNNELS | WORDLESS),
                reads(FinaglePart.REQUEST_DTAB, TUNNELS),
                reads(FinaglePart.ANNOUNCE, TUNNELS),
                reads(FinaglePart.DTAB, TUNNELS | WORDLESS),
                reads(FinaglePart.DEST, TUNNELS | WORDLESS));
        part(ofFinagle ? new FinaglePart() : null);
        add(has(ClientLists.NAME, LISTENER | ROUTE | TUNNELS, UNSHOWN) ? new ClientLists() : null);
        boolean rewrites = any(
                has(Rewriting.REWRITE, ROUTE | FORWARDING | WORDLESS, UNSHOWN),
                has(Rewriting.REQUEST_HEADERS, ROUTE | FORWARDING | WORDLESS, UNSHOWN),
                has(Rewriting.RESPONSE_HEADERS, ROUTE | WORDLESS, UNSHOWN));
        add(rewrites ? new Rewriting() : null);
        boolean answers = any(
                has(Answering.REDIRECT, ROUTE | ANSWERS | WORDLESS, UNSHOWN),
                has(Answering.RESPOND, ROUTE | ANSWERS | WORDLESS, UNSHOWN));
        add(answers ? new Answering() : null);
        boolean splits = any(
                has(Splitting.CLUSTERS, ROUTE | FORWARDING | TUNNELS | WORDLESS, UNSHOWN),
                has(Splitting.STICKY, ROUTE | FORWARDING | TUNNELS, UNSHOWN));
        add(splits ? new Splitting() : null);
        return this;
    }

    /** Creates the list as the reader asks it. */
    public FeatureList() {
        this(NOWHERE, null, null);
    }

    private FeatureList(int places, @Nullable String name, @Nullable ListenerConfig listener) {
        this.places = places;
        this.name = name;
        this.listener = listener;
    }

    /** Tells if a feature is wanted, and adds its line to the answer. */
    private boolean has(String key, int where, String shown) {
        return line(key, where, shown) || isUsed(key);
    }

    /** Tells if a feature without stages is wanted, and adds its line to the answer. */
    private boolean reads(String key, int where) {
        return line(key, where, UNSHOWN) || judges && isUsed(key);
    }

    private boolean isUsed(String key) {
        return listener != null && listener.uses(Option.of(key));
    }

    /** Adds a line to the answer, and tells if it has the name in question. */
    private boolean line(String key, int where, String shown) {
        if ((where & places) == places) {
            names.add(key);
            if (off != null && !shown.equals(UNSHOWN)) {
                off.put(key, shown);
            }
        }
        if (key.equals(switched)) {
            found = where;
            offWord = (where & WORDLESS) != 0 || !shown.equals(UNSHOWN) ? shown : OFF;
        }
        return key.equals(name);
    }

    /** Returns whether one of a feature's keys is wanted. */
    private static boolean any(boolean... wanted) {
        for (boolean one : wanted) {
            if (one) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the listener that asks speaks HTTP/2, which carries calls of gRPC. */
    private boolean speaksHttp2() {
        return listener != null && listener.http2() != null;
    }

    private void add(@Nullable Feature feature) {
        if (feature != null) {
            features.add(feature);
            parts.add(feature);
        }
    }

    private void part(@Nullable FeaturePart part) {
        if (part != null) {
            parts.add(part);
        }
    }

    /** Returns the features that a listener, or one of its routes, has. */
    static List<Feature> of(ListenerConfig listener) {
        return new FeatureList(NOWHERE, null, listener).list().features;
    }

    private static List<String> at(int places) {
        return new FeatureList(places, null, null).list().names;
    }

    private static Map<String, String> off(int places) {
        FeatureList all = new FeatureList(places, null, null);
        Map<String, String> off = new LinkedHashMap<>();
        all.off = off;
        all.list();
        return off;
    }

    /** Returns what {@code /config} shows of features that are off. */
    public static OffKeys off() {
        return new OffKeys(off(TOP), off(LISTENER), off(LISTENER | TUNNELS), off(CLUSTER));
    }

    // ---- for the reader of the file

    @Override
    public List<String> ofTop() {
        return at(TOP);
    }

    @Override
    public List<String> ofListeners() {
        return at(LISTENER);
    }

    @Override
    public List<String> ofRoutes() {
        return at(ROUTE);
    }

    @Override
    public List<String> ofClusters() {
        return at(CLUSTER);
    }

    @Override
    public List<String> ofForwardingRoutes() {
        return at(ROUTE | FORWARDING);
    }

    @Override
    public List<String> ofAnsweringRoutes() {
        return at(ROUTE | ANSWERS);
    }

    @Override
    public Options read(String name, FeatureSection from, Options options) {
        FeatureList line = line(name);
        if ((line.found & TUNNELS) == 0) {
            from.refuseForTunnels(name);
        }
        return line.isOff(from) ? options : named(name).read(from, options);
    }

    /** Returns the line of a key, without its class. */
    private static FeatureList line(String name) {
        FeatureList line = new FeatureList(NOWHERE, null, null);
        line.switched = name;
        return line.list();
    }

    private static FeaturePart named(String name) {
        return new FeatureList(NOWHERE, name, null).list().parts.get(0);
    }

    /** Returns whether the file switches the feature of this line off, so that nothing of it is loaded. */
    private boolean isOff(FeatureSection from) {
        return switched != null && !offWord.equals(UNSHOWN) && from.isText(switched, offWord);
    }

    @Override
    public void judgeRoute(String name, FeatureSection from, RouteConfig route) {
        if (!line(name).isOff(from)) {
            named(name).judgeRoute(from, route);
        }
    }

    @Override
    public List<Flaw> judge(ListenerConfig listener, String path) {
        List<Flaw> flaws = new ArrayList<>();
        FeatureList all = new FeatureList(NOWHERE, null, listener);
        all.judges = true;
        for (FeaturePart each : all.list().parts) {
            each.judge(listener, path, flaws);
        }
        return flaws;
    }
}
