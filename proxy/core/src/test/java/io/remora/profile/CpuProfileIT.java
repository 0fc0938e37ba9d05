package io.remora.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import io.remora.testkit.NativeLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles that a program takes of itself with the native library. */
final class CpuProfileIT {
    @TempDir
    private Path directory;

    @BeforeEach
    void build() throws IOException {
        NativeLibrary.ofProfilerInto(directory);
    }

    private List<String> burn(List<String> options, String... arguments) {
        return run(List.of(), options, Burner.class, arguments);
    }

    private List<String> run(List<String> before, List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-Djava.library.path=" + directory));
        command.addAll(options);
        String classes = Path.of("target", "test-classes").toAbsolutePath() + ":"
                + Path.of("target", "classes").toAbsolutePath();
        command.addAll(List.of("-cp", classes, main.getName()));
        command.addAll(List.of(arguments));
        Command done = Command.run(directory, command.toArray(new String[0]));
        return done.good().lines().toList();
    }

    private static long samples(List<String> lines, String part) {
        return lines.stream()
                .filter(line -> line.contains(part))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void theMethodThatBurnsIsOnTop() {
        for (String mode : List.of("-XX:TieredStopAtLevel=1", "-Xint")) {
            List<String> lines = burn(List.of(mode), "once", "3000", "200");
            assertThat(lines).contains("second refused true");
            long much = samples(lines, "[burns-much];java.lang.Thread.run_[j];");
            long hot = samples(lines, "io.remora.profile.Burner.burnMuch_[j];io.remora.profile.Burner.spin_[j] ");
            long little = samples(lines, "[burns-little];");
            long ranMs = samples(lines, "ran ");
            // a kernel with 100 ticks a second gives half the rate
            assertThat(much).as(String.join("\n", lines)).isBetween(ranMs / 20, ranMs / 4);
            assertThat(much).as(String.join("\n", lines)).isPositive();
            assertThat(hot).as(String.join("\n", lines)).isGreaterThan(8 * much / 10);
            assertThat(little).as(String.join("\n", lines)).isPositive().isLessThan(much);
        }
    }

    @Test
    void fiftyProfilesLeaveNothing() {
        // the VM starts and ends compiler threads as it needs them otherwise
        List<String> fixed = List.of("-XX:TieredStopAtLevel=1", "-XX:-UseDynamicNumberOfCompilerThreads", "-Xms64m");
        List<String> lines = burn(fixed, "often", "50");
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).startsWith("threads ").endsWith(" timers 0");
        assertThat(number(lines.get(2), "threads ")).isEqualTo(number(lines.get(0), "threads "));
        assertThat(lines.get(2)).endsWith(lines.get(0).substring(lines.get(0).indexOf(" descriptors")));
        assertThat(kilobytes(lines.get(3)) - kilobytes(lines.get(1))).isLessThan(4_096);
    }

    @Test
    void theHeapOfCStaysWhole() {
        // its debug library checks each block; where it is missing, the C library's own checks are left
        List<String> checked =
                List.of("env", "LD_PRELOAD=libc_malloc_debug.so.0", "MALLOC_CHECK_=3", "MALLOC_ARENA_MAX=1");
        for (String mode : List.of("-XX:TieredStopAtLevel=1", "-Xint")) {
            List<String> lines = run(checked, List.of(mode), Churn.class, "20", "300", "1000");
            assertThat(lines).endsWith("samples true classes true threads true texts true");
        }
    }

    private static int number(String line, String word) {
        int from = line.indexOf(word) + word.length();
        return Integer.parseInt(line.substring(from, line.indexOf(' ', from)));
    }

    private static long kilobytes(String line) {
        assertThat(line).startsWith("VmRSS:");
        return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
    }
}
