package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.PlacedText;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.rules.NettyRefusals;
import io.remora.config.text.ConfigText;
import io.remora.finaglekeys.AnnounceConfig;
import io.remora.finaglekeys.RequestDtabConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The keys by which Finagle's engine names clusters. */
final class NameConfigTest {
    private static final String NAMED = """
        finagle: {dtab: "/s => /#"}
        listeners:
          - name: in
            address: 127.0.0.1:1
            routes:
              - {match: {prefix: /new}, cluster: app, dtab: "/s/app => /#/canary"}
              - {cluster: app}
        clusters:
          app: {dest: /s/app}
          canary: {endpoints: ["127.0.0.1:2"]}
        """;

    @Test
    void readsThem() throws ConfigException {
        ProxyConfig config = Yaml.read(NAMED);
        ClusterConfig app = config.clusters().get("app");
        assertThat(app.dest()).hasToString("/s/app");
        assertThat(app.endpoints()).isEmpty();
        assertThat(config.clusters().get("canary").dest()).isNull();
        List<RouteConfig> routes = config.listeners().get(0).routes();
        assertThat(routes.get(0).dtab()).hasToString("/s/app => /#/canary");
        assertThat(routes.get(1).dtab()).isNull();
    }

    @Test
    void writesThemAsTheyWereRead() throws ConfigException {
        ProxyConfig config = Yaml.read(NAMED);
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{dest: /s/app, endpoints: ['a:1']} | 9:15: dest cannot be combined with endpoints",
                "{dest: /s/app, resolver: {file: a}} | 9:15: dest cannot be combined with resolver",
                "{dest: [a]} | 9:15: dest is a list, expected text",
            })
    void saysWhatIsWrongWithANamedCluster(String cluster, String problem) {
        assertThatThrownBy(() -> Yaml.read(NAMED.replace("{dest: /s/app}", cluster)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void aDtabNeedsANameToDelegate() {
        assertThatThrownBy(() -> Yaml.read(NAMED.replace("cluster: app, dtab", "cluster: canary, dtab")))
                .hasMessageContaining("6:56: dtab requires a cluster with dest");
    }

    @Test
    void aRequestsDtabNeedsWhoIsBelieved() throws ConfigException {
        String asked = "    request-dtab: {allow: [/#/canary, /s]}\n    routes:";
        String believed = "    trust: {cidrs: [10.0.0.0/8]}\n";
        ProxyConfig config = Yaml.read(NAMED.replace("    routes:", believed + asked));
        assertThat(RequestDtabConfig.of(config.listeners().get(0)).allowed()).containsExactly("/#/canary", "/s");
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        assertThat(NettyRefusals.of("a.yaml", config)).anySatisfy(problem -> assertThat(problem)
                .hasToString("a.yaml:6:19: engine netty: listeners.in.request-dtab is not supported, "
                        + "it has no such names"));
        assertThatThrownBy(() -> Yaml.read(NAMED.replace("    routes:", asked)))
                .hasMessageContaining("5:19: request-dtab requires trust");
        assertThatThrownBy(() -> Yaml.read(NAMED.replace("    routes:", asked.replace("[/#/canary, /s]", "[]"))))
                .hasMessageContaining("allow is an empty list, expected a list of at least one name");
    }

    @Test
    void aListenerIsAnnouncedWhereOthersReachIt() throws ConfigException {
        String announced = "    announce: {names: [\"zk!a:2181!/app!0\"]ADDRESS}\n    routes:";
        ProxyConfig config = Yaml.read(NAMED.replace("    routes:", announced.replace("ADDRESS", "")));
        assertThat(AnnounceConfig.of(config.listeners().get(0)))
                .isEqualTo(new AnnounceConfig(
                        List.of(new PlacedText("zk!a:2181!/app!0", 1, 1)), new Address("127.0.0.1", 1)));
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        assertThat(NettyRefusals.of("a.yaml", config)).anySatisfy(problem -> assertThat(problem)
                .hasToString(
                        "a.yaml:5:24: engine netty: listeners.in.announce is not supported, it announces nothing"));
        String own = announced.replace("ADDRESS", ", address: \"10.1.2.3:0\"");
        ListenerConfig elsewhere =
                Yaml.read(NAMED.replace("    routes:", own)).listeners().get(0);
        assertThat(AnnounceConfig.of(elsewhere).address()).isEqualTo(new Address("10.1.2.3", 0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "127.0.0.1:1 | {address: '10.0.0.1:1'} | 5:15: missing names, expected a list of at least one name",
                "0.0.0.0:1   | {names: [a]} | 5:15: announce with the address 0.0.0.0:1, expected an address that"
                        + " others can reach",
                "'\"[::]:1\"'  | {names: [a]} | 5:15: announce with the address [::]:1, expected an address that"
                        + " others can reach",
                "127.0.0.1:1 | {names: [a], address: '0.0.0.0:1'} | 5:37: announce with the address 0.0.0.0:1,"
                        + " expected",
                "'\"[0:0::0]:1\"' | {names: [a]} | 5:15: announce with the address [0:0::0]:1, expected an address"
                        + " that others",
                "127.0.0.1:1 | {names: [a], address: '[fe80::1%eth0]:1'} | 5:37: announce with the address"
                        + " [fe80::1%eth0]:1",
                "127.0.0.1:1 | {names: []} | 5:23: names is an empty list, expected a list of at least one name",
                "127.0.0.1:1 | {names: [a], address: '10.0.0.1'} | 5:37: announce.address is",
            })
    void saysWhatIsWrongWithAnAnnouncement(String address, String announce, String problem) {
        String listener = NAMED.replace("127.0.0.1:1", address);
        assertThatThrownBy(
                        () -> Yaml.read(listener.replace("    routes:", "    announce: " + announce + "\n    routes:")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void theDefaultEngineRefusesThem() throws ConfigException {
        List<String> refused = new ArrayList<>();
        for (Problem problem : NettyRefusals.of("a.yaml", Yaml.read(NAMED))) {
            refused.add(problem.toString());
        }
        assertThat(refused)
                .containsExactly(
                        "a.yaml:1:10: engine netty: finagle is not supported, it belongs to another engine",
                        "a.yaml:6:53: engine netty: listeners.in.routes[].dtab is not supported, it has no such names",
                        "a.yaml:9:15: engine netty: clusters.app.dest is not supported, it has no such names");
        assertThat(NettyRefusals.of("a.yaml", Yaml.read(Yaml.MINIMAL))).isEmpty();
    }
}
