package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has no TLS, trusts nobody and does nothing about failures does not pay for it: none of the classes is loaded. */
final class TlsOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.http1.Http1FrontendConnection");
        assertThat(classes)
                .doesNotContain("io.remora.tls.")
                .doesNotContain("io.remora.admin.AdminConnections$Unready")
                .doesNotContain("io.remora.config.keys.ListenerTls")
                .doesNotContain("io.remora.config.model.ListenerTls")
                .doesNotContain("io.remora.config.keys.ClusterTls")
                .doesNotContain("io.remora.config.model.ClusterTls")
                .doesNotContain("io.remora.config.yaml.TlsReader")
                .doesNotContain("io.remora.config.keys.Trust")
                .doesNotContain("io.remora.config.model.Trust")
                .doesNotContain("io.remora.config.yaml.Trust")
                .doesNotContain("io.remora.trust.")
                .doesNotContain("io.remora.http1.ConnectionAge")
                .doesNotContain("io.remora.text.IpAddress")
                .doesNotContain("io.remora.stages.TrustPeers")
                .doesNotContain("io.remora.stages.RequireIdentity")
                .doesNotContain("io.remora.metrics.Tls")
                .doesNotContain("io.remora.config.keys.Retry")
                .doesNotContain("io.remora.config.model.Retry")
                .doesNotContain("io.remora.config.yaml.Retry")
                .doesNotContain("io.remora.config.model.RoutePolicy")
                .doesNotContain("io.remora.config.yaml.Policy")
                .doesNotContain("io.remora.config.model.Resilience")
                .doesNotContain("io.remora.config.text.Resilience")
                .doesNotContain("io.remora.config.yaml.Resilience")
                .doesNotContain("io.remora.config.keys.Accrual")
                .doesNotContain("io.remora.config.model.Accrual")
                .doesNotContain("io.remora.config.keys.Breaker")
                .doesNotContain("io.remora.config.model.Breaker")
                .doesNotContain("io.remora.config.keys.HealthCheck")
                .doesNotContain("io.remora.config.model.HealthCheck")
                .doesNotContain("io.remora.engine.Retry")
                .doesNotContain("io.remora.exchange.Tries")
                .doesNotContain("io.remora.exchange.Replay")
                .doesNotContain("io.remora.exchange.RetryAfter")
                .doesNotContain("io.remora.exchange.CallerDeadline")
                .doesNotContain("io.remora.cluster.ClusterHealth")
                .doesNotContain("io.remora.cluster.EndpointHealth")
                .doesNotContain("io.remora.cluster.HealthCheck")
                .doesNotContain("io.remora.cluster.SuccessRate")
                .doesNotContain("io.remora.pool.Breakers")
                .doesNotContain("io.remora.stages.CallerWait")
                .doesNotContain("io.remora.http.WaitText")
                .doesNotContain("io.remora.metrics.ClusterMetric")
                .doesNotContain("io.remora.metrics.ClusterStats")
                .doesNotContain("javax.net.ssl.")
                .doesNotContain("sun.security.ssl.");
    }
}
