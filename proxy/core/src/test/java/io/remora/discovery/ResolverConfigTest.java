package io.remora.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Limits;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.config.yaml.Yaml;
import io.remora.discovery.DnsSource.Family;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The keys of a cluster's resolver. */
final class ResolverConfigTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private static String yaml(String resolver) {
        return Yaml.MINIMAL + "  named:\n    resolver: " + resolver + "\n";
    }

    private static ResolverConfig read(String resolver) throws ConfigException {
        return ResolverConfig.of(Yaml.read(yaml(resolver)).clusters().get("named"));
    }

    @Test
    void hasDefaults() throws ConfigException {
        DnsSource dns = new DnsSource("app", 80, Family.AUTO, List.of(), 5 * SECOND_NS, 300 * SECOND_NS);
        assertThat(read("{dns: {name: app, port: 80}}"))
                .isEqualTo(new ResolverConfig(null, dns, null, null, Limits.UNLIMITED, 128, 5 * SECOND_NS));
        assertThat(read("{file: /a/b}"))
                .isEqualTo(new ResolverConfig("/a/b", null, null, null, Limits.UNLIMITED, 128, 5 * SECOND_NS));
        assertThat(ResolverConfig.of(Yaml.read(Yaml.MINIMAL).clusters().get("app")))
                .isNull();
    }

    @Test
    void survivesItsOwnText() throws ConfigException {
        String dns = "{dns: {srv: _http._tcp.app.test, family: both, servers: ['10.0.0.1:53', '[::1]:5353'],"
                + " min-refresh: 1s, max-refresh: 1m}, keep-last: 10m, pending: 0, pending-timeout: 1s}";
        for (String resolver : List.of("{file: /a/b, keep-last: off}", "{dns: {name: a.b, port: 1}}", dns)) {
            ProxyConfig config = Yaml.read(yaml(resolver));
            assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        }
        assertThat(read(dns).keepLastNs()).isEqualTo(600 * SECOND_NS);
        assertThat(read("{file: a, keep-last: off}").keepLastNs()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | 15: resolver is empty, expected one of file, dns, consul, kubernetes",
                "{keep-last: 1s} | 15: resolver is empty, expected one of file, dns, consul, kubernetes",
                "text | 15: resolver is 'text', expected a mapping",
                "{file: a, dns: {name: a, port: 1}} | 30: dns cannot be combined with file",
                "{file: ''} | 22: file is empty, expected a path",
                "{file: a, keep-last: 10} | 36: keep-last is '10' without a unit, expected a duration such as 250ms,"
                        + " 10s, 5m or 1h",
                "{file: a, pending: 10001} | 34: pending is '10001', expected 0 to 10000",
                "{dns: {port: 1}} | 28: port requires name, because SRV records contain ports",
                "{dns: {name: a}} | 21: missing port, expected the port of the addresses",
                "{dns: {name: a, port: 0}} | 37: port is '0', expected 1 to 65535",
                "{dns: {name: 10.0.0.1, port: 1}} | 28: name is '10.0.0.1', expected a DNS name; list addresses in"
                        + " endpoints",
                "{dns: {name: 'a b', port: 1}} | 28: name is 'a b', expected a DNS name",
                "{dns: {name: a, port: 1, srv: _a._b.c}} | 45: srv cannot be combined with name",
                "{dns: {srv: app.test}} | 27: srv is 'app.test', expected a name such as _http._tcp.app.example",
                "{dns: {srv: _a._b}} | 27: srv is '_a._b', expected a name such as _http._tcp.app.example",
                "{dns: {name: a, port: 1, servers: ['dns:53']}} | 50: server 'dns:53' has the host 'dns', expected an"
                        + " IPv4 address, or an IPv6 address in brackets",
                "{dns: {name: a, port: 1, min-refresh: 10s, max-refresh: 5s}} | 71: max-refresh must not be less than"
                        + " min-refresh",
                "{dns: {name: a, port: 1, family: ipv5}} | 48: family is 'ipv5', expected one of auto, ipv4, ipv6,"
                        + " both",
            })
    void tellsWhereAMistakeIs(String resolver, String problem) {
        int line = yaml("").lines().toList().indexOf("    resolver: ") + 1;
        assertThat(Yaml.problems(yaml(resolver))).contains(line + ":" + problem);
    }

    @Test
    void takesTheListOfEndpointsBesideItForAMistake() {
        assertThat(Yaml.problems(Yaml.MINIMAL + "    resolver: {file: a}\n"))
                .anyMatch(problem -> problem.endsWith("endpoints cannot be combined with resolver"));
    }
}
