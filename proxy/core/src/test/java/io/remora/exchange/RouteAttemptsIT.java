package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.stream.BackendStream;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of the attempts of routes with several clusters, and of copies, where it is not an engine that repeats by itself. */
final class RouteAttemptsIT {
    private final RecordingBackend stable = answering("s");
    private final RecordingBackend canary = answering("c");

    @AfterEach
    void close() {
        stable.close();
        canary.close();
    }

    private static RecordingBackend answering(String letter) {
        return RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + letter);
    }

    /** The letter of the backend that answers. */
    private static String taken(RawClient client, String fields) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: app\r\n" + fields + "\r\n")
                .response()
                .bodyText();
    }

    /** A retry goes to another endpoint of the same cluster, never to another cluster. */
    @Test
    void retriesStayInTheCluster() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = Sidecar.start(Setup.at(dead.port())
                        .and(stable)
                        .and(canary)
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
        canary.onRequest(connection -> {
            connection.readRequest();
            if (asked.getAndIncrement() == 0) {
                connection.write(RecordingBackend.OK);
                return;
            }
            long until = System.nanoTime() + 2 * BackendStream.STALE_NS;
            Await.until("not stale", () -> System.nanoTime() > until);
            connection.close();
        });
        try (Sidecar sidecar = Sidecar.start(Setup.before(stable, canary)
                        .clusters("stable", "canary")
                        .rules("cluster: stable, mirror: {cluster: canary}"));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 2; i++) {
                assertThat(taken(client, "")).isEqualTo("s");
                Await.until("copies are over", () -> sidecar.metrics().sum("remora_mirrors_in_flight") == 0);
            }
            assertThat(canary.connections()).hasSize(1);
            assertThat(sidecar.metrics()
                            .sum("remora_endpoint_outcomes_total", "cluster", "canary", "outcome", "failure"))
                    .isEqualTo(1);
        }
    }
}
