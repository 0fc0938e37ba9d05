package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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

    /** As of a program behind a script, which a signal does not reach. */
    @Test
    void whatItHasStartedEndsWithIt(@TempDir Path directory) {
        Path output = directory.resolve("out.txt");
        ServerProcess process =
                new ServerProcess(directory, "out.txt", List.of("sh", "-c", "sleep 60 & echo $!; wait"));
        Await.until("it has begun", () -> ServerProcess.text(output).endsWith("\n"));
        long begun = Long.parseLong(ServerProcess.text(output).strip());
        assertThat(command(begun)).isPresent();
        process.close();
        Await.until("it has ended", () -> command(begun).isEmpty());
    }

    /** None of one that has ended, even where nobody has asked for its status. */
    private static Optional<String> command(long pid) {
        return ProcessHandle.of(pid).flatMap(one -> one.info().command());
    }
}
