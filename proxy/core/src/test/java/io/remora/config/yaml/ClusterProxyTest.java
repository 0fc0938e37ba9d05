package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.feature.FeatureList;
import io.remora.proxyprotocol.ProxyVersion;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code proxy-protocol} of clusters. */
final class ClusterProxyTest {
    private static ProxyConfig read(String endpoint, String cluster) throws ConfigException {
        String yaml = """
            admin: {address: "127.0.0.1:9901"}
            listeners: [{name: in, address: "127.0.0.1:8080", cluster: app}]
            clusters: {app: {endpoints: ["ENDPOINT"]CLUSTER}}
            """.replace("ENDPOINT", endpoint).replace("CLUSTER", cluster);
        return ConfigReader.read(
                "r.yaml", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)), Map.of(), new FeatureList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"'' | 0", "', proxy-protocol: off' | 0", "', proxy-protocol: v1' | 1", "', proxy-protocol: v2' | 2"
            })
    void isOffV1OrV2(String cluster, int version) throws ConfigException {
        ProxyConfig config = read("127.0.0.1:1", cluster);
        ProxyVersion read = config.clusters().get("app").options().get(ProxyVersion.VERSION);
        assertThat(read).isEqualTo(version == 0 ? null : new ProxyVersion(version));
        String expected = "proxy-protocol: " + (version == 0 ? "off" : "v" + version) + "\n    timeouts:";
        assertThat(ConfigText.render(config)).contains(expected);
    }

    @Test
    void isNothingElse() {
        assertThatThrownBy(() -> read("127.0.0.1:1", ", proxy-protocol: v3"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("r.yaml:3:")
                .hasMessageContaining("proxy-protocol is 'v3', expected off, v1 or v2");
    }

    @Test
    void isRefusedTowardsUnixSockets() {
        assertThatThrownBy(() -> read("unix:/run/app.sock", ", proxy-protocol: v2"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("proxy-protocol towards unix:/run/app.sock, expected HOST:PORT endpoints");
    }
}
