package io.remora.flame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles for pprof, read by Go's own {@code go tool pprof}. */
final class PprofToolIT {
    private static final String[] SAMPLES = {
        "[loop];a.B.run_[j];c.D.read_[j] 30", "[loop];a.B.run_[j];[libjvm]_[v] 7", "[admin];e.F.page_[j];[kernel]_[k] 3"
    };

    @TempDir
    private Path directory;

    private String pprof(Measure measure, String... words) throws IOException {
        Path file = directory.resolve("profile.pb.gz");
        Files.write(file, FlameFiles.bytes(FlameFiles.tree(SAMPLES), FlameFormat.PPROF, measure));
        String[] all = new String[words.length + 4];
        System.arraycopy(new String[] {"go", "tool", "pprof"}, 0, all, 0, 3);
        System.arraycopy(words, 0, all, 3, words.length);
        all[all.length - 1] = file.toString();
        return Command.run(directory, all).good();
    }

    @Test
    void goReadsTheSamples() throws IOException {
        assumeThat(System.getenv("PATH").split(":"))
                .as("Go is installed")
                .anyMatch(part -> Files.isExecutable(Path.of(part, "go")));
        // 10 ms a sample
        assertThat(pprof(Measure.CPU, "-top", "-nodecount=9"))
                .contains("Type: cpu", "of 400ms total")
                .containsPattern(" 300ms +75\\.00% +75\\.00% +300ms +75\\.00% +c\\.D\\.read\n")
                .containsPattern(" 0 +0% +100% +370ms +92\\.50% +a\\.B\\.run\n")
                .containsPattern(" 30ms +7\\.50% .* \\[kernel]\n");
        assertThat(pprof(Measure.CPU, "-comments")).contains("a note");
        assertThat(pprof(Measure.CPU, "-peek", "c.D.read")).containsPattern("300ms +100% \\| +a\\.B\\.run");
    }
}
