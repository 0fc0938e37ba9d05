package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who lists all endpoints in the configuration does not pay for other sources: none of their classes is loaded. */
final class EndpointsOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.naming.StaticResolver");
        assertThat(classes)
                .doesNotContain("io.remora.files.")
                .doesNotContain("io.remora.dns.")
                .doesNotContain("io.remora.json.")
                .doesNotContain("io.remora.source.")
                .doesNotContain("io.remora.config.keys.SourceKeys")
                .doesNotContain("io.remora.config.yaml.SourceReader")
                .doesNotContain("io.remora.config.model.SourceServer")
                .doesNotContain("io.remora.config.model.TokenFile")
                .doesNotContain("io.remora.config.model.Consul")
                .doesNotContain("io.remora.config.model.Kubernetes")
                .doesNotContain("io.remora.naming.Sources")
                .doesNotContain("io.remora.naming.Dns")
                .doesNotContain("io.remora.naming.File")
                .doesNotContain("io.remora.naming.Described")
                .doesNotContain("io.remora.metrics.Naming")
                .doesNotContain("io.remora.config.keys.Resolver")
                .doesNotContain("io.remora.config.model.Resolver")
                .doesNotContain("io.remora.config.text.Resolver")
                .doesNotContain("io.remora.config.yaml.Resolver")
                .doesNotContain("io.remora.config.model.Dns")
                .doesNotContain("io.remora.config.yaml.EndpointList")
                .doesNotContain("io.remora.cluster.PendingQueue")
                .doesNotContain("io.remora.cluster.ClusterSource")
                .doesNotContain("io.remora.config.keys.Template")
                .doesNotContain("io.remora.config.model.Template")
                .doesNotContain("io.remora.config.text.Template")
                .doesNotContain("io.remora.config.yaml.Template")
                .doesNotContain("io.remora.config.model.HostTemplate")
                .doesNotContain("io.remora.engine.Host")
                .doesNotContain("io.remora.engine.LoopHosts")
                .doesNotContain("io.remora.http.HostName")
                .doesNotContain("io.remora.metrics.Host")
                .doesNotContain("io.remora.metrics.EndpointView")
                .doesNotContain("io.remora.cluster.NodeView")
                .doesNotContain("io.remora.route.HostPatterns")
                .doesNotContain("io.remora.stages.DispatchByHost")
                .doesNotContain("io.remora.trust.Cidrs")
                .doesNotContain("java.net.DatagramSocket");
    }
}
