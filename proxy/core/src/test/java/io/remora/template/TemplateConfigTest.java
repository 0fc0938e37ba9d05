package io.remora.template;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.text.ConfigText;
import io.remora.config.yaml.Yaml;
import io.remora.discovery.DnsSource;
import io.remora.discovery.ResolverConfig;
import io.remora.tls.config.ClusterTls;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cluster that is a template, and the clusters that it stands for. */
final class TemplateConfigTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final String DNS = "resolver: {dns: {name: '{host}.', port: '{port}'}}";

    private static String yaml(String template, String... more) {
        return Yaml.MINIMAL + "  peers:\n    template: " + template + "\n    " + String.join("\n    ", more) + "\n";
    }

    private static ClusterConfig read(String template, String... more) throws ConfigException {
        return Yaml.read(yaml(template, more)).clusters().get("peers");
    }

    private static String routes(String routes, String template) {
        return yaml(template, DNS).replace("    cluster: app\n", "    routes: [" + routes + "]\n");
    }

    @Test
    void hasDefaults() throws ConfigException {
        ClusterConfig peers = read("{hosts: ['*.Test.', A.b, '*', 10.0.0.0/8, '[::1]']}", DNS);
        assertThat(HostTemplate.of(peers.options()))
                .isEqualTo(new HostTemplate(List.of("*.test", "a.b", "*", "10.0.0.0/8", "::1"), 100, 300 * SECOND_NS));
        assertThat(ResolverConfig.of(peers).dns().port()).isEqualTo(DnsSource.PORT_OF_HOST);
        assertThat(peers.endpoints()).isEmpty();
        assertThat(HostTemplate.of(Yaml.read(Yaml.MINIMAL).clusters().get("app").options()))
                .isNull();
    }

    @Test
    void survivesItsOwnText() throws ConfigException {
        String tls = "tls: {trust: /ca.crt, peer-names: ['spiffe://mesh/{host}']}";
        List<String> all = List.of(
                yaml("{hosts: ['*.test'], max-hosts: 7, host-ttl: 1m}", DNS, tls),
                yaml("{hosts: [10.0.0.0/8]}", "resolver: {file: '/peers/{host}-{port}.yaml'}"),
                yaml("{hosts: ['*']}", "resolver: {dns: {srv: '_http._tcp.{host}'}}"),
                routes("{cluster-from: host, cluster: peers}, {cluster: app}", "{hosts: [a]}"));
        for (String yaml : all) {
            ProxyConfig config = Yaml.read(yaml);
            assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        }
    }

    @Test
    void aRouteNamesItByTheHost() throws ConfigException {
        ProxyConfig config =
                Yaml.read(routes("{cluster-from: host, cluster: peers}, {cluster: app}", "{hosts: [a, '*.b']}"));
        List<RouteConfig> routes = config.listeners().get(0).routes();
        assertThat(HostTemplate.of(routes.get(0).options()).hosts()).containsExactly("a", "*.b");
        assertThat(HostTemplate.of(routes.get(1).options())).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{cluster: peers} | cluster 'peers' is a template, expected cluster-from: host",
                "{cluster-from: path, cluster: peers} | cluster-from is 'path', expected host",
                "{cluster-from: host, cluster: app} | cluster-from requires a cluster with template",
                "{cluster-from: host, cluster: peer} | cluster 'peer' does not exist, did you mean 'peers'?",
                "{cluster-from: host} | missing cluster, expected the name of a cluster",
            })
    void tellsOfRoutesThatDoNotFit(String route, String problem) {
        assertThat(Yaml.problems(routes(route, "{hosts: [a]}"))).hasSize(1).allMatch(each -> each.endsWith(problem));
    }

    @Test
    void aListenerCannotHaveItForAllRequests() {
        assertThat(Yaml.problems(yaml("{hosts: [a]}", DNS).replace("cluster: app", "cluster: peers")))
                .singleElement()
                .asString()
                .endsWith("cluster 'peers' is a template, expected a route with cluster-from: host");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | missing hosts, expected a list of at least one host, such as '*.svc.cluster.local'",
                "{hosts: []} | hosts is an empty list, expected a list of at least one host, such as"
                        + " '*.svc.cluster.local'",
                "{hosts: ['a.*']} | host is 'a.*', expected a host without a port, or '*.' and a suffix",
                "{hosts: ['a:80']} | host is 'a:80', expected a host without a port, or '*.' and a suffix",
                "{hosts: [10.0.0.1/8]} | network '10.0.0.1/8' has bits set after its prefix, expected zeros",
                "{hosts: [a], max-hosts: 0} | max-hosts is '0', expected 1 to 10000",
                "{hosts: [a], host-ttl: 4s} | host-ttl must not be less than pending-timeout of the resolver",
                "{hosts: [app.1]} | host 'app.1', expected a name or an IP address; names do not end in a number",
                "{hosts: ['0x7f000001']} | host '0x7f000001', expected a name or an IP address; names do not end in a"
                        + " number",
                "{hosts: [a], host: b} | unknown key 'host', did you mean 'hosts'?",
                "text | template is 'text', expected a mapping",
            })
    void tellsWhatIsWrongWithIt(String template, String problem) {
        assertThat(Yaml.problems(yaml(template, DNS))).anyMatch(each -> each.endsWith(": " + problem));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-connections: 1 | template requires a resolver with {host}",
                "endpoints: ['a:1'] | endpoints cannot be combined with template, expected resolver",
                "resolver: {dns: {name: a, port: 1}} | resolver of a template without {host}, expected it, because all"
                        + " hosts would have the same endpoints",
                "resolver: {file: /a} | resolver of a template without {host}, expected it, because all hosts would"
                        + " have the same endpoints",
                "resolver: {kubernetes: {service: a}} | template with resolver kubernetes, expected dns or file",
                "resolver: {consul: {address: '127.0.0.1:1', service: a}} | template with resolver consul, expected"
                        + " dns or file",
                "resolver: {dns: {name: '{hots}', port: 1}} | name is '{hots}', expected a DNS name",
                "resolver: {dns: {name: '{host}', port: '{host}'}} | port is '{host}', expected a whole number",
                "resolver: {dns: {srv: '_a._b.{host}'}} | hosts with addresses cannot be combined with srv, expected"
                        + " names, or name instead of srv",
            })
    void tellsWhatIsWrongBesideIt(String more, String problem) {
        assertThat(Yaml.problems(yaml("{hosts: [a, 10.0.0.1]}", more))).anyMatch(each -> each.endsWith(": " + problem));
    }

    @Test
    void addressesHaveNoNameToVerify() {
        assertThat(Yaml.problems(yaml("{hosts: [a, 10.0.0.1]}", DNS, "tls: {}")))
                .singleElement()
                .asString()
                .endsWith("hosts with addresses cannot be combined with tls, expected names");
    }

    @Test
    void nobodyElseMayNameTheHost() {
        assertThat(Yaml.problems(Yaml.MINIMAL + "  named:\n    " + DNS + "\n"))
                .anyMatch(each -> each.endsWith("name is '{host}.', expected a DNS name"))
                .anyMatch(each -> each.endsWith("port is '{port}', expected a whole number"));
    }

    // ---- the clusters that it stands for

    @Test
    void aHostHasTheTemplatesSettings() throws ConfigException {
        ClusterConfig peers = read("{hosts: ['*']}", DNS, "max-connections: 3", "tls: {}");
        assertThat(Templates.usesPort(peers)).isTrue();
        assertThat(Templates.portByDefault(peers)).isEqualTo(443);
        ClusterConfig one = Templates.of(peers, "a.test", false, 8443);
        assertThat(one.name()).isEqualTo("peers@a.test:8443");
        assertThat(ResolverConfig.of(one).source()).isEqualTo("dns:a.test.:8443");
        assertThat(HostTemplate.of(one.options())).isNull();
        assertThat(one.maxConnections()).isEqualTo(3);
        assertThat(one.options().get(ClusterTls.TLS).serverName()).isEqualTo("a.test");
        assertThat(one.options().get(ClusterTls.TLS).dnsNames()).containsExactly("a.test");
    }

    @Test
    void namesOfPeersMayBeMadeOfTheHost() throws ConfigException {
        String tls = "tls: {server-name: 'x-{host}', peer-names: ['{host}.mesh', 'spiffe://mesh/{host}']}";
        ClusterTls own = Templates.of(read("{hosts: ['*']}", DNS, tls), "a.test", false, 1)
                .options()
                .get(ClusterTls.TLS);
        assertThat(own.serverName()).isEqualTo("x-a.test");
        assertThat(own.dnsNames()).containsExactly("a.test.mesh");
        assertThat(own.uris()).containsExactly("spiffe://mesh/a.test");
    }

    @Test
    void anAddressIsItsOwnEndpoint() throws ConfigException {
        ClusterConfig peers = read("{hosts: ['::1', 10.0.0.0/8]}", DNS);
        ClusterConfig one = Templates.of(peers, "0:0:0:0:0:0:0:1", true, 81);
        assertThat(one.name()).isEqualTo("peers@[0:0:0:0:0:0:0:1]:81");
        assertThat(one.endpoints()).containsExactly(new Address("0:0:0:0:0:0:0:1", 81));
        assertThat(ResolverConfig.of(one)).isNull();
    }

    @Test
    void noNameOfDnsIsTooLong() throws ConfigException {
        ClusterConfig peers = read("{hosts: ['*']}", "resolver: {dns: {name: 'x-{host}.mesh', port: 80}}");
        assertThat(Templates.usesPort(peers)).isFalse();
        assertThat(Templates.of(peers, "a", false, 1).name()).isEqualTo("peers@a");
        assertThat(Templates.of(peers, "a".repeat(61), false, 1)).isNotNull();
        assertThat(Templates.of(peers, "a".repeat(62), false, 1)).isNull();
        assertThat(Templates.of(peers, ("a".repeat(50) + ".").repeat(4) + "a".repeat(43), false, 1))
                .isNull();
    }

    @Test
    void noServerNameIsTooLong() throws ConfigException {
        ClusterConfig peers = read("{hosts: ['*']}", DNS, "tls: {server-name: 'x-{host}.mesh'}");
        assertThat(Templates.of(peers, "a".repeat(61), false, 1)).isNotNull();
        assertThat(Templates.of(peers, "a".repeat(62), false, 1)).isNull();
    }
}
