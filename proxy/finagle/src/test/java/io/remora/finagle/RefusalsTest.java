package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
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
                + (cluster.startsWith(",") ? "" : "    " + cluster.replace("; ", "\n    "));
        return refusalsOf(yaml);
    }

    private static List<String> refusalsOf(String yaml) throws ConfigException {
        return Refusals.of(ConfigReader.read(
                "test.yaml",
                new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                new FeatureList()));
    }

    @Test
    void takesWhatFinagleCanDo() throws ConfigException {
        assertThat(refusals("accrual: {consecutive-failures: 3}")).isEmpty();
        assertThat(refusals("balancer: {kind: peak-ewma}")).isEmpty();
        assertThat(refusals(", weight: 3")).isEmpty();
        assertThat(refusals(", weight: 0}, {address: \"127.0.0.1:3\"")).isEmpty();
        assertThat(refusals("max-connections: 3")).isEmpty();
        assertThat(refusals("max-idle-connections: 3")).isEmpty();
        assertThat(refusals("limits: {buffer: 16KiB, header-block: 16KiB}")).isEmpty();
        assertThat(refusals("timeouts: {connect: 1s, response-header: 2s, idle: 3s, max-connection-age: 1h}"))
                .isEmpty();
        assertThat(refusals("balancer: {kind: peak-ewma, decay: 1s}")).isEmpty();
        assertThat(refusals("balancer: {kind: aperture, size: 3}")).isEmpty();
        assertThat(refusals("accrual: {consecutive-failures: 0, success-rate: 90, requests: 20, window: 10s, "
                        + "back-off: 1s, max-back-off: 2s}"))
                .isEmpty();
    }

    @Test
    void takesWhatSaysTheDefault() throws ConfigException {
        assertThat(refusals("accrual: {max-ejected: 50}")).isEmpty();
        assertThat(refusals("panic-below: 50")).isEmpty();
        assertThat(refusals("balancer: {kind: round-robin, slow-start: off, spill-below: 70}"))
                .isEmpty();
        assertThat(refusals("retries: off")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "breakers: {connections: 1} | clusters.app.breakers",
                "retries: {attempts: 2} | clusters.app.retries",
                "health-check: {path: /} | clusters.app.health-check",
                "balancer: {kind: maglev, hash: {header: a}} | clusters.app.balancer.kind: maglev",
                "balancer: {kind: aperture, peers: 2, position: 1} | clusters.app.balancer.peers",
                "balancer: {kind: aperture, name: a} | clusters.app.balancer.name",
                "balancer: {kind: round-robin, slow-start: 1s} | clusters.app.balancer.slow-start",
                "balancer: {kind: round-robin, zone: a} | clusters.app.balancer.zone",
                "balancer: {kind: round-robin, zone: a, zone-load: 3} | clusters.app.balancer.zone-load",
                "balancer: {kind: round-robin, spill-below: 60} | clusters.app.balancer.spill-below",
                "accrual: {max-ejected: 60} | clusters.app.accrual.max-ejected",
                "accrual: {}; panic-below: 60 | clusters.app.panic-below",
                ", zone: a | clusters.app.endpoints[].zone",
                ", priority: 1 | clusters.app.endpoints[].priority",
            })
    void namesEngineAndKeyOfWhatItCannotDo(String cluster, String key) throws ConfigException {
        assertThat(refusals(cluster))
                .anySatisfy(line -> assertThat(line).startsWith("engine finagle: " + key + " is not supported, "));
    }

    @Test
    void namesTheKeysOfRoutes() throws ConfigException {
        assertThat(refusalsOf("""
            listeners:
              - name: in
                address: "127.0.0.1:1"
                routes:
                  - {match: {prefix: /a}, cluster: app, timeouts: {total: 2s, try: 1s}}
                  - {match: {prefix: /b}, cluster: app, retries: {attempts: 2}}
                  - {match: {prefix: /c}, cluster: app, hedge: {}}
            clusters:
              app: {endpoints: ["127.0.0.1:2", "127.0.0.1:3"]}
            """))
                .containsExactly(
                        "engine finagle: listeners.in.routes[].retries is not supported, Finagle uses separate retry"
                                + " rules",
                        "engine finagle: listeners.in.routes[].hedge is not supported, "
                                + "Finagle receives one attempt per request");
    }

    @Test
    void namesTheKeysOfAResolver() throws ConfigException {
        String yaml = """
            listeners:
              - {name: in, address: "127.0.0.1:1", cluster: app}
            clusters:
              app: {resolver: {file: a.yaml, pending: 3, pending-timeout: 1s, keep-last: %s}}
            """;
        assertThat(refusalsOf(yaml.formatted("forever"))).isEmpty();
        assertThat(refusalsOf(yaml.formatted("1h")))
                .containsExactly(
                        "engine finagle: clusters.app.resolver.keep-last is not supported, its last answer stays");
    }

    @Test
    void refusesWhatIsNoRequest() throws ConfigException {
        assertThat(refusalsOf("""
            listeners:
              - {name: in, address: "127.0.0.1:1", protocol: tcp, cluster: app}
              - {name: file, address: "unix:/run/in.sock", cluster: web}
            clusters:
              app: {protocol: tcp, endpoints: ["127.0.0.1:2"]}
              web: {endpoints: ["unix:/run/web.sock"]}
            """))
                .containsExactly(
                        "engine finagle: listeners.in.protocol: tcp is not supported, it supports HTTP only",
                        "engine finagle: clusters.app.protocol: tcp is not supported, it supports HTTP only",
                        "engine finagle: clusters.web.endpoints[]: unix:/run/web.sock is not supported, it connects to"
                                + " HOST:PORT only");
    }
}
