package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.detect.DetectConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Listeners with {@code protocol: detect}, and what is refused there. */
final class DetectConfigTest {
    private static final String TLS = ", tls: {certificates: [{chain: a, key: b}]";

    private static String yaml(String listener) {
        return "listeners:\n  - {address: 'a:1', " + listener + "}\n" + """
            clusters:
              raw: {protocol: tcp, endpoints: ["127.0.0.1:5432"]}
              web: {endpoints: ["127.0.0.1:8081"]}
            """;
    }

    @Test
    void isOffByDefault() throws ConfigException {
        assertThat(Yaml.read(Yaml.MINIMAL).listeners().get(0).detects()).isFalse();
    }

    @Test
    void hasRoutesOfBothKinds() throws ConfigException {
        String routes = "routes: [{match: {host: a.test}, cluster: web}, {cluster: web}]";
        ListenerConfig listener = Yaml.read(yaml("name: in, protocol: detect, detect: {cluster: raw}, " + routes))
                .listeners()
                .get(0);
        DetectConfig detect = listener.options().get(DetectConfig.DETECT);
        assertThat(detect.timeoutNs()).isEqualTo(3_000_000_000L);
        assertThat(detect.tunnels().name()).isEqualTo("in/tcp");
        assertThat(listener.routes()).hasSize(2).noneMatch(route -> route.cluster()
                .equals("raw"));
        assertThat(listener.http2().alone()).isFalse();
        ListenerConfig tunnels = listener.tunnels(detect.tunnels());
        assertThat(tunnels.tcp()).isTrue();
        assertThat(tunnels.routes()).containsExactly(detect.tunnels());
        assertThat(tunnels.requiredIdentities()).isEqualTo(listener.requiredIdentities());
    }

    @Test
    void survivesItsOwnText() throws ConfigException {
        List<String> all = List.of(
                "protocol: detect, detect: {cluster: raw}, cluster: web",
                "protocol: detect, detect: {cluster: raw, timeout: 500ms}, cluster: web, http2: {max-frame: 32KiB}",
                "protocol: detect, detect: {cluster: raw}, cluster: web" + TLS + "}");
        for (String listener : all) {
            ProxyConfig config = Yaml.read(yaml(listener));
            assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "protocol: detect, cluster: web | missing cluster, expected the name of a cluster",
                "protocol: detect, detect: {cluster: web}, cluster: web | cluster 'web' has another protocol, expected"
                        + " a cluster with protocol: tcp",
                "protocol: detect, detect: {cluster: raw}, cluster: raw | cluster 'raw' has another protocol, expected"
                        + " a cluster without protocol: tcp",
                "protocol: detect, detect: {cluster: no}, cluster: web | cluster 'no' does not exist",
                "protocol: auto, detect: {cluster: raw}, cluster: web | detect requires protocol: detect",
                "detect: {cluster: raw}, cluster: web | detect requires protocol: detect",
                "protocol: tcp, detect: {cluster: raw}, cluster: raw | detect requires protocol: detect",
                "protocol: detect, detect: {cluster: raw, timeout: 0s}, cluster: web | timeout is",
                "protocol: detect, detect: {cluster: raw}, cluster: web" + TLS
                        + ", mode: permissive} | mode: permissive is not supported with protocol: detect",
            })
    void refusesWhatCannotBe(String listener, String problem) {
        assertThatThrownBy(() -> Yaml.read(yaml(listener)))
                .isInstanceOfSatisfying(
                        ConfigException.class, e -> assertThat(e.getMessage()).contains(problem));
    }
}
