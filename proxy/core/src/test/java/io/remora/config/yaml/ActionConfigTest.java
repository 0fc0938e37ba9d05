package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.text.ConfigText;
import io.remora.exchange.RetryConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What routes do beside forwarding, and what of it is refused. */
final class ActionConfigTest {
    private static final String CLUSTERS = """
        clusters:
          app: {endpoints: ["127.0.0.1:8081"], retries: {attempts: 2}}
          next: {endpoints: ["127.0.0.1:8082"]}
          wide: {endpoints: ["127.0.0.1:8085", "127.0.0.1:8086"]}
          raw: {protocol: tcp, endpoints: ["127.0.0.1:8083"]}
          dark: {protocol: tcp, endpoints: ["127.0.0.1:8084"]}
          hosts: {template: {hosts: ['*.a.test']}, resolver: {dns: {name: '{host}', port: 80}}}
        """;
    private static final String SPLIT = "clusters: [{cluster: app, weight: 95}, {cluster: next, weight: 5}]";

    private static String yaml(String route) {
        return "listeners:\n  - {address: 'a:1', routes: [{" + route + "}]}\n" + CLUSTERS;
    }

    private static RouteConfig route(String yaml) throws ConfigException {
        return Yaml.read(yaml(yaml)).listeners().get(0).routes().get(0);
    }

    private static List<String> problems(String yaml) {
        ConfigException thrown = catchThrowableOfType(ConfigException.class, () -> Yaml.read(yaml));
        assertThat(thrown).as(yaml).isNotNull();
        return thrown.problems().stream().map(Object::toString).toList();
    }

    @Test
    void areOffByDefault() throws ConfigException {
        assertThat(route("cluster: app")
                        .options()
                        .without(ClusterConfig.RETRIES)
                        .isEmpty())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "match: {prefix: /a}, cluster: app, rewrite: {prefix: /b/%20}",
                "cluster: app, rewrite: {host: 'b.test:8080'}",
                "cluster: app, rewrite: {prefix: /x, host: '[::1]'}",
                "cluster: app, request-headers: {remove: [X-A], set: {X-B: 'a{{b}} {client}', x-c: '{route}'}, append:"
                        + " {X-D: d}}",
                "cluster: app, response-headers: {remove: [Server], set: {X-Id: '{request-id}'}, append: {Set-D: a=b}}",
                "redirect: {scheme: https}",
                "match: {path: /a}, redirect: {status: 308, host: b.test, port: 8443, prefix: /b}, response-headers:"
                        + " {set: {A: b}}",
                "respond: {}",
                "respond: {status: 503, body: \"a\\nb\", content-type: text/html}, name: down",
                SPLIT,
                SPLIT + ", sticky: client, retries: off",
                SPLIT + ", sticky: {header: X-User}, rewrite: {prefix: /b}",
                SPLIT + ", sticky: {cookie: id}, hedge: off, timeouts: {total: 3s}",
                "clusters: [{cluster: app, weight: 0}, {cluster: next}]",
                "cluster: app, mirror: {cluster: next, percent: 7, body: 1KiB, max-in-flight: 3, timeout: 2s}",
                SPLIT + ", mirror: {cluster: next}",
            })
    void surviveTheirOwnText(String route) throws ConfigException {
        ProxyConfig config = Yaml.read(yaml(route));
        assertThat(config.listeners().get(0).routes().get(0).options().isEmpty())
                .isFalse();
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @Test
    void showNoCredential() throws ConfigException {
        ProxyConfig config = Yaml.read(yaml("cluster: app, request-headers: {set: {Authorization: 'Basic c2VjcmV0'}}"));
        assertThat(ConfigText.render(config)).contains("Authorization: \"***\"").doesNotContain("c2VjcmV0");
    }

    /** Each of several clusters keeps what its own says of retries. */
    @Test
    void inheritFromEachCluster() throws ConfigException {
        List<RouteConfig> routes = route(SPLIT).choices();
        assertThat(routes.get(0).options().get(RetryConfig.RETRIES).attempts()).isEqualTo(2);
        assertThat(routes.get(1).policy()).isNull();
        assertThat(routes.get(1).has(RetryConfig.RETRIES)).isFalse();
        assertThat(routes).extracting(RouteConfig::cluster).containsExactly("app", "next");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cluster: app, rewrite: {} | rewrite requires prefix, host or both",
                "cluster: app, rewrite: {prefix: a} | prefix is 'a', expected a path that begins with '/'",
                "cluster: app, rewrite: {prefix: //a} | prefix '//a' starts like a host name, expected a single '/'",
                "cluster: app, rewrite: {prefix: /a/../b} | prefix '/a/../b' has a dot segment, expected the resolved"
                        + " path",
                "cluster: app, rewrite: {prefix: /a/%2E./b} | prefix '/a/%2E./b' has a dot segment, expected the"
                        + " resolved path",
                "cluster: app, rewrite: {prefix: '/a%2'} | prefix '/a%2' is not a URI path, expected other characters"
                        + " as %XX",
                "cluster: app, rewrite: {prefix: '/a\\b'} | prefix '/a\\b' is not a URI path, expected other"
                        + " characters as %XX",
                "cluster: app, rewrite: {prefix: /} | prefix '/' has no effect, expected another path, or match with"
                        + " prefix or path",
                "cluster: app, rewrite: {host: 'a b'} | host is 'a b', expected a host, or a host with ':' and a port",
                "cluster: app, rewrite: {host: 'u@a'} | host is 'u@a', expected a host, or a host with ':' and a port",
                "cluster: app, rewrite: {host: 'a:0'} | host is 'a:0', expected a host, or a host with ':' and a port",
                "cluster: app, rewrite: {host: 'a:65536'} | host is 'a:65536', expected a host, or a host with ':' and"
                        + " a port",
                "cluster: app, request-headers: {} | request-headers requires set, append or remove",
                "cluster: app, request-headers: {set: {Host: a}} | header 'Host' cannot be changed here, expected"
                        + " rewrite.host",
                "cluster: app, request-headers: {set: {X-Forwarded-For: a}} | header 'X-Forwarded-For' is written by"
                        + " the listener, expected headers of the listener",
                "cluster: app, request-headers: {remove: [Via]} | header 'Via' is written by the sidecar and cannot be"
                        + " changed",
                "cluster: app, request-headers: {set: {A: b}, remove: [a]} | header 'A' is listed twice; names are"
                        + " case-insensitive",
                "cluster: app, request-headers: {set: {A: \"b\\r"
                        + "\\n"
                        + "C: d\"}} | header 'A' is 'b  C: d', expected visible ASCII, with spaces only inside",
                "cluster: app, request-headers: {set: {A: ''}} | header 'A' has 0, expected 1 to 1024 characters",
                "cluster: app, request-headers: {set: {A: '{clint}'}} | header 'A' has no variable 'clint', did you"
                        + " mean 'client'?",
                "cluster: app, request-headers: {set: {A: '{client'}} | header 'A' has a single '{', expected a"
                        + " variable in braces, or '{{'",
                "cluster: app, request-headers: {set: {A: 'a}'}} | header 'A' has a single '}', expected a variable in"
                        + " braces, or '}}'",
                "cluster: app, response-headers: {set: {Date: a}} | header 'Date' is written by the sidecar and cannot"
                        + " be changed",
                "cluster: app, redirect: {scheme: https} | cluster cannot be combined with redirect",
                "rewrite: {prefix: /a}, respond: {} | rewrite cannot be combined with respond",
                "redirect: {scheme: https}, respond: {} | respond cannot be combined with redirect",
                "redirect: {} | redirect leads back to this listener, expected scheme, host, port or prefix",
                "redirect: {scheme: ftp} | scheme is 'ftp', expected http or https",
                "redirect: {host: 'a:80'} | host is 'a:80', expected a host without a port",
                "redirect: {status: 304, scheme: https} | status is '304', expected 301, 302, 303, 307 or 308",
                "redirect: {port: 0} | port is '0', expected 1 to 65535",
                "respond: {status: 204, body: a} | body is not allowed with status 204",
                "respond: {body: \"\\u00e4\"} | body is '\u00e4', expected at most 4096 characters of ASCII",
                "sticky: client, cluster: app | sticky requires clusters",
                "cluster: app, clusters: [{cluster: next}] | cluster cannot be combined with clusters",
                "clusters: [] | clusters is an empty list, expected a list of clusters with their weights",
                "clusters: [{cluster: app, weight: 0}] | the weights of all clusters are 0, expected at least one"
                        + " above 0",
                "clusters: [{cluster: app}, {cluster: app}] | cluster 'app' is listed twice",
                "clusters: [{cluster: app}, {cluster: nxt}] | cluster 'nxt' does not exist, did you mean 'next'?",
                "clusters: [{cluster: app}, {cluster: raw}] | cluster 'raw' has another protocol, expected a cluster"
                        + " without protocol: tcp",
                "clusters: [{cluster: hosts}] | cluster 'hosts' is a template, expected clusters without template",
                "clusters: [{cluster: app}, {cluster: next}], sticky: server | sticky is 'server', expected client, or"
                        + " header or cookie below it",
                "clusters: [{cluster: app}, {cluster: next}], sticky: {} | sticky requires header or cookie",
                "clusters: [{cluster: wide}, {cluster: next}], hedge: {} | hedge requires a cluster with more than one"
                        + " endpoint",
                "cluster: app, mirror: {cluster: nxt} | cluster 'nxt' does not exist, did you mean 'next'?",
                "cluster: app, mirror: {cluster: raw} | cluster 'raw' has another protocol, expected a cluster without"
                        + " protocol: tcp",
                "cluster: app, mirror: {cluster: hosts} | cluster 'hosts' is a template, expected one that is none for"
                        + " copies",
                "cluster: app, mirror: {} | missing cluster, expected the name of a cluster",
                "cluster: app, mirror: {cluster: next, percent: 0} | percent is '0', expected 1 to 100",
                "respond: {}, mirror: {cluster: app} | mirror cannot be combined with respond",
                "cluster: hosts, cluster-from: host, rewrite: {host: a.test} | cluster-from cannot be combined with"
                        + " rewrite.host",
            })
    void areRefused(String route, String problem) {
        String escaped = route.replace("\\u00e4", "\u00e4");
        assertThat(problems(yaml(escaped))).anyMatch(one -> one.endsWith(": " + problem.replace("\\u00e4", "\u00e4")));
    }

    /** RFC 9110 7.6.1 and RFC 9112 6: neither in requests nor in responses. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection",
                "keep-alive",
                "Proxy-Connection",
                "TE",
                "Trailer",
                "Transfer-Encoding",
                "UPGRADE",
                "HTTP2-Settings",
                "Content-Length",
                "Sec-WebSocket-Key",
            })
    void neverTouchTheConnection(String name) {
        String problem = "header '" + name + "' controls the connection or its framing and cannot be changed";
        for (String side : List.of("request-headers", "response-headers")) {
            for (String edit :
                    List.of("set: {" + name + ": a}", "append: {" + name + ": a}", "remove: [" + name + "]")) {
                assertThat(problems(yaml("cluster: app, " + side + ": {" + edit + "}")))
                        .singleElement()
                        .matches(one -> one.endsWith(": " + problem));
            }
        }
    }

    /** What a route says is wrong once, however many clusters it has. */
    @Test
    void tellOfEachProblemOnce() {
        assertThat(problems(yaml(SPLIT + ", timeouts: {total: 1s, try: 2s}"))).hasSize(1);
    }

    @Test
    void haveSoManyClusters() {
        String cluster = "{cluster: app}, ";
        assertThat(problems(yaml("clusters: [" + cluster.repeat(33) + "]")))
                .anyMatch(one -> one.endsWith(": clusters has 33 items, expected at most 32"));
        assertThat(problems(yaml("clusters: [" + cluster.repeat(32) + "]")))
                .noneMatch(one -> one.contains("expected at most 32"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rewrite: {host: a}", "request-headers: {remove: [a]}", "response-headers: {remove: [a]}"})
    void areRefusedForTunnels(String action) {
        String key = action.substring(0, action.indexOf(':'));
        String yaml = yaml("cluster: raw, " + action).replace("'a:1',", "'a:1', protocol: tcp,");
        String problem = key + " is not supported with protocol: tcp";
        assertThat(problems(yaml)).anyMatch(one -> one.endsWith(": " + problem));
    }

    @Test
    void spreadTunnels() throws ConfigException {
        String split = "clusters: [{cluster: raw}, {cluster: dark, weight: 3}], sticky: ";
        ProxyConfig config = Yaml.read(yaml(split + "client").replace("'a:1',", "'a:1', protocol: tcp,"));
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        String byField = yaml(split + "{header: A}").replace("'a:1',", "'a:1', protocol: tcp,");
        assertThat(problems(byField)).anyMatch(one -> one.endsWith(": sticky with protocol: tcp supports client only"));
    }
}
