package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerProcessIT {
    /** Nobody has it then who could end it. */
    @Test
    void oneThatIsNeverReadyIsEnded(@TempDir Path directory) {
        ServerProcess process = new ServerProcess(directory, "out.txt", List.of("sh", "-c", "echo why; exec sleep 60"));
        Await.until("it has said so", () -> ServerProcess.text(directory.resolve("out.txt"))
                .equals("why\n"));
        assertThatThrownBy(() -> process.await(1, () -> false)).hasMessageContaining("why");
        assertThatThrownBy(() -> process.isOpen(1)).hasMessageStartingWith("ended");
    }
}
