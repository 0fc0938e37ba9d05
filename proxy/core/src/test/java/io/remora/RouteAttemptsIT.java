package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.stream.BackendStream;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of the attempts of routes with several clusters, and of copies, where it is not an engine that repeats by itself. */
final class RouteAttemptsIT {
    private final RecordingBackend stable =
            RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ns");
    private final RecordingBackend other =
            RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nc");

    @AfterEach
    void close() {
        stable.close();
        other.close();
    }

    private Sidecar with(String route, String stableEndpoints) {
        String yaml = """
                admin: {address: '127.0.0.1:0'}
                log-level: error
                listeners:
                  - name: test
                    address: '127.0.0.1:0'
                    routes: [{ROUTE}]
                  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
                clusters:
                  stable: {endpoints: [STABLE]}
                  other: {endpoints: ['127.0.0.1:${BACKEND_1}']}
                  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
                """;
        return Sidecar.of(yaml.replace("ROUTE", route).replace("STABLE", stableEndpoints), stable, other);
    }

    private static String taken(RawClient client, String fields) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: app\r\n" + fields + "\r\n")
                .response()
                .bodyText();
    }

    /** A retry goes to another endpoint of the same cluster, never to another cluster. */
    @Test
    void retriesStayInTheCluster() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = with(
                        "clusters: [{cluster: stable, weight: 1}, {cluster: other, weight: 1}], sticky: {header: X-User}, retries: {attempts: 3}",
                        "'127.0.0.1:" + dead.port() + "', '127.0.0.1:${BACKEND}'");
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
        other.onRequest(connection -> {
            connection.readRequest();
            if (asked.getAndIncrement() == 0) {
                connection.write(RecordingBackend.OK);
                return;
            }
            long until = System.nanoTime() + 2 * BackendStream.STALE_NS;
            Await.until("not stale", () -> System.nanoTime() > until);
            connection.close();
        });
        try (Sidecar sidecar = with("cluster: stable, mirror: {cluster: other}", "'127.0.0.1:${BACKEND}'");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 2; i++) {
                assertThat(taken(client, "")).isEqualTo("s");
                Await.until("copies are over", () -> sidecar.metrics().sum("remora_mirrors_in_flight") == 0);
            }
            assertThat(other.connections()).hasSize(1);
            assertThat(sidecar.metrics()
                            .sum("remora_endpoint_outcomes_total", "cluster", "other", "outcome", "failure"))
                    .isEqualTo(1);
        }
    }
}
