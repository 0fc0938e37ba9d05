package io.remora.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.FreePort;
import io.remora.testkit.LaunchedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of the log about flags of the user, by the launcher and the JVM of this test. */
final class UserFlagsIT {
    @TempDir
    private Path directory;

    @Test
    void namesEachFlagThatDoesNothingOrIsDeprecated() throws IOException {
        Map<String, String> variables = Map.of(
                "JDK_JAVA_OPTIONS",
                "-Xmx33m -Da=b",
                "REMORA_JAVA_OPTS",
                "-XX:+UseSerialGC -XX:MaxInlineLevel=9 -XX:MinHeapFreeRatio=40 -XX:+IgnoreUnrecognizedVMOptions"
                        + " -XX:+NoSuchFlag -XX:G1HeapRegionSize=1m -XX:+UseStringDeduplication"
                        + (Runtime.version().feature() == 17 ? " -XX:-UseBiasedLocking" : ""));
        List<String> expected = List.of(
                "java options: -Xmx33m in JDK_JAVA_OPTIONS is overridden by -Xmx64m, which comes later; it does nothing",
                "java options: -XX:+UseSerialGC in REMORA_JAVA_OPTS repeats -XX:+UseSerialGC before it; it changes nothing",
                "java options: -XX:MaxInlineLevel=9 in REMORA_JAVA_OPTS is for C2, which this JVM does not run; it does nothing",
                "java options: -XX:MinHeapFreeRatio=40 in REMORA_JAVA_OPTS is the default of this JVM; it changes nothing",
                "java options: -XX:+NoSuchFlag in REMORA_JAVA_OPTS is not a flag of this JVM; it does nothing",
                "java options: -XX:G1HeapRegionSize=1m in REMORA_JAVA_OPTS is for the collector G1, and this JVM runs Serial; it does nothing");
        String log = logOfAStart(variables);
        assertThat(lines(log)).containsAll(expected);
        assertThat(lines(log)).hasSize(Runtime.version().feature() == 17 ? expected.size() + 1 : expected.size());
        if (Runtime.version().feature() == 17) {
            assertThat(log)
                    .contains("-XX:-UseBiasedLocking in REMORA_JAVA_OPTS is deprecated since Java 15; a later release");
        }
    }

    @Test
    void saysNothingOfAFlagWithAnEffect() throws IOException {
        assertThat(lines(logOfAStart(Map.of("REMORA_JAVA_OPTS", "-Xmx48m -XX:MaxDirectMemorySize=48m -Da=b"))))
                .isEmpty();
    }

    /** A JVM that does not answer costs the check, never the start. */
    @Test
    void startsWhereTheFlagsAreNotFound() throws IOException {
        Path java = Files.writeString(directory.resolve("java"), """
                #!/bin/sh
                case "$*" in
                    *PrintFlags*) exit 3 ;;
                esac
                exec "%s/bin/java" "$@"
                """.formatted(System.getProperty("java.home")));
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Map<String, String> variables = Map.of(
                "REMORA_JAVA", java.toString(), "REMORA_JAVA_OPTS", "-Xmx40m -XX:MinHeapFreeRatio=40 -XX:+UseSerialGC");
        assertThat(lines(logOfAStart(variables)))
                .containsExactly(
                        "java options: -XX:+UseSerialGC in REMORA_JAVA_OPTS repeats -XX:+UseSerialGC before it;"
                                + " it changes nothing");
    }

    /** Without a flag of the user, the launcher starts one JVM, and no class of the check is loaded. */
    @Test
    void costsNothingWithoutAFlag() throws IOException {
        Path starts = directory.resolve("starts");
        Path java = Files.writeString(
                directory.resolve("java"), """
                #!/bin/sh
                case "$*" in
                    *Dremora.profile*) echo run >>"%s" ;;
                    -version) ;;
                    *) echo "$*" >>"%s" ;;
                esac
                exec "%s/bin/java" "$@"
                """.formatted(starts, starts, System.getProperty("java.home")));
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Map<String, String> variables = Map.of(
                "REMORA_JAVA", java.toString(), "REMORA_JAVA_OPTS", "-Da=b", "JDK_JAVA_OPTIONS", "-verbose:class");
        String log = logOfAStart(variables);
        assertThat(Files.readString(starts)).isEqualTo("run\n");
        assertThat(log).contains("io.remora.Main ").doesNotContain("io.remora.vmflags", "VmArguments");
    }

    private static List<String> lines(String log) {
        return log.lines()
                .filter(line -> line.contains("java options: "))
                .map(line -> line.substring(line.indexOf("java options: ")))
                .map(line -> line.replace("; a later release may refuse it", ""))
                .toList();
    }

    private String logOfAStart(Map<String, String> given) throws IOException {
        Path config = Files.writeString(directory.resolve("a.yaml"), """
                admin: {address: "127.0.0.1:%d"}
                listeners: [{name: in, address: "127.0.0.1:%d", cluster: app}]
                clusters: {app: {endpoints: ["127.0.0.1:1"]}}
                """.formatted(FreePort.next(), FreePort.next()));
        Map<String, String> variables = new HashMap<>(given);
        variables.putIfAbsent("JAVA_HOME", System.getProperty("java.home"));
        try (LaunchedProcess run = LaunchedProcess.start(
                directory, variables, LaunchedProcess.LAUNCHER.toString(), "run", "--config", config.toString())) {
            assertThat(Await.within(Await.TIMEOUT_MS, () -> isReady(run)))
                    .as(run.out() + run.err())
                    .isTrue();
            return run.out() + run.err();
        }
    }

    private static boolean isReady(LaunchedProcess run) {
        try {
            assertThat(run.isAlive()).as(run.out() + run.err()).isTrue();
            return run.err().contains(" ready; ");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
