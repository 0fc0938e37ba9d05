package io.remora.sidecar;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process without a descriptor left, while connections come and go: the search for one gets no busier, and ends. */
@Contract
final class DescriptorChurnIT {
    /** Beside those of an engine's jars. */
    private static final int DESCRIPTORS = 64;

    private static final int CLIENTS = 80;
    private static final int WINDOW_MS = 700;
    /**
     * A loop that spins takes all of a processor; one that looks for a descriptor now and then takes next to nothing.
     */
    private static final double MOST_OF_A_PROCESSOR = 0.2;

    @TempDir
    private Path directory;

    private final RecordingBackend backend = RecordingBackend.start();
    private final List<RawClient> clients = new ArrayList<>();
    private SidecarProcess sidecar;

    @BeforeEach
    void start() throws IOException {
        int descriptors = DESCRIPTORS + SidecarProcess.engineJars();
        List<String> limited = List.of("sh", "-c", "ulimit -n " + descriptors + " && exec \"$@\"", "sh");
        sidecar = SidecarProcess.start(directory, backend, limited, List.of(), "");
    }

    @AfterEach
    void stop() {
        clients.forEach(RawClient::close);
        sidecar.close();
        backend.close();
    }

    /** Connects until no more is accepted; the kernel completes the rest in the backlog. */
    private void exhaust() {
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(sidecar.client());
        }
        Await.until("accepting pauses", () -> sidecar.log().contains("accepting pauses"));
    }

    /** Whether it takes next to no processor time over a window. */
    private boolean isQuiet() {
        double before = sidecar.cpuSeconds();
        long startNs = System.nanoTime();
        Stand.pause(WINDOW_MS);
        return (sidecar.cpuSeconds() - before) * 1e9 / (System.nanoTime() - startNs) < MOST_OF_A_PROCESSOR;
    }

    /** Connections that come and go while there is no descriptor do not make the search for one any busier. */
    @Test
    void doesNotSpinThoughOthersComeAndGo() throws IOException {
        exhaust();
        for (int round = 0; round < 2_000; round++) {
            clients.remove(0).close();
            clients.add(sidecar.client());
        }
        Await.until("those in the backlog have come and gone, and nothing spins", this::isQuiet);
        assertThat(sidecar.log().lines().count()).as("lines of log").isLessThan(200);
        clients.forEach(RawClient::close);
        clients.clear();
        Await.until("accepting goes on", () -> sidecar.log().contains("accepting again"));
        try (RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        sidecar.endsWell();
    }
}
