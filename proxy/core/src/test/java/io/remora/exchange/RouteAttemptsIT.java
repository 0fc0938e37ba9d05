package io.remora.exchange;

import static io.remora.testkit.StableAndCanary.taken;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.stream.BackendStream;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.StableAndCanary;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of the attempts of routes with several clusters, and of copies, where it is not an engine that repeats by itself. */
final class RouteAttemptsIT {
    @RegisterExtension
    final StableAndCanary backends = new StableAndCanary();

    /** A retry goes to another endpoint of the same cluster, never to another cluster. */
    @Test
    void retriesStayInTheCluster() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = Sidecar.start(Setup.at(dead.port())
                        .and(backends.stable)
                        .and(backends.canary)
                        .clusters("stable", "canary")
                        .rules("clusters: [{cluster: stable, weight: 1}, {cluster: canary, weight: 1}], "
                                + "sticky: {header: X-User}, retries: {attempts: 3}"));
                RawClient client = sidecar.client()) {
            Map<String, String> first = new HashMap<>();
            for (int i = 0; i < 300; i++) {
                String user = "user-" + i % 30;
                String taken = taken(client, "X-User: " + user + "\r\n");
                assertThat(first.merge(user, taken, (before, now) -> before))
                        .as(user)
                        .isEqualTo(taken);
            }
            assertThat(first.values()).contains("s", "c");
            sidecar.awaitIdle();
            assertThat(sidecar.metrics().sum("remora_repicks_total", "listener", "test")
                            + sidecar.metrics().sum("remora_retries_total", "listener", "test"))
                    .isPositive();
        }
    }

    /** An endpoint that gets a copy on a connection that has served before, and leaves only after a while, has failed. */
    @Test
    void copiesCountAgainstAnEndpointThatLeavesLate() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        backends.canary.onRequest(connection -> {
            connection.readRequest();
            if (asked.getAndIncrement() == 0) {
                connection.write(RecordingBackend.OK);
                return;
            }
            long until = System.nanoTime() + 2 * BackendStream.STALE_NS;
            Await.until("not stale", () -> System.nanoTime() > until);
            connection.close();
        });
        try (Sidecar sidecar = backends.with("cluster: stable, mirror: {cluster: canary}");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 2; i++) {
                assertThat(taken(client, "")).isEqualTo("s");
                Await.until("copies are over", () -> sidecar.metrics().sum("remora_mirrors_in_flight") == 0);
            }
            assertThat(backends.canary.connections()).hasSize(1);
            assertThat(sidecar.metrics()
                            .sum("remora_endpoint_outcomes_total", "cluster", "canary", "outcome", "failure"))
                    .isEqualTo(1);
        }
    }
}
