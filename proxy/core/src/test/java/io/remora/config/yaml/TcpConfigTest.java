package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.ListenerTls;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Listeners and clusters with {@code protocol: tcp}, and what is refused there. */
final class TcpConfigTest {
    private static final String CLUSTERS = """
        clusters:
          app:
            protocol: tcp
            endpoints: ["127.0.0.1:5432"]
            CLUSTER
          web:
            endpoints: ["127.0.0.1:8081"]
        """;

    private static String yaml(String listener, String cluster) {
        String text = "listeners:\n  - {address: 'a:1', protocol: tcp, " + listener + "}\n" + CLUSTERS;
        return text.replace("CLUSTER", cluster);
    }

    private static String yaml(String listener) {
        return yaml(listener, "");
    }

    @Test
    void isOffByDefault() throws ConfigException {
        ProxyConfig config = Yaml.read(Yaml.MINIMAL);
        assertThat(config.listeners().get(0).tcp()).isFalse();
        assertThat(config.clusters().get("app").tcp()).isFalse();
    }

    @Test
    void hasNoEndOfAgeAndOffersNoProtocol() throws ConfigException {
        String tls = "tls: {certificates: [{chain: a, key: b}], client-certificates: required, trust: c}";
        ProxyConfig config = Yaml.read(yaml("cluster: app, " + tls, "tls: {server-name: a.test}"));
        ListenerConfig listener = config.listeners().get(0);
        assertThat(listener.tcp()).isTrue();
        assertThat(listener.timeouts().maxAgeNs()).isEqualTo(Limits.UNLIMITED);
        assertThat(listener.options().get(ListenerTls.TLS).protocols().alpn()).isEmpty();
        ClusterConfig cluster = config.clusters().get("app");
        assertThat(cluster.tcp()).isTrue();
        assertThat(cluster.maxAgeNs()).isEqualTo(Limits.UNLIMITED);
        assertThat(cluster.options().get(ClusterTls.TLS).protocols().alpn()).isEmpty();
    }

    @Test
    void survivesItsOwnText() throws ConfigException {
        String tls = "tls: {certificates: [{chain: a, key: b}], client-certificates: required, trust: c}";
        List<String> all = List.of(
                yaml("cluster: app"),
                yaml("cluster: app, limits: {connections: 7, buffer: 1KiB, in-flight: 8}, timeouts: {idle: 1h}"),
                yaml("cluster: app, require-identity: ['spiffe://a/b'], " + tls, "tls: {server-name: a.test}"),
                yaml("routes: [{match: {identity: 'spiffe://a/*'}, cluster: app}, {cluster: app}], " + tls),
                yaml("routes: [{match: {sni: '*.A.test'}, cluster: app}, {match: {}, cluster: app}]"),
                yaml("cluster: app, proxy-protocol: {from: [10.0.0.0/8]}"),
                yaml("cluster: app", "health-check: {}\n    accrual: {}\n    breakers: {}\n    max-connections: 5"),
                yaml("cluster: app", "balancer: {kind: maglev, hash: client}\n    timeouts: {connect: 3s}"));
        for (String yaml : all) {
            ProxyConfig config = Yaml.read(yaml);
            assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        }
    }

    @Test
    void aRouteIsForAName() throws ConfigException {
        ProxyConfig config = Yaml.read(yaml("routes: [{match: {sni: '*.A.test'}, cluster: app}]"));
        assertThat(config.listeners().get(0).routes().get(0).match().host()).isEqualTo("*.a.test");
        assertThat(Yaml.read(yaml("routes: [{match: {sni: One.test.}, cluster: app}]"))
                        .listeners()
                        .get(0)
                        .routes()
                        .get(0)
                        .match()
                        .host())
                .isEqualTo("one.test");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cluster: app, headers: {} | headers",
                "cluster: app, underscores-in-headers: pass | underscores-in-headers",
                "cluster: app, admission: {adaptive: {}} | admission",
                "cluster: app, trust: {hops: 1} | trust",
                "cluster: app, trust: {hops: 1}, request-dtab: {allow: [/a]} | request-dtab",
                "cluster: app, announce: {names: [a]} | announce",
                "cluster: app, limits: {request-line: 1KiB} | request-line",
                "cluster: app, limits: {header-block: 1KiB} | header-block",
                "cluster: app, limits: {header-fields: 7} | header-fields",
                "cluster: app, limits: {body: 1KiB} | body",
                "cluster: app, timeouts: {max-connection-age: 1h} | max-connection-age",
                "cluster: app, timeouts: {caller-header: l5d-timeout} | caller-header",
                "routes: [{match: {host: a.test}, cluster: app}] | host",
                "routes: [{match: {path: /a}, cluster: app}] | path",
                "routes: [{match: {prefix: /a}, cluster: app}] | prefix",
                "routes: [{match: {method: GET}, cluster: app}] | method",
                "routes: [{match: {headers: {a: b}}, cluster: app}] | headers",
                "routes: [{cluster: app, retries: {}}] | retries",
                "routes: [{cluster: app, timeouts: {total: 1s}}] | total",
                "routes: [{cluster: app, timeouts: {try: 1s}}] | try",
            })
    void refusesWhatIsAboutHttp(String listener, String key) {
        String problem = key + " is not supported with protocol: tcp";
        assertThat(problems(yaml(listener))).anyMatch(one -> one.matches("\\S+:2:\\d+: \\Q" + problem + "\\E"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-idle-connections: 5 | max-idle-connections is not supported with protocol: tcp",
                "retries: {} | retries is not supported with protocol: tcp",
                "limits: {header-block: 1KiB} | header-block is not supported with protocol: tcp",
                "timeouts: {idle: 1s} | idle is not supported with protocol: tcp",
                "timeouts: {response-header: 1s} | response-header is not supported with protocol: tcp",
                "timeouts: {max-connection-age: 1h} | max-connection-age is not supported with protocol: tcp",
                "health-check: {path: /a} | path is not supported with protocol: tcp",
                "balancer: peak-ewma | this balancer is not supported with protocol: tcp, expected a kind without"
                        + " latencies, or maglev with hash: client",
                "balancer: {kind: maglev, hash: path} | this balancer is not supported with protocol: tcp, expected a"
                        + " kind without latencies, or maglev with hash: client",
            })
    void refusesOfAClusterWhatIsAboutHttp(String cluster, String problem) {
        assertThat(problems(yaml("cluster: app", cluster)))
                .anyMatch(one -> one.matches("\\S+:\\d+:\\d+: \\Q" + problem + "\\E"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cluster: web | cluster 'web' has another protocol, expected a cluster with protocol: tcp",
                "routes: [{match: {sni: 10.0.0.1}, cluster: app}] | sni is '10.0.0.1', expected a name, or '*.' and a"
                        + " suffix",
                "routes: [{match: {sni: 'a b'}, cluster: app}] | host is 'a b', expected a host without a port, or"
                        + " '*.' and a suffix",
                "routes: [{match: {sni: a}, cluster: app}], tls: {certificates: [{chain: a, key: b}]} "
                        + "| match.sni cannot be combined with tls of the listener",
                "cluster: app, tls: {certificates: [{chain: a, key: b}], mode: permissive} "
                        + "| mode: permissive is not supported with protocol: tcp, expected strict",
            })
    void tellsWhatDoesNotFit(String listener, String problem) {
        assertThat(problems(yaml(listener))).anyMatch(one -> one.endsWith(": " + problem));
    }

    @Test
    void httpKeepsToItself() {
        String other = Yaml.MINIMAL + "    protocol: tcp\n";
        assertThat(problems(other))
                .anyMatch(one ->
                        one.endsWith("cluster 'app' has another protocol, expected a cluster without protocol: tcp"));
        String named = Yaml.MINIMAL.replace("cluster: app", "routes: [{match: {sni: a}, cluster: app}]");
        assertThat(problems(named)).anyMatch(one -> one.endsWith("sni requires protocol: tcp; use host for HTTP"));
        String unknown = Yaml.MINIMAL.replace("cluster: app", "protocol: udp\n    cluster: app");
        assertThat(problems(unknown))
                .anyMatch(one -> one.endsWith("protocol is 'udp', expected http1, http2, auto, tcp or detect"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http2 | tcp | 2:31: cluster 'app' has another protocol, expected a cluster without protocol: tcp",
                "auto | tcp | 2:31: cluster 'app' has another protocol, expected a cluster without protocol: tcp",
                "tcp | http2 | 2:31: cluster 'app' has another protocol, expected a cluster with protocol: tcp",
                "'tcp, http2: {}' | tcp | 3:28: http2 is not supported with protocol: tcp",
                "tcp | 'tcp, http2: {}' | 5:51: http2 is not supported with protocol: tcp",
            })
    void keepsApartFromHttp2(String listener, String cluster, String problem) {
        String yaml = """
            listeners:
              - {address: 'a:1', cluster: app,
                 protocol: LISTENER}
            clusters:
              app: {endpoints: ['b:1'], protocol: CLUSTER}
            """;
        assertThat(problems(yaml.replace("LISTENER", listener).replace("CLUSTER", cluster)))
                .containsExactly("f.yaml:" + problem);
    }

    private static List<String> problems(String yaml) {
        List<String> found = new java.util.ArrayList<>();
        assertThatThrownBy(() -> Yaml.read(yaml)).isInstanceOfSatisfying(ConfigException.class, e -> e.problems()
                .forEach(problem -> found.add(problem.toString())));
        return found;
    }
}
