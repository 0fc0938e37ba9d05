package io.remora.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.config.yaml.Yaml;
import io.remora.discovery.DnsSource.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The keys of the resolvers that ask over HTTP. */
final class SourceConfigTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final String AT = "{consul: {address: '127.0.0.1:8500', service: a";

    private static String yaml(String resolver) {
        return Yaml.MINIMAL + "  named:\n    resolver: " + resolver + "\n";
    }

    private static ResolverConfig read(String resolver) throws ConfigException {
        return ResolverConfig.of(Yaml.read(yaml(resolver)).clusters().get("named"));
    }

    @Test
    void hasDefaults() throws ConfigException {
        ResolverConfig consul = read(AT + "}}");
        SourceServer agent = new SourceServer(List.of(new Address("127.0.0.1", 8500)), null, null);
        assertThat(consul.consul()).isEqualTo(new ConsulSource("a", null, null, true, 60 * SECOND_NS, agent));
        assertThat(consul.kind()).isEqualTo("consul");
        assertThat(consul.source()).isEqualTo("consul:a");

        ResolverConfig config = read("{kubernetes: {service: a}}");
        KubernetesSource kubernetes = config.kubernetes();
        assertThat(config.source()).isEqualTo("kubernetes:a");
        assertThat(kubernetes.namespace()).isNull();
        assertThat(kubernetes.port()).isNull();
        assertThat(kubernetes.family()).isEqualTo(Family.AUTO);
        assertThat(kubernetes.watchNs()).isEqualTo(300 * SECOND_NS);
        SourceServer server = kubernetes.server();
        assertThat(server.addresses()).isEmpty();
        assertThat(server.tokenFile()).isEqualTo("/var/run/secrets/kubernetes.io/serviceaccount/token");
        assertThat(server.tls().trust().path()).isEqualTo("/var/run/secrets/kubernetes.io/serviceaccount/ca.crt");
        assertThat(server.tls().dnsNames()).containsExactly("kubernetes.default.svc");
        assertThat(server.tls().verified()).isTrue();
        assertThat(Yaml.read(yaml("{kubernetes: {service: a}}")).hasTls()).isTrue();
        assertThat(Yaml.read(yaml(AT + "}}")).hasTls()).isFalse();
    }

    @Test
    void survivesItsOwnText() throws ConfigException {
        String tls = ", tls: {trust: /ca, server-name: a.test, certificate: {chain: /a, key: /b}}";
        List<String> all = List.of(
                AT + "}}",
                "{consul: {address: ['10.0.0.1:1', '[::1]:2'], service: 'a b', datacenter: d, tag: t,"
                        + " passing-only: false, wait: 5m, token-file: /t" + tls + "}, keep-last: off}",
                "{kubernetes: {service: a}}",
                "{kubernetes: {service: a, namespace: n, port: http, family: both, watch-timeout: 1m, address:"
                        + " 'a.b:6443', token-file: /t" + tls + "}}",
                "{kubernetes: {service: a, port: 80, address: 'localhost:8001', tls: off}}");
        for (String each : all) {
            ProxyConfig config = Yaml.read(yaml(each));
            assertThat(Yaml.read(ConfigText.render(config))).as(each).isEqualTo(config);
        }
        assertThat(read(all.get(4)).kubernetes().server().tokenFile()).isNull();
    }

    @Test
    void asksDnsForANameAndNothingForAnAddress() throws ConfigException {
        SourceServer named =
                read("{consul: {address: 'consul.test:8500', service: a}}").server();
        ClusterConfig byName = SourceCluster.of(named, "x", named.addresses(), SECOND_NS);
        assertThat(byName.endpoints()).isEmpty();
        assertThat(ResolverConfig.of(byName).dns().name()).isEqualTo("consul.test");
        SourceServer local =
                read("{consul: {address: 'localhost:8500', service: a}}").server();
        assertThat(SourceCluster.of(local, "x", local.addresses(), SECOND_NS).endpoints())
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{consul: {service: a}} | missing address, expected the address of an agent, such as 127.0.0.1:8500",
                "{consul: {address: 'a:1'}} | missing service, expected the name of a service",
                "{consul: {address: 'a:1', service: ''}} | service is empty, expected text",
                "{consul: {address: 'a:1', service: 'ä'}} | service is 'ä', expected visible ASCII, with spaces only"
                        + " inside",
                "{consul: {address: a, service: a}} | address is 'a', expected HOST:PORT or [IPV6]:PORT",
                "{consul: {address: ['a:1', '10.0.0.1:1'], service: a}} | address 'a:1' is a name in a list, expected"
                        + " IP addresses or a single name",
                "{consul: {address: 'a:1', service: a, wait: 11m}} | wait is '11m', expected 1s to 10m",
                "{consul: {address: 'a:1', service: a, passing-only: yes}} | passing-only is 'yes', expected true or"
                        + " false",
                "{consul: {address: 'a:1', service: a}, file: b} | consul cannot be combined with file",
                "{kubernetes: {service: a}, consul: {address: 'a:1', service: a}} | kubernetes cannot be combined with"
                        + " consul",
                "{kubernetes: {}} | missing service, expected the name of a service",
                "{kubernetes: {service: A}} | service is 'A', expected lower-case letters, digits and '-'",
                "{kubernetes: {service: a, namespace: a/b}} | namespace is 'a/b', expected lower-case letters, digits"
                        + " and '-'",
                "{kubernetes: {service: a, port: 65536}} | port is '65536', expected 1 to 65535",
                "{kubernetes: {service: a, port: 'a b'}} | port is 'a b', expected lower-case letters, digits and '-'",
                "{kubernetes: {service: a, tls: off}} | tls: off requires address",
                "{kubernetes: {service: a, token-file: ''}} | token-file is empty, expected a path, or off",
                "{kubernetes: {service: a, tls: {}}} | missing peer-names, expected the names that endpoints must"
                        + " have, or a server-name"
            })
    void tellsWhatIsWrong(String resolver, String problem) {
        assertThat(Yaml.problems(yaml(resolver)))
                .anyMatch(each -> each.endsWith(": " + problem) || each.endsWith(problem));
    }

    /** In plaintext, or to whoever answers, a token would be everybody's. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{consul: {address: 'HOST', service: a, token-file: /t}}",
                "{consul: {address: ['127.0.0.1:1', 'HOST'], service: a, token-file: /t}}",
                "{consul: {address: 'HOST', service: a, token-file: /t, tls: {insecure-skip-verification: true}}}",
                "{kubernetes: {address: 'HOST', service: a, token-file: /t, tls: off}}",
                "{kubernetes: {address: 'HOST', service: a, tls: {insecure-skip-verification: true}}}"
            })
    void refusesToShowATokenToOthers(String resolver) {
        for (String host : List.of("10.0.0.1:8500", "[fd00::1]:8500", "128.0.0.1:1", "[::ffff:10.0.0.1]:1")) {
            assertThat(Yaml.problems(yaml(resolver.replace("HOST", host))))
                    .as(host)
                    .singleElement()
                    .asString()
                    .contains("a token for '")
                    .endsWith("because others could read it");
        }
        for (String host : List.of("127.0.0.1:8500", "127.9.9.9:1", "[::1]:8500", "localhost:1")) {
            String yaml =
                    yaml(resolver.replace("HOST", host)).replace("['127.0.0.1:1', 'localhost:1']", "'localhost:1'");
            assertThat(problems(yaml)).as(host).isEmpty();
        }
        if (!resolver.contains("[")) {
            assertThat(Yaml.problems(yaml(resolver.replace("HOST", "127.evil.test:1"))))
                    .hasSize(1);
        }
    }

    private static List<String> problems(String yaml) {
        try {
            Yaml.read(yaml);
            return List.of();
        } catch (ConfigException e) {
            return e.problems().stream().map(Object::toString).toList();
        }
    }

    @Test
    void refusesToShowATokenToWhoeverAnswersInThePlaceOfThePodsServer() {
        assertThat(Yaml.problems(yaml("{kubernetes: {service: a, tls: {insecure-skip-verification: true}}}")))
                .singleElement()
                .asString()
                .contains("a token with insecure-skip-verification");
    }

    @Test
    void judgesTokensThatAreThere(@TempDir Path directory) throws IOException, ConfigException {
        Path token = Files.writeString(directory.resolve("token"), " abc.def\n");
        assertThat(TokenFile.read(token.toString())).isEqualTo("abc.def");
        String yaml = yaml(AT + ", token-file: " + token + "}}");
        ResolverCheck.judge(Yaml.read(yaml));
        for (String bad : List.of("", "\n", "a b", "a\r\nb", "a\u0000", "ä", "a".repeat(17 << 10))) {
            Files.writeString(token, bad);
            assertThatThrownBy(() -> ResolverCheck.judge(Yaml.read(yaml)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("token-file " + token)
                    .hasMessageNotContaining("a b");
        }
        Files.delete(token);
        assertThatThrownBy(() -> ResolverCheck.judge(Yaml.read(yaml))).hasMessageContaining("no such file");
        // what only a pod has
        ResolverCheck.judge(Yaml.read(yaml("{kubernetes: {service: a}}")));
    }
}
