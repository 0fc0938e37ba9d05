package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.cluster.AccrualConfig;
import io.remora.cluster.BreakerConfig;
import io.remora.cluster.HealthCheckConfig;
import io.remora.cluster.ResilienceConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RoutePolicy;
import io.remora.config.text.ConfigText;
import io.remora.exchange.AdaptiveConfig;
import io.remora.exchange.RetryConfig;
import io.remora.feature.hedge.HedgeConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file may say of failures, and what of it cannot work. */
public final class ResilienceConfigTest {
    /** Every key about failures, none at its default. */
    public static final String FULL = """
        listeners:
          - address: 127.0.0.1:8080
            timeouts: {caller-header: l5d-timeout}
            routes:
              - cluster: app
                match: {path: /a}
                timeouts: {total: 5s, try: 1s}
                retries: {attempts: 5, statuses: [], grpc: [unavailable, resource-exhausted], body: 0B, back-off: 1s}
              - cluster: app
                match: {path: /b}
                retries: off
              - cluster: app
          - address: 127.0.0.1:8082
            cluster: app
        clusters:
          app:
            endpoints: ["127.0.0.1:8081"]
            retries: {attempts: 4, statuses: [500, 429], body: 1KiB, back-off: 10ms}
            accrual:
              consecutive-failures: 7
              success-rate: 80
              requests: 50
              window: 20s
              back-off: 2s
              max-back-off: 1m
              max-ejected: 40
            panic-below: 30
            breakers: {connections: 1, pending: 2, in-flight: 3, retries: 4}
            health-check:
              path: /live
              host: app.test
              interval: 5s
              timeout: 2s
              unhealthy-threshold: 4
              healthy-threshold: 5
          other:
            endpoints: ["127.0.0.1:8083"]
            health-check: {}
        """;

    private static final long S = 1_000_000_000L;

    @Test
    void readsEveryKey() throws ConfigException {
        ProxyConfig config = Yaml.read(FULL);

        RetryConfig cluster = new RetryConfig(4, List.of(500, 429), List.of(), 1 << 10, 10_000_000L);
        RetryConfig own =
                new RetryConfig(5, List.of(), List.of("unavailable", "resource-exhausted"), 0, 1_000_000_000L);
        RoutePolicy untimed = new RoutePolicy(Limits.UNLIMITED, Limits.UNLIMITED);
        ListenerConfig first = config.listeners().get(0);
        assertThat(first.timeouts().callerHeader()).isEqualTo("l5d-timeout");
        assertThat(first.routes())
                .extracting(RouteConfig::policy)
                .containsExactly(new RoutePolicy(5_000_000_000L, 1_000_000_000L), null, untimed);
        assertThat(first.routes())
                .extracting(route -> route.options().get(RetryConfig.RETRIES))
                .containsExactly(own, null, cluster);
        assertThat(config.listeners().get(1).routes())
                .extracting(RouteConfig::policy)
                .containsExactly(untimed);
        assertThat(config.listeners().get(1).routes().get(0).options().get(RetryConfig.RETRIES))
                .isEqualTo(cluster);
        assertThat(config.clusters().get("app").options().get(RetryConfig.RETRIES))
                .isEqualTo(cluster);
        assertThat(ResilienceConfig.of(config.clusters().get("app")))
                .isEqualTo(new ResilienceConfig(
                        30,
                        new AccrualConfig(7, 80, 50, 20 * S, 2 * S, 60 * S, 40),
                        new BreakerConfig(1, 2, 3, 4),
                        new HealthCheckConfig("/live", null, "app.test", 5 * S, 2 * S, 4, 5)));
    }

    /** Off is for streams of which something else watches both sides. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                                   |                             | clients",
                "timeouts: {tcp-keep-alive: true}   |                             | endpoints",
                "                                   | timeouts: {tcp-keep-alive: true} | clients",
                "'protocol: auto, http2: {keep-alive: 1s}' | timeouts: {tcp-keep-alive: true} | clients",
                "protocol: http2                    | timeouts: {tcp-keep-alive: true} | clients",
                "'protocol: http2, http2: {keep-alive: 1s}' | protocol: http2     | endpoints",
                "'protocol: http2, http2: {keep-alive: 1s}' | 'protocol: client, http2: {keep-alive: 1s}' | endpoints",
                "'protocol: http2, http2: {keep-alive: 1s}' | 'protocol: http2, http2: {keep-alive: 1s}' |",
                "timeouts: {tcp-keep-alive: true}   | timeouts: {tcp-keep-alive: true} |",
            })
    void streamsMayRestWhereBothSidesAreWatched(String listener, String cluster, String unwatched) {
        String yaml = "listeners:\n  - address: \"127.0.0.1:0\"\n    routes:\n"
                + "      - {cluster: app, timeouts: {stream-idle: off}}\n    "
                + (listener == null ? "" : listener.replace(", http2", "\n    http2"))
                + "\nclusters:\n  app: {endpoints: [\"a:1\"]"
                + (cluster == null ? "" : ", " + cluster) + "}\n";
        List<String> problems = Yaml.problems(yaml);
        if (unwatched == null) {
            assertThat(problems).isEmpty();
        } else {
            assertThat(problems)
                    .anyMatch(problem -> problem.contains("4:48: stream-idle: off requires a check of the " + unwatched
                            + ", expected timeouts.tcp-keep-alive"));
        }
    }

    @Test
    void aStreamMayRestForItsRoutesTime() throws ConfigException {
        ProxyConfig config = Yaml.read("listeners:\n  - address: \"127.0.0.1:0\"\n    routes:\n"
                + "      - {cluster: app, timeouts: {stream-idle: 2m}}\nclusters:\n  app: {endpoints: [\"a:1\"]}\n");
        assertThat(config.listeners().get(0).routes().get(0).policy().streamIdleNs())
                .isEqualTo(120 * S);
    }

    @Test
    void allIsOffByDefault() throws ConfigException {
        ProxyConfig config = Yaml.read(Yaml.MINIMAL);

        assertThat(ResilienceConfig.of(config.clusters().get("app"))).isNull();
        assertThat(config.listeners().get(0).routes().get(0).policy()).isNull();
        assertThat(config.listeners().get(0).timeouts().callerHeader()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "retries: {attempts: 1}        | 7:25: attempts is '1', expected 2 to 10",
                "retries: {body: 65KiB}        | 7:21: body is '65KiB', expected 0B to 64KiB",
                "retries: {statuses: 503}      | 7:25: statuses is '503', expected a list, or [] for none",
                "retries: {statuses: [200]}    | 7:26: status is '200', expected 400 to 599",
                "retries: {statuses: [503, 503]} | 7:31: status '503' is listed twice",
                "retries: {grpc: unavailable}  | 7:21: grpc is 'unavailable', expected a list, or [] for none",
                "retries: {grpc: [unavailible]} | 7:22: status 'unavailible' is not a gRPC status, did you mean"
                        + " 'unavailable'?",
                "retries: {grpc: [internal, internal]} | 7:32: status 'internal' is listed twice",
                "health-check: {grpc: a.B}     | 7:26: grpc requires protocol: http2 in the cluster",
                "accrual: {consecutive-failures: 0} | 7:14: accrual requires consecutive-failures or success-rate"
                        + " above 0",
                "accrual: {back-off: 10m}      | 7:25: back-off is greater than max-back-off, expected 5m or less",
                "accrual: {max-ejected: 0}     | 7:28: max-ejected is '0', expected 1 to 100",
                "health-check: {timeout: 10s}  | 7:29: timeout must be shorter than interval, expected less than 10s",
                "health-check: {host: a}       | 7:26: host requires path",
                "health-check: {path: live}    | 7:26: path is 'live', expected a path that begins with '/'",
                "breakers: {connection: 1}     | 7:16: unknown key 'connection', did you mean 'connections'?",
                "panic-below: 101              | 7:18: panic-below is '101', expected 0 to 100",
                "retries: on                   | 7:14: retries is 'on', expected a mapping, or off",
            })
    void tellsWhatIsWrongWithACluster(String line, String problem) {
        assertThat(Yaml.problems(Yaml.MINIMAL + "    " + line.strip())).containsExactly(problem.strip());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "timeouts: {total: 1s, try: 2s} | 3:67: try is '2s', expected less than the total of 1s",
                "timeouts: {total: 1s, try: 1s} | 3:67: try is '1s', expected less than the total of 1s",
                "timeouts: {each: 1s}           | 3:51: unknown key 'each', expected one of total, try, stream-idle",
                "retries: {attempts: 11}        | 3:60: attempts is '11', expected 2 to 10",
                "hedge: {}                      | 3:47: hedge requires a cluster with more than one endpoint",
            })
    void tellsWhatIsWrongWithARoute(String keys, String problem) {
        String yaml = Yaml.MINIMAL.replace(
                "    cluster: app\n", "    routes: [{cluster: app, match: {}, " + keys.strip() + "}]\n");
        assertThat(Yaml.problems(yaml)).containsExactly(problem.strip());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hedge: {percentile: 100}       | 3:60: percentile is '100', expected 50 to 99",
                "hedge: {max: 2}                | 3:48: unknown key 'max', expected one of percentile, min-delay",
                "hedge: {min-delay: 1s}, timeouts: {try: 1s} | 3:59: min-delay must be shorter than the timeouts of"
                        + " the route, expected less than 1s",
                "hedge: on                      | 3:47: hedge is 'on', expected a mapping, or off",
            })
    void tellsWhatIsWrongWithAHedge(String keys, String problem) {
        String yaml = Yaml.MINIMAL
                .replace("8081\"]", "8081\", \"127.0.0.1:8082\"]")
                .replace("    cluster: app\n", "    routes: [{cluster: app, match: {}, " + keys.strip() + "}]\n");
        assertThat(Yaml.problems(yaml)).containsExactly(problem.strip());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{min: 5, max: 4}   | 3:33: min is 5, expected at most the max of 4",
                "{max: 1001}        | 3:33: max is '1001', expected 1 to 1000",
                "{tolerance: 5}     | 3:39: tolerance is '5', expected 10 to 1000",
                "{floor: 5}         | 3:28: unknown key 'floor', expected one of min, max, tolerance",
                "on                 | 3:27: adaptive is 'on', expected a mapping, or off",
            })
    void tellsWhatIsWrongWithAnAdmission(String keys, String problem) {
        String yaml = Yaml.MINIMAL.replace(
                "    cluster: app\n", "    admission: {adaptive: " + keys.strip() + "}\n    cluster: app\n");
        assertThat(Yaml.problems(yaml)).containsExactly(problem.strip());
    }

    @Test
    void readsAdmissionAndHedges() throws ConfigException {
        ProxyConfig config = Yaml.read("""
            listeners:
              - address: 127.0.0.1:8080
                limits: {in-flight: 300}
                admission: {adaptive: {min: 20, tolerance: 50}}
                routes: [{cluster: app, hedge: {percentile: 99, min-delay: 2ms}, retries: off}]
              - address: 127.0.0.1:8081
                admission: {adaptive: off}
                routes: [{cluster: app, hedge: off}]
            clusters:
              app: {endpoints: ["127.0.0.1:1", "127.0.0.1:2"]}
            """);

        ListenerConfig first = config.listeners().get(0);
        assertThat(first.options().get(AdaptiveConfig.ADAPTIVE)).isEqualTo(new AdaptiveConfig(20, 300, 50));
        assertThat(first.routes().get(0).policy()).isNull();
        assertThat(first.routes().get(0).options().get(HedgeConfig.HEDGE)).isEqualTo(new HedgeConfig(99, 2_000_000L));
        assertThat(config.listeners().get(1).options().get(AdaptiveConfig.ADAPTIVE))
                .isNull();
        RouteConfig off = config.listeners().get(1).routes().get(0);
        assertThat(off.policy()).isNull();
        assertThat(off.options().has(HedgeConfig.HEDGE)).isFalse();
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    /** A dtab where a cluster has no name is that cluster's flaw, and silences no flaw of another one. */
    @Test
    void aFlawOfOneClusterLeavesTheOthersJudged() {
        String routes = "    routes: [{clusters: [{cluster: two}, {cluster: one}], dtab: /s => /#/two, hedge: {}}]\n";
        String yaml = Yaml.MINIMAL.replace("    cluster: app\n", routes)
                + "  two: {endpoints: [127.0.0.1:1, 127.0.0.1:2]}\n  one: {endpoints: [127.0.0.1:1]}\n";
        assertThat(Yaml.problems(yaml))
                .anyMatch(problem -> problem.contains("dtab requires a cluster with dest"))
                .anyMatch(problem -> problem.contains("hedge requires a cluster"));
    }

    /** A flaw of the route itself is reported once, however many clusters have one endpoint. */
    @Test
    void judgesAHedgeByEachClusterOfARoute() {
        String routes = "    routes: [{clusters: [{cluster: two}, {cluster: app}, {cluster: one}], hedge: {}}]\n";
        String yaml = Yaml.MINIMAL.replace("    cluster: app\n", routes)
                + "  two: {endpoints: [127.0.0.1:1, 127.0.0.1:2]}\n  one: {endpoints: [127.0.0.1:1]}\n";
        assertThat(Yaml.problems(yaml)).containsExactly("3:82: hedge requires a cluster with more than one endpoint");
    }

    @ParameterizedTest
    @CsvSource({"Content-Length", "host", "max-forwards"})
    void takesNoFieldForADeadlineThatMeansSomethingElse(String field) {
        String yaml = Yaml.MINIMAL.replace("    cluster", "    timeouts: {caller-header: " + field + "}\n    cluster");
        assertThat(Yaml.problems(yaml))
                .singleElement()
                .asString()
                .startsWith("3:31: caller-header is '" + field + "', expected");
    }
}
