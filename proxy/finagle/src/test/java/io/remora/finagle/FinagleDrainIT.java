package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ProxyConfig;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A cluster of Finagle's engine that no configuration names any longer. */
final class FinagleDrainIT {
    private static ProxyConfig config(String cluster, RecordingBackend backend) {
        return SeamStand.config("""
                engine: finagle
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: CLUSTER}
                clusters:
                  CLUSTER: {endpoints: ["127.0.0.1:PORT"], timeouts: {connect: 100ms}}
                """.replace("CLUSTER", cluster).replace("PORT", Integer.toString(backend.port())));
    }

    @Test
    void isLeftAndClosed() throws IOException {
        try (RecordingBackend first = RecordingBackend.start();
                RecordingBackend second = RecordingBackend.start();
                SeamStand stand = SeamStand.start(new Seams(), config("app", first))) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            stand.proxy().replace(config("next", second));
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(second.requests()).hasSize(1);
            Await.until("closed", () -> first.openConnections() == 0);
            Await.until("its counts are gone", () -> !stand.page("/metrics").contains("cluster=\"app\""));
        }
    }
}
