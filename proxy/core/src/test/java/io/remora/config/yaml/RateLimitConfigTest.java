package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.text.ConfigText;
import io.remora.feature.clients.ClientsConfig;
import io.remora.feature.ratelimit.RateLimitConfig;
import io.remora.feature.ratelimit.RateLimitList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file may say of rates and of clients, and what of it cannot work. */
final class RateLimitConfigTest {
    private static final long S = 1_000_000_000L;

    private static final String FULL = """
        listeners:
          - address: 127.0.0.1:8080
            clients: {allow: [10.0.0.0/8, "fd00::/8"], deny: [10.6.6.6]}
            rate-limits:
              - {rate: 100/s}
              - {name: each, rate: 30/m, burst: 5, by: client, ipv6-prefix: 56, keys: 10}
            routes:
              - name: api
                cluster: app
                match: {prefix: /api}
                clients: {deny: ["2001:db8::/32"]}
                rate-limits:
                  - {rate: 7/s, by: "header:X-Api-Key"}
              - cluster: app
          - address: 127.0.0.1:8082
            protocol: tcp
            clients: {allow: [127.0.0.1]}
            rate-limits: [{rate: 1/s, by: client}]
            routes:
              - {cluster: tunnels, match: {sni: a.test}, clients: {deny: [10.0.0.0/8]}, rate-limits: [{rate: 1000000/m}]}
              - cluster: tunnels
        clusters:
          app:
            endpoints: ["127.0.0.1:8081"]
          tunnels:
            protocol: tcp
            endpoints: ["127.0.0.1:8083"]
        """;

    @Test
    void readsEveryKey() throws ConfigException {
        ProxyConfig config = Yaml.read(FULL);
        ListenerConfig listener = config.listeners().get(0);
        assertThat(listener.options().get(ClientsConfig.CLIENTS))
                .isEqualTo(new ClientsConfig(List.of("10.0.0.0/8", "fd00::/8"), List.of("10.6.6.6")));
        assertThat(RateLimitList.of(listener.options()))
                .containsExactly(
                        new RateLimitConfig("rate-limit-1", 100, S, 100, RateLimitConfig.By.ALL, null, 64, 2_000),
                        new RateLimitConfig("each", 30, 60 * S, 5, RateLimitConfig.By.CLIENT, null, 56, 10));
        RouteConfig api = listener.routes().get(0);
        assertThat(api.options().get(ClientsConfig.CLIENTS))
                .isEqualTo(new ClientsConfig(List.of(), List.of("2001:db8::/32")));
        assertThat(RateLimitList.of(api.options()))
                .containsExactly(new RateLimitConfig(
                        "api/rate-limit-1", 7, S, 7, RateLimitConfig.By.HEADER, "x-api-key", 64, 2_000));
        assertThat(RateLimitList.of(listener.routes().get(1).options())).isEmpty();
        ListenerConfig tcp = config.listeners().get(1);
        assertThat(RateLimitList.of(tcp.options())).hasSize(1);
        assertThat(RateLimitList.of(tcp.routes().get(0).options())).hasSize(1);
    }

    @Test
    void isShownAsItIsRead() throws ConfigException {
        ProxyConfig config = Yaml.read(FULL);
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @Test
    void isOffByDefault() throws ConfigException {
        ListenerConfig listener = Yaml.read(Yaml.MINIMAL).listeners().get(0);
        assertThat(RateLimitList.of(listener.options())).isEmpty();
        assertThat(listener.options().get(ClientsConfig.CLIENTS)).isNull();
        assertThat(RateLimitList.of(listener.routes().get(0).options())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rate-limits: []                | rate-limits is an empty list, expected a list of at least one limit",
                "rate-limits: [{burst: 1}]      | missing rate, expected a rate such as 100/s or 30/m",
                "rate-limits: [{rate: 100}]     | rate is '100', expected 1 to 1000000 per second or minute, such as"
                        + " 100/s or 30/m",
                "rate-limits: [{rate: 0/s}]     | rate is '0/s', expected 1 to 1000000 per second or minute, such as"
                        + " 100/s or 30/m",
                "rate-limits: [{rate: 1/h}]     | rate is '1/h', expected 1 to 1000000 per second or minute, such as"
                        + " 100/s or 30/m",
                "rate-limits: [{rate: /s}]      | rate is '/s', expected 1 to 1000000 per second or minute, such as"
                        + " 100/s or 30/m",
                "rate-limits: [{rate: 99999999999/s}] | rate is '99999999999/s', expected 1 to 1000000 per second or"
                        + " minute, such as 100/s or 30/m",
                "rate-limits: [{rate: 1/s, burst: 0}] | burst is '0', expected 1 to 1000000",
                "rate-limits: [{rate: 1/s, by: ip}] | by is 'ip', expected all, client or header:NAME",
                "rate-limits: [{rate: 1/s, by: 'header:a b'}] | by is 'header:a b', expected a field that clients set,"
                        + " such as header:x-api-key",
                "rate-limits: [{rate: 1/s, by: 'header:Host'}] | by is 'header:Host', expected a field that clients"
                        + " set, such as header:x-api-key",
                "rate-limits: [{rate: 1/s, by: 'header:Cookie'}] | by is 'header:Cookie', expected a field that"
                        + " clients set, such as header:x-api-key",
                "rate-limits: [{rate: 1/s, keys: 5}] | keys requires by: client or header:NAME",
                "rate-limits: [{rate: 1/s, ipv6-prefix: 64}] | ipv6-prefix requires by: client",
                "rate-limits: [{rate: 1/s, name: a}, {rate: 2/s, name: a}] | the name 'a' is used by another limit of"
                        + " the listener, expected a different one",
                "clients: {}                    | clients requires allow or deny",
                "clients: {allow: []}           | allow is an empty list, expected a list of at least one network",
                "clients: {deny: [10.0.0.1/8]}  | network '10.0.0.1/8' has bits set after its prefix, expected zeros"
            })
    void tellsWhatIsWrong(String line, String problem) {
        String yaml = Yaml.MINIMAL.replace("    cluster: app\n", "    cluster: app\n    " + line.strip() + "\n");
        assertThat(Yaml.problems(yaml)).singleElement().satisfies(one -> assertThat(one)
                .endsWith(": " + problem.strip()));
    }

    /** The name of a feature is no protocol, and asks for nothing of the feature. */
    @Test
    void isNoProtocol() {
        String yaml = Yaml.MINIMAL.replace("    cluster: app\n", "    cluster: app\n    protocol: rate-limits\n");
        assertThat(Yaml.problems(yaml)).singleElement().satisfies(one -> assertThat(one)
                .endsWith(": protocol is 'rate-limits', expected http1, http2, auto, tcp or detect"));
    }

    @Test
    void aNameByDefaultIsBounded() {
        String yaml = FULL.replace("name: api", "name: " + "a".repeat(60));
        assertThat(Yaml.problems(yaml)).singleElement().satisfies(one -> assertThat(one)
                .endsWith("is too long as a default, expected name"));
    }

    @Test
    void tellsWhatItsTableHolds() throws ConfigException {
        ListenerConfig listener = Yaml.read(FULL).listeners().get(0);
        assertThat(RateLimitList.of(listener.options()).get(0).tableBytes()).isZero();
        assertThat(RateLimitList.of(listener.options()).get(1).tableBytes()).isEqualTo(2 * 33 * 8);
        assertThat(RateLimitList.of(listener.routes().get(0).options()).get(0).tableBytes())
                .isEqualTo(33 * 2_000);
    }

    @Test
    void nobodyIsToldOfATunnel() {
        String yaml = FULL.replace("rate: 1/s, by: client", "rate: 1/s, by: client, tell-always: true");
        assertThat(Yaml.problems(yaml)).singleElement().satisfies(one -> assertThat(one)
                .endsWith("tell-always is not supported with protocol: tcp"));
    }

    @Test
    void noFieldIsReadOfATunnel() {
        String yaml = FULL.replace("rate: 1/s, by: client", "rate: 1/s, by: \"header:a\"");
        assertThat(Yaml.problems(yaml)).singleElement().satisfies(one -> assertThat(one)
                .endsWith("by is 'header:a' and protocol is tcp, expected all or client"));
    }
}
