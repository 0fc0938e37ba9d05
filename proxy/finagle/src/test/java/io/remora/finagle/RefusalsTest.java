package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.ConfigException;
import io.remora.config.ConfigReader;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RefusalsTest {
    private static List<String> refusals(String cluster) throws ConfigException {
        String yaml = """
                listeners:
                  - {name: in, address: "127.0.0.1:1", cluster: app}
                clusters:
                  app:
                    endpoints: [{address: "127.0.0.1:2"%s}]
                """.formatted(cluster.startsWith(",") ? cluster : "")
                + (cluster.startsWith(",") ? "" : "    " + cluster);
        return Refusals.of(ConfigReader.read(
                "test.yaml", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)), Map.of()));
    }

    @Test
    void takesWhatFinagleCanDo() throws ConfigException {
        assertThat(refusals("accrual: {consecutive-failures: 3}")).isEmpty();
        assertThat(refusals("balancer: {kind: peak-ewma}")).isEmpty();
        assertThat(refusals(", weight: 3")).isEmpty();
        assertThat(refusals("max-connections: 3")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "breakers: {connections: 1} | clusters.app.breakers",
                "retries: {attempts: 2} | clusters.app.retries",
                "health-check: {path: /} | clusters.app.health-check",
                "balancer: {kind: maglev, hash: {header: a}} | clusters.app.balancer.kind: maglev",
                ", zone: a | clusters.app.endpoints[].zone",
                ", priority: 1 | clusters.app.endpoints[].priority",
            })
    void namesEngineAndKeyOfWhatItCannotDo(String cluster, String key) throws ConfigException {
        assertThat(refusals(cluster))
                .anySatisfy(line -> assertThat(line).startsWith("engine finagle: " + key + " is not supported, "));
    }
}
