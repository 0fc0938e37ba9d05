package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.cluster.BalancerConfig;
import io.remora.cluster.BalancerConfig.Hash;
import io.remora.cluster.BalancerConfig.Kind;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.EndpointConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The {@code balancer} of clusters, and endpoints that are more than an address. */
final class BalancerConfigTest {
    private static final String ENDPOINTS = "    endpoints: [\"127.0.0.1:8081\"]\n";

    private static String yaml(String balancer) {
        return Yaml.MINIMAL + "    balancer: " + balancer + "\n";
    }

    private static String endpoints(String list) {
        return Yaml.MINIMAL.replace(ENDPOINTS, "    endpoints: " + list + "\n");
    }

    private static ClusterConfig cluster(String yaml) throws ConfigException {
        ProxyConfig config = Yaml.read(yaml);
        assertThat(Yaml.read(ConfigText.render(config)))
                .as("as /config shows it")
                .isEqualTo(config);
        return config.clusters().get("app");
    }

    @Test
    void isTheDefaultWhereNobodySays() throws ConfigException {
        assertThat(BalancerConfig.of(cluster(Yaml.MINIMAL))).isNull();
        assertThat(BalancerConfig.of(cluster(yaml("least-loaded")))).isNull();
        assertThat(ConfigText.render(Yaml.read(Yaml.MINIMAL))).contains("    balancer: least-loaded\n");
    }

    @ParameterizedTest
    @CsvSource({"peak-ewma,PEAK_EWMA", "round-robin,ROUND_ROBIN", "aperture,APERTURE", "{kind: round-robin},ROUND_ROBIN"
    })
    void readsAKind(String balancer, Kind kind) throws ConfigException {
        assertThat(BalancerConfig.of(cluster(yaml(balancer)))).isEqualTo(defaults(kind));
    }

    private static BalancerConfig defaults(Kind kind) {
        return new BalancerConfig(
                kind,
                Limits.UNLIMITED,
                10_000_000_000L,
                Hash.NONE,
                null,
                125,
                new BalancerConfig.Window(12, 0, 0, ""),
                new BalancerConfig.Zones("", 0, 70));
    }

    @Test
    void readsEveryKey() throws ConfigException {
        assertThat(BalancerConfig.of(cluster(yaml("{slow-start: 30s, zone: eu-1/a, zone-load: 8, spill-below: 50}"))))
                .isEqualTo(new BalancerConfig(
                        Kind.LEAST_LOADED,
                        30_000_000_000L,
                        10_000_000_000L,
                        Hash.NONE,
                        null,
                        125,
                        new BalancerConfig.Window(12, 0, 0, ""),
                        new BalancerConfig.Zones("eu-1/a", 8, 50)));
        BalancerConfig ewma = BalancerConfig.of(cluster(yaml("{kind: peak-ewma, decay: 5s}")));
        assertThat(ewma).isNotNull();
        assertThat(ewma.decayNs()).isEqualTo(5_000_000_000L);
        BalancerConfig aperture = BalancerConfig.of(cluster(yaml("{kind: aperture, size: 5, peers: 9, position: 8}")));
        assertThat(aperture).isNotNull();
        assertThat(aperture.window().size()).isEqualTo(5);
        assertThat(aperture.window().peers()).isEqualTo(9);
        assertThat(aperture.window().position()).isEqualTo(8);
        BalancerConfig named = BalancerConfig.of(cluster(yaml("{kind: aperture, name: pod-1}")));
        assertThat(named).isNotNull();
        assertThat(named.window().name()).isEqualTo("pod-1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "path|PATH|none",
                "client|CLIENT|none",
                "{header: X-User}|HEADER|X-User",
                "{cookie: session}|COOKIE|session"
            })
    void readsAHash(String hash, Hash of, String name) throws ConfigException {
        BalancerConfig balancer =
                BalancerConfig.of(cluster(yaml("{kind: maglev, hash: " + hash + ", load-bound: off}")));
        assertThat(balancer).isNotNull();
        assertThat(balancer.hash()).isEqualTo(of);
        assertThat(balancer.hashName()).isEqualTo(name);
        assertThat(balancer.loadBound()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fastest|7:15: balancer is 'fastest', expected one of least-loaded, peak-ewma, round-robin, aperture,"
                        + " maglev",
                "roundrobin|7:15: balancer is 'roundrobin', did you mean 'round-robin'?",
                "[]|7:15: balancer is a list, expected a mapping",
                "{kind: rond-robin}|7:22: kind is 'rond-robin', did you mean 'round-robin'?",
                "{kind: {}}|7:22: kind is a mapping, expected text",
                "maglev|7:15: missing hash, expected path, client, or a mapping with header or cookie",
                "{kind: maglev}|7:15: missing hash, expected path, client, or a mapping with header or cookie",
                "{kind: maglev, hash: {}}|7:36: hash requires header or cookie",
                "{kind: maglev, hash: []}|7:36: hash is a list, expected a mapping",
                "{kind: maglev, hash: query}|7:36: hash is 'query', expected path, client, or a mapping with header or"
                        + " cookie",
                "{kind: maglev, hash: {heder: a}}|7:36: hash requires header or cookie;"
                        + "7:37: unknown key 'heder', did you mean 'header'?",
                "{kind: maglev, hash: {header: a, cookie: b}}|7:56: cookie cannot be combined with header",
                "{kind: maglev, hash: {header: 'a b'}}|7:45: header is 'a b', expected a token of letters, digits and"
                        + " !#$%&'*+-.^_`¦~",
                "{kind: maglev, hash: path, load-bound: 100}|7:54: load-bound is '100', expected 101 to 1000",
                "{hash: path}|7:22: hash is not supported with kind least-loaded, expected maglev",
                "{kind: round-robin, decay: 1s}|7:42: decay is not supported with kind round-robin, expected peak-ewma",
                "{kind: peak-ewma, size: 1}|7:39: size is not supported with kind peak-ewma, expected aperture",
                "{kind: aperture, peers: 3}|7:15: missing position, expected 0 to 2, different for each of the peers",
                "{kind: aperture, peers: 3, position: 3}|7:52: position is '3', expected 0 to 2",
                "{kind: aperture, position: 3}|7:42: position requires peers",
                "{kind: aperture, peers: 3, position: 1, name: a}|7:61: name cannot be combined with peers",
                "{zone-load: 3}|7:27: zone-load requires zone",
                "{zone: 'a b'}|7:22: zone is 'a b', expected 1 to 64 letters, digits, '.', '_', '-' or '/'",
                "{spill-below: 101}|7:29: spill-below is '101', expected 1 to 100",
                "{slow-start: 3}|7:28: slow-start is '3' without a unit, expected a duration such as 250ms, 10s, 5m or"
                        + " 1h, or off",
                "{weights: 3}|7:16: unknown key 'weights', expected one of kind, decay, hash, load-bound, size, peers, "
                        + "position, name, slow-start, zone, zone-load, spill-below"
            })
    void tellsWhatIsWrong(String balancer, String problems) {
        assertThat(Yaml.problems(yaml(balancer)))
                .isEqualTo(List.of(problems.replace('¦', '|').split(";")));
    }

    // ---- endpoints

    @Test
    void readsEndpointsThatAreMore() throws ConfigException {
        ClusterConfig cluster = cluster(endpoints(
                "[\"a:1\", {address: \"b:2\", weight: 3, zone: eu-1a, priority: 7}, {address: \"c:3\", weight: 0}]"));
        assertThat(cluster.endpoints()).containsExactly(new Address("a", 1), new Address("b", 2), new Address("c", 3));
        assertThat(cluster.details())
                .containsExactly(EndpointConfig.PLAIN, new EndpointConfig(3, "eu-1a", 7), new EndpointConfig(0, "", 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"a:1\", \"b:2\"]", "[\"a:1\"]"})
    void saysNothingMoreOfAddresses(String list) throws ConfigException {
        assertThat(cluster(endpoints(list)).details()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{address: 'a:1', weight: 0}, {address: 'b:1', weight: 0}]"
                        + "|6:17: the weights of all endpoints are 0, expected at least one above 0",
                "[{weight: 1}]|6:17: missing address, expected HOST:PORT or [IPV6]:PORT",
                "[{address: a}]|6:27: endpoint is 'a', expected HOST:PORT or [IPV6]:PORT",
                "[{address: 'a:1', weigth: 1}]|6:34: unknown key 'weigth', did you mean 'weight'?",
                "[{address: 'a:1', weight: -1}]|6:42: weight is '-1', expected a whole number",
                "[{address: 'a:1', weight: 65536}]|6:42: weight is '65536', expected 0 to 65535",
                "[{address: 'a:1', priority: x}]|6:44: priority is 'x', expected a whole number",
                "[{address: 'a:1', zone: []}]|6:40: zone is a list, expected 1 to 64 letters, digits, '.', '_', '-' or"
                        + " '/'",
                "['a:1', {address: 'A:1'}]|6:34: endpoint 'A:1' is listed twice"
            })
    void tellsWhatIsWrongWithAnEndpoint(String list, String problem) {
        assertThat(Yaml.problems(endpoints(list))).containsExactly(problem);
    }
}
