package io.remora.config.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Address;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.EngineKind;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.LogLevel;
import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.config.model.PlacedText;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.model.RoutePolicy;
import io.remora.feature.FeatureList;
import io.remora.feature.grpc.GrpcConfig;
import io.remora.feature.hedge.HedgeConfig;
import io.remora.feature.mirror.MirrorConfig;
import io.remora.proxyprotocol.ProxyVersion;
import io.remora.takeover.TakeoverConfig;
import io.remora.warmupkeys.WarmUpConfig;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A whole model that no file has said is judged, and its flaws are named by paths. */
final class ProxyRulesTest {
    private static final ForwardingMode OFF = ForwardingMode.OFF;
    private static final HeaderPolicy HEADERS =
            new HeaderPolicy(OFF, OFF, OFF, OFF, ForwardingMode.SANITIZE, false, RequestIdMode.OFF, Underscores.PASS);

    private static ListenerConfig listener(String name, Options options) {
        return new ListenerConfig(
                name,
                new Address("127.0.0.1", 0),
                HEADERS,
                new Limits(1, 1, 1, 1, 1, 1, Limits.UNLIMITED),
                new FrontendTimeouts(1, 1, 1, Limits.UNLIMITED),
                PathConfig.DEFAULT,
                List.of(new RouteConfig("r", RouteMatch.EVERYTHING, "app")),
                options);
    }

    private static List<String> flaws(ListenerConfig... listeners) {
        return flaws(null, listeners);
    }

    private static List<String> flaws(@Nullable Map<String, ClusterConfig> clusters, ListenerConfig... listeners) {
        ProxyConfig config = config(clusters == null ? Map.of() : clusters, Options.NONE, listeners);
        FeatureList features = new FeatureList();
        NamedClusters named = new NamedClusters(clusters);
        return ProxyRules.judge(config, named, (listener, path) -> features.judge(listener, named, path)).stream()
                .map(flaw -> flaw.path() + ": " + flaw.message())
                .toList();
    }

    private static ProxyConfig config(
            Map<String, ClusterConfig> clusters, Options options, ListenerConfig... listeners) {
        return new ProxyConfig(
                1,
                EngineKind.NETTY,
                1,
                1,
                LogLevel.INFO,
                Limits.UNLIMITED,
                new AdminConfig(new Address("127.0.0.1", 0), false, null),
                List.of(listeners),
                clusters,
                options);
    }

    private static ListenerConfig plain(String name) {
        return listener(name, Options.NONE);
    }

    @Test
    void listenersWithNamesOfTheirOwnHaveNone() {
        assertThat(flaws()).isEmpty();
        assertThat(flaws(plain("a"), plain("b"))).isEmpty();
    }

    @Test
    void aNameStandsForOneListener() {
        String message = ".name: the name 'a' is used by another listener, expected a different one";
        assertThat(flaws(plain("a"), plain("b"), plain("a"), plain("a")))
                .containsExactly("listeners[2]" + message, "listeners[3]" + message);
    }

    @Test
    void partsOfEachListenerAreJudgedToo() {
        Options identity = Options.NONE.with(ListenerConfig.REQUIRED_IDENTITIES, List.of("spiffe://a/b"));
        assertThat(flaws(plain("a"), listener("b", identity)))
                .singleElement()
                .asString()
                .startsWith("listeners[1].require-identity: an identity requires tls");
    }

    @Test
    void featuresOfAListenerAreJudgedToo() {
        Options grpc = Options.NONE.with(GrpcConfig.GRPC, new GrpcConfig(List.of("/a.B/C")));
        assertThat(flaws(listener("a", grpc)))
                .containsExactly("listeners[0].grpc: grpc requires protocol: http2 or auto");
    }

    private static ClusterConfig cluster(String name, Address endpoint, Options options) {
        return new ClusterConfig(name, List.of(endpoint), 1, 1, 1, 1, 1, 1, 1, options);
    }

    private static ListenerConfig routes(RouteConfig... routes) {
        ListenerConfig plain = plain("a");
        return new ListenerConfig(
                plain.name(),
                plain.address(),
                plain.headers(),
                plain.limits(),
                plain.timeouts(),
                plain.path(),
                List.of(routes),
                plain.options());
    }

    @Test
    void aProxyHeaderNeedsEndpointsOnPorts() {
        Options version = Options.NONE.with(ProxyVersion.VERSION, new ProxyVersion(2));
        Map<String, ClusterConfig> clusters = Map.of("a.b", cluster("a.b", new Address("/run/a", 0), version));
        assertThat(flaws(clusters))
                .containsExactly("clusters[a.b].proxy-protocol: proxy-protocol towards unix:/run/a, expected HOST:PORT"
                        + " endpoints");
        assertThat(flaws(Map.of("a.b", cluster("a.b", new Address("127.0.0.1", 1), version))))
                .isEmpty();
    }

    @Test
    void aDtabNeedsANameToDelegate() {
        PlacedText text = new PlacedText("/s/app => /#/other", 1, 1);
        Options dtab = Options.NONE.with(RouteConfig.DTAB, text);
        RouteConfig route = new RouteConfig("r", RouteMatch.EVERYTHING, "app", null, dtab);
        String flaw = "listeners[0].routes[0].dtab: dtab requires a cluster with dest";
        Address endpoint = new Address("127.0.0.1", 1);
        assertThat(flaws(Map.of("app", cluster("app", endpoint, Options.NONE)), routes(route)))
                .containsExactly(flaw);
        Options dest = Options.NONE.with(ClusterConfig.DEST, text);
        assertThat(flaws(Map.of("app", cluster("app", endpoint, dest)), routes(route)))
                .isEmpty();
    }

    @Test
    void eachClusterOfARouteNeedsANameToDelegate() {
        Options dtab = Options.NONE.with(RouteConfig.DTAB, new PlacedText("/s => /#", 1, 1));
        RouteConfig one = new RouteConfig("r", RouteMatch.EVERYTHING, "app", null, dtab);
        RouteConfig two = new RouteConfig("r", RouteMatch.EVERYTHING, "two", null, dtab);
        RouteConfig both = new RouteConfig(
                "r", RouteMatch.EVERYTHING, "app", null, dtab.with(RouteConfig.CHOICES, List.of(one, two)));
        Address endpoint = new Address("127.0.0.1", 1);
        Options dest = Options.NONE.with(ClusterConfig.DEST, new PlacedText("/s/app", 1, 1));
        Map<String, ClusterConfig> clusters =
                Map.of("app", cluster("app", endpoint, dest), "two", cluster("two", endpoint, Options.NONE));
        assertThat(flaws(clusters, routes(both))).singleElement().asString().startsWith("listeners[0].routes[0].dtab:");
    }

    private static RouteConfig route(String cluster, Options options) {
        return new RouteConfig("r", RouteMatch.EVERYTHING, cluster, null, options);
    }

    private static Map<String, ClusterConfig> clusters() {
        Address endpoint = new Address("127.0.0.1", 1);
        return Map.of(
                "app", cluster("app", endpoint, Options.NONE),
                "raw", cluster("raw", endpoint, Options.NONE.with(ClusterConfig.TCP, true)));
    }

    @Test
    void aClusterThatARouteNamesExists() {
        assertThat(flaws(clusters(), routes(route("ap", Options.NONE))))
                .containsExactly("listeners[0].routes[0].cluster: cluster 'ap' does not exist, did you mean 'app'?");
        assertThat(flaws(Map.of(), routes(route("ap", Options.NONE))))
                .containsExactly(
                        "listeners[0].routes[0].cluster: cluster 'ap' does not exist, expected a key of clusters");
        assertThat(flaws((Map<String, ClusterConfig>) null, routes(route("ap", Options.NONE))))
                .isEmpty();
    }

    @Test
    void aClusterSpeaksTheProtocolOfItsListener() {
        assertThat(flaws(clusters(), routes(route("raw", Options.NONE))))
                .containsExactly("listeners[0].routes[0].cluster: cluster 'raw' has another protocol, expected a"
                        + " cluster without protocol: tcp");
        Options choices =
                Options.NONE.with(RouteConfig.CHOICES, List.of(route("app", Options.NONE), route("raw", Options.NONE)));
        assertThat(flaws(clusters(), routes(route("app", choices))))
                .singleElement()
                .asString()
                .startsWith("listeners[0].routes[0].clusters[1].cluster: cluster 'raw' has another protocol");
    }

    @Test
    void theClusterOfAMirrorIsJudgedLikeThatOfARoute() {
        Options mirror = Options.NONE.with(MirrorConfig.MIRROR, new MirrorConfig("raw", 100, 1, 1, 1));
        assertThat(flaws(clusters(), routes(route("app", mirror))))
                .singleElement()
                .asString()
                .startsWith("listeners[0].routes[0].mirror.cluster: cluster 'raw' has another protocol");
    }

    @Test
    void aHedgeNeedsASecondEndpointAndTime() {
        Options hedge = Options.NONE.with(HedgeConfig.HEDGE, new HedgeConfig(95, 1_000_000_000L));
        RoutePolicy policy = new RoutePolicy(1_000_000_000L, Limits.UNLIMITED);
        RouteConfig route = new RouteConfig("r", RouteMatch.EVERYTHING, "app", policy, hedge);
        assertThat(flaws(clusters(), routes(route)))
                .containsExactlyInAnyOrder(
                        "listeners[0].routes[0].hedge: hedge requires a cluster with more than one endpoint",
                        "listeners[0].routes[0].hedge.min-delay: min-delay must be shorter than the timeouts of"
                                + " the route, expected less than 1s");
    }

    @Test
    void whatStandsAtTheTopIsJudgedToo() {
        WarmUpConfig.Get get = new WarmUpConfig.Get("nobody", "localhost", "/", 1);
        WarmUpConfig warmUp = new WarmUpConfig(1, 5_000_000_000L, List.of(get));
        TakeoverConfig takeover = new TakeoverConfig("/run/a", 5_000_000_000L, 1);
        Options options = Options.NONE.with(WarmUpConfig.WARM_UP, warmUp).with(TakeoverConfig.TAKEOVER, takeover);
        ProxyConfig config = config(Map.of(), options, plain("a"));
        assertThat(new FeatureList()
                        .judge(config, new NamedClusters(Map.of())).stream()
                                .map(flaw -> flaw.path() + ": " + flaw.message()))
                .containsExactly(
                        "warm-up.gets[0].listener: listener is 'nobody', expected one of a",
                        "warm-up: warm-up.timeout is 5s, expected less than takeover.timeout, which is 5s");
    }
}
