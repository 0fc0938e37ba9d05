package io.remora.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.LaunchedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which JVM profile the launcher picks, what may override it, and when it starts nothing. */
final class ProfileIT {
    private static final int STARTED = 7;
    private static final Path PROFILES =
            LaunchedProcess.LAUNCHER.resolve("../../../jvm-profiles").normalize();

    @TempDir
    private Path directory;

    private Path java;

    @BeforeEach
    void makeAJavaThatTellsItsArguments() throws IOException {
        java = directory.resolve("java");
        writeProgram(java);
    }

    @ParameterizedTest
    @CsvSource({
        "1, , rps-100",
        "100, , rps-100",
        "0101, , rps-1000",
        "1000, , rps-1000",
        "1001, , rps-10000",
        ", 90, rps-100",
        "5000, 90, rps-10000",
        ", , rps-1000"
    })
    void picksTheSmallestProfileThatCoversTheRate(String argument, String variable, String profile) throws IOException {
        Map<String, String> variables = variable == null ? Map.of() : Map.of("REMORA_RPS", variable);
        try (LaunchedProcess told = argument == null
                ? start(variables, "run", "--config", "x")
                : start(variables, "run", "--config", "x", "--rps", argument)) {
            assertThat(told.status()).isEqualTo(STARTED);
            List<String> options = new ArrayList<>();
            for (String file : List.of("common", "common.netty", "common.c1", "common.host", profile)) {
                options.addAll(flags(file));
            }
            assertThat(options).hasSizeGreaterThan(10);
            options.add("-Dremora.profile=" + profile);
            options.add("-Dremora.image=host");
            options.add("-Dremora.peak=" + peak(profile));
            assertThat(told.out().lines().takeWhile(line -> !line.equals("-jar")))
                    .containsExactlyElementsOf(options);
            assertThat(told.out().lines()).endsWith("run", "--config", "x");
        }
    }

    @Test
    void startsNothingForARateThatItHasNoProfileFor() throws IOException {
        refuses(64, "a whole number above 0", Map.of(), "run", "--rps", "0");
        refuses(64, "a whole number above 0", Map.of(), "run", "--rps", "1e3");
        refuses(64, "--rps needs a number", Map.of(), "run", "--rps");
        refuses(64, "REMORA_RPS many", Map.of("REMORA_RPS", "many"), "run");
        refuses(64, "amd64-tiered has a profile for 40000", Map.of(), "run", "--rps", "10001");
        refuses(64, "no image has more", Map.of(), "run", "--rps", "99999999999999999999");
    }

    @ParameterizedTest
    @CsvSource({
        "16m, , 16777216, 67108864, JVM_HEAP_MIN=16m",
        ", 16m, 8388608, 16777216, JVM_HEAP_MAX=16m",
        "12M, 48M, 12582912, 50331648, 'JVM_HEAP_MIN=12M,JVM_HEAP_MAX=48M'",
        ", 4096k, 4194304, 4194304, JVM_HEAP_MAX=4096k",
        "1g, , 1073741824, 1073741824, JVM_HEAP_MIN=1g"
    })
    void overridesTheHeap(String min, String max, String expectedMin, String expectedMax, String told)
            throws IOException {
        Map<String, String> variables = new HashMap<>();
        if (min != null) {
            variables.put("JVM_HEAP_MIN", min);
        }
        if (max != null) {
            variables.put("JVM_HEAP_MAX", max);
        }
        try (LaunchedProcess process = start(variables, "run")) {
            assertThat(process.status()).isEqualTo(STARTED);
            // behind the profile's own options, so that these win
            assertThat(process.out()
                            .lines()
                            .dropWhile(line -> !line.startsWith("-Dremora.peak="))
                            .skip(1))
                    .startsWith("-Xms" + expectedMin, "-Xmx" + expectedMax, "-Dremora.heap.override=" + told, "-jar");
        }
    }

    @Test
    void startsNothingWithAnInvalidHeap() throws IOException {
        refuses(64, "JVM_HEAP_MAX plenty: a size", Map.of("JVM_HEAP_MAX", "plenty"), "run");
        refuses(64, "JVM_HEAP_MIN 8t: a size", Map.of("JVM_HEAP_MIN", "8t"), "run");
        refuses(64, "JVM_HEAP_MIN=9m is above", Map.of("JVM_HEAP_MIN", "9m", "JVM_HEAP_MAX", "8m"), "run");
    }

    @Test
    void startsNothingWhereThePeakDoesNotFit() throws IOException {
        Map<String, String> small = limited("20971520");
        refuses(78, "rps-1000 on image host needs ", small, "run");
        refuses(78, "memory.max allows 20971520", small, "run", "--rps", "100");
        for (Map<String, String> enough : List.of(limited("1073741824"), limited("max"))) {
            try (LaunchedProcess started = start(enough, "run")) {
                assertThat(started.status()).isEqualTo(STARTED);
            }
        }
        try (LaunchedProcess check = start(small, "check", "x")) {
            assertThat(check.status()).as("judging takes little").isEqualTo(STARTED);
        }
    }

    @Test
    void fitsHeapAndBuffersToTheLimit() throws IOException {
        long limit = 80_000_000;
        long room = limit / 100 * 94 - Long.parseLong(peak("rps-1000"));
        long growth = (room / 8 * 3 + (1 << 20)) / (2 << 20) * (2 << 20);
        long heap = (8 << 20) + growth;
        long direct = (room - growth) / 65_536 * 65_536;
        Map<String, String> variables = new HashMap<>(limited(Long.toString(limit)));
        try (LaunchedProcess told = start(variables, "run")) {
            assertThat(told.status()).isEqualTo(STARTED);
            assertThat(told.out().lines().dropWhile(line -> !line.startsWith("-Dremora.limit=")))
                    .startsWith(
                            "-Dremora.limit=80000000",
                            "-Xmx" + heap,
                            "-XX:MaxDirectMemorySize=" + direct,
                            "-Dremora.limit.from=" + variables.get("REMORA_SYSTEM_ROOT") + "/sys/fs/cgroup/memory.max",
                            "-jar");
        }
        variables.put("JVM_HEAP_MAX", "24m");
        try (LaunchedProcess told = start(variables, "check", "x")) {
            assertThat(told.status()).isEqualTo(STARTED);
            assertThat(told.out().lines())
                    .as("what the user says comes behind")
                    .containsSubsequence("-Xmx" + heap, "-Xmx25165824", "-jar");
        }
    }

    /** Of a profile on a JDK of the host. */
    private static String peak(String profile) throws IOException {
        return Files.readAllLines(PROFILES.resolve("peaks")).stream()
                .filter(line -> line.startsWith("host " + profile + " "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void leavesItToAnArgumentFileOfTheUsers() throws IOException {
        for (String options : List.of("@mine", "-Xint @mine")) {
            try (LaunchedProcess told =
                    start(Map.of("JDK_JAVA_OPTIONS", options, "JVM_HEAP_MAX", "9m"), "run", "--rps", "x")) {
                assertThat(told.status()).isEqualTo(STARTED);
                assertThat(told.out().lines())
                        .startsWith("-Xmx9437184", "-Dremora.heap.override=JVM_HEAP_MAX=9m", "-jar")
                        .endsWith("run");
            }
        }
    }

    @Test
    void takesTheJvmOfTheRuntimeImageItLiesIn() throws IOException {
        Path image = directory.resolve("image dir");
        Files.createDirectories(image.resolve("runtime/bin"));
        Files.createDirectories(image.resolve("lib/remora"));
        Files.createDirectories(image.resolve("bin"));
        LauncherIT.copyFiles(PROFILES, Files.createDirectory(image.resolve("jvm-profiles")));
        Files.writeString(image.resolve("lib/remora/remora.jar"), "");
        Files.writeString(image.resolve("image"), "name=amd64-tiered\njdk=17\n");
        writeProgram(image.resolve("runtime/bin/java"));
        Path launcher = Files.copy(LaunchedProcess.LAUNCHER, image.resolve("bin/remora"));
        String[] run = {"run", "--rps", "40000"};
        try (LaunchedProcess told =
                LaunchedProcess.start(directory, Map.of("JAVA_HOME", "/nowhere"), launcher.toString(), run)) {
            assertThat(told.status()).isEqualTo(STARTED);
            assertThat(told.out().lines())
                    .contains("-Dremora.image=amd64-tiered", "-Dremora.profile=rps-40000")
                    .containsAll(flags("common.tiered"))
                    .doesNotContainAnyElementsOf(flags("common.host"));
        }
    }

    private void refuses(int status, String why, Map<String, String> variables, String... arguments)
            throws IOException {
        try (LaunchedProcess refused = start(variables, arguments)) {
            assertThat(refused.status()).isEqualTo(status);
            assertThat(refused.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("remora: ")
                    .contains(why);
            assertThat(refused.out()).isEmpty();
        }
    }

    /** What a file of a profile says without its comments. */
    private static List<String> flags(String file) throws IOException {
        return Files.readAllLines(PROFILES.resolve(file)).stream()
                .filter(line -> line.startsWith("-"))
                .toList();
    }

    /** On a system whose only control group has this limit of memory. */
    private Map<String, String> limited(String bytes) throws IOException {
        Path root = Files.createDirectories(directory.resolve("root-" + bytes));
        Files.createDirectories(root.resolve("proc/self"));
        Files.createDirectories(root.resolve("sys/fs/cgroup"));
        Files.writeString(root.resolve("proc/self/cgroup"), "0::/\n");
        Files.writeString(root.resolve("sys/fs/cgroup/memory.max"), bytes + "\n");
        return Map.of("REMORA_SYSTEM_ROOT", root.toString());
    }

    private LaunchedProcess start(Map<String, String> variables, String... arguments) throws IOException {
        Map<String, String> all = new HashMap<>(variables);
        all.put("REMORA_JAVA", java.toString());
        return LaunchedProcess.start(directory, all, LaunchedProcess.LAUNCHER.toString(), arguments);
    }

    /** In the place of java: tells its version, or its arguments, one a line, and ends with a status of its own. */
    private static void writeProgram(Path path) throws IOException {
        Files.writeString(
                path,
                "#!/bin/sh\n[ \"$1\" != -version ] || { echo 'java version \"17\"'; exit; }\n"
                        + "printf '%s\\n' \"$@\"\nexit " + STARTED + "\n");
        assertThat(path.toFile().setExecutable(true)).isTrue();
    }
}
