package io.remora.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Command;
import io.remora.testkit.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles that a program takes of itself with the native library. */
final class ProfileIT {
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
    void functionsOfTheKernelAreNamedWherePerfIsPermitted() throws IOException {
        List<String> lines = burn(List.of("-XX:TieredStopAtLevel=1"), "kernel");
        String all = String.join("\n", lines);
        if (!isPerfPermitted()) {
            assertThat(lines.get(0)).contains("the kernel is one frame, because ");
            return;
        }
        assertThat(lines.get(0)).as(all).isEqualTo("method by perf events");
        List<String> reads = lines.stream()
                .filter(line ->
                        line.startsWith("[burns-kernel];java.lang.Thread.run_[j];") && line.contains(";[kernel]_[k]"))
                .toList();
        long inKernel = samples(reads, ";");
        assertThat(inKernel).as(all).isGreaterThan(20);
        assertThat(samples(reads, ";vfs_read_[k]")).as(all).isGreaterThan(inKernel / 2);
        assertThat(lines).as(all).noneMatch(line -> line.contains("[kernel function "));
        assertThat(samples(lines, "[burns-much];")).as(all).isGreaterThan(samples(lines, "[burns-little];"));
        // the buffer is emptied more often at this rate
        assertThat(samples(lines, "dropped ")).as(all).isLessThan(samples(lines, ";") / 10);
    }

    /** Returns true if the kernel has events, and this process has CAP_PERFMON and CAP_SYSLOG. */
    private static boolean isPerfPermitted() throws IOException {
        String capabilities = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("CapEff:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("0");
        long effective = Long.parseUnsignedLong(capabilities, 16);
        return paranoia() >= 0 && (effective >> 38 & 1) == 1 && (effective >> 34 & 1) == 1;
    }

    /** Returns the kernel's setting for events of perf, -1 if it has none. */
    private static int paranoia() throws IOException {
        Path setting = Path.of("/proc/sys/kernel/perf_event_paranoid");
        return Files.exists(setting)
                ? Integer.parseInt(Files.readString(setting).strip())
                : -1;
    }

    @Test
    void theKernelIsOneFrameWherePerfIsNotPermitted() throws IOException {
        assumeTrue(paranoia() >= 2, "the kernel permits events to all, or has none");
        List<String> confined = List.of("setpriv", "--bounding-set", "-sys_admin,-cap_38");
        Command dropped = Command.run(directory, "setpriv", "--bounding-set", "-sys_admin,-cap_38", "true");
        assumeTrue(dropped.status() == 0, "not root");
        List<String> lines = run(confined, List.of("-XX:TieredStopAtLevel=1"), Burner.class, "kernel");
        String all = String.join("\n", lines);
        assertThat(lines.get(0))
                .as(all)
                .isEqualTo("method by timers; the kernel is one frame, because perf_event_open is not permitted");
        assertThat(samples(lines, ";[kernel]_[k] ")).as(all).isPositive();
        assertThat(lines).as(all).noneMatch(line -> line.contains("[kernel]_[k];"));
    }

    @Test
    void fiftyProfilesOfAllKindsLeaveNothing() {
        // the VM starts and ends compiler threads as it needs them otherwise
        List<String> fixed = List.of("-XX:TieredStopAtLevel=1", "-XX:-UseDynamicNumberOfCompilerThreads", "-Xms64m");
        List<String> lines = burn(fixed, "often", "52");
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).startsWith("threads ").endsWith(" pages 0 timers 0");
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
            for (String[] kind : new String[][] {
                {"CPU", "1000"}, {"WALL", "100"}, {"ALLOC", "1024"}, {"LOCK", "0"}, {"KERNEL", "1000"}
            }) {
                List<String> lines = run(checked, List.of(mode), Churn.class, "20", "300", kind[0], kind[1]);
                assertThat(lines.get(lines.size() - 1))
                        .as(kind[0])
                        // nobody waits for a monitor there
                        .endsWith((kind[0].equals("LOCK") ? "" : "samples true ")
                                + "classes true threads true texts true");
            }
        }
    }

    private List<String> loiter(String mode, String... arguments) {
        List<String> lines = run(List.of(), List.of(mode), Loiterer.class, arguments);
        assertThat(lines).contains("failure none");
        return lines;
    }

    @Test
    void theSiteThatAllocatesIsNamedWithItsClassAndBytes() {
        for (String mode : List.of("-XX:TieredStopAtLevel=1", "-Xint")) {
            List<String> lines = loiter(mode, "ALLOC", "65536", "4000");
            String all = String.join("\n", lines);
            assertThat(lines).as(all).contains("period 65536");
            assertThat(all).contains("[allocates];java.lang.Thread.run_[j];");
            long crates = samples(lines, "Loiterer.fillCrates_[j];io.remora.profile.Loiterer$Crate_[y] ");
            long sheets = samples(lines, "Loiterer.fillSheets_[j];byte[]_[y] ");
            long cratesTold = samples(lines, "crates ");
            long sheetsTold = samples(lines, "sheets ");
            // on a busy machine, some samples find no room
            long dropped = 65_536 * samples(lines, "dropped ");
            assertThat(dropped).as(all).isLessThan((cratesTold + sheetsTold) / 2);
            assertThat(crates).as(all).isBetween(8 * cratesTold / 10 - dropped, 12 * cratesTold / 10);
            long error = sixErrors(sheetsTold, 65_536);
            assertThat(sheets).as(all).isBetween(sheetsTold - error - dropped, sheetsTold + error);
            assertThat(crates).as(all).isGreaterThan(2 * sheets);
            assertThat(crates + sheets).as(all).isGreaterThan(9 * samples(lines, ";") / 10);
            assertThat(lines).as(all).noneMatch(line -> line.contains("io.remora.profile.Profile."));
        }
    }

    /** Six standard errors of a sum of samples, each of which stands for so many bytes. */
    private static long sixErrors(long bytes, long period) {
        return (long) (6 * Math.sqrt((double) bytes * period));
    }

    @Test
    void theMonitorThatThreadsWaitForIsNamedWithTheTime() {
        for (String mode : List.of("-XX:TieredStopAtLevel=1", "-Xint")) {
            List<String> lines = loiter(mode, "LOCK", "0", "3000");
            String all = String.join("\n", lines);
            long entered = samples(lines, "Loiterer.enterGate_[j];io.remora.profile.Loiterer$Gate_[y] ");
            long told = samples(lines, "waited ");
            assertThat(entered).as(all).isBetween(told / 2, 11 * told / 10);
            assertThat(told).as(all).isGreaterThan(500_000_000L);
            assertThat(lines).as(all).noneMatch(line -> line.startsWith("[parks]"));
        }
    }

    @Test
    void threadsThatWaitAreInTheirWallClockButNotInTheirCpuTime() {
        for (String mode : List.of("-XX:TieredStopAtLevel=1", "-Xint")) {
            List<String> lines = loiter(mode, "WALL", "50", "4000");
            String all = String.join("\n", lines);
            assertThat(samples(lines, "period ")).as(all).isGreaterThan(18_000_000L);
            // each thread in turn, however late the turns are
            long expected = samples(lines, "[parks];");
            assertThat(expected).as(all).isGreaterThan(10);
            for (String thread : List.of("[selects]", "[selects-timed]", "[accepts]", "[enters]")) {
                assertThat(samples(lines, thread + ';'))
                        .as(thread + all)
                        .isBetween(8 * expected / 10 - 2, 12 * expected / 10 + 2);
            }
            assertThat(samples(lines, ".LockSupport.park_[j];")).as(all).isPositive();
            assertThat(samples(lines, "sun.nio.ch.EPollSelectorImpl.doSelect_[j];"))
                    .as(all)
                    .isPositive();
            assertThat(lines).as(all).noneMatch(line -> line.contains("io.remora.profile.Profile.run"));
            // a signal ends neither a wait nor its time
            assertThat(lines).as(all).contains("selected 0");
            assertThat(samples(lines, "least ")).as(all).isGreaterThanOrEqualTo(690L);

            List<String> cpu = loiter(mode, "CPU", "100", "2000");
            // 200 if waiting counted; a thread that starts uses some milliseconds
            assertThat(samples(cpu, "[parks];") + samples(cpu, "[selects];"))
                    .as(String.join("\n", cpu))
                    .isLessThan(20);
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
