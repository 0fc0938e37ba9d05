package io.remora.compilelog;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.json.JsonTree;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.SteadyLoad;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads the logs of real VMs: of a program that C2 compiles, of a VM that is killed, and of a sidecar under load. */
final class CompileLogIT {
    private static final int PATIENCE_SECONDS = 120;
    private static final int REQUESTS = 2_000;

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private boolean run(String... arguments) throws IOException {
        CompileLogCommand command = CompileLogCommand.of(arguments);
        assertThat(command).isNotNull();
        out.reset();
        return command.run(
                InputStream.nullInputStream(),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private Map<String, Object> json(String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of("compile-log", "--json", "--top", "10000"));
        words.addAll(List.of(arguments));
        assertThat(run(words.toArray(new String[0])))
                .as(err.toString(StandardCharsets.UTF_8))
                .isTrue();
        return SampleLog.object(JsonTree.read(out.toByteArray()));
    }

    private List<String> logging(Path log, String... options) {
        List<String> words =
                new ArrayList<>(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation", "-XX:LogFile=" + log));
        words.addAll(List.of(options));
        return words;
    }

    private Process workload(List<String> options, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CompiledWorkload.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("workload.txt").toFile())
                .start();
    }

    private static List<?> list(Map<String, Object> json, String key) {
        return (List<?>) json.get(key);
    }

    private static long number(Map<String, Object> json, String object, String key) {
        return (Long) SampleLog.object(json.get(object)).get(key);
    }

    private static List<String> values(Map<String, Object> json, String list, String key) {
        List<String> values = new ArrayList<>();
        for (Object row : list(json, list)) {
            values.add(String.valueOf(SampleLog.object(row).get(key)));
        }
        return values;
    }

    private static Map<String, Object> row(Map<String, Object> json, String list, String key, String value) {
        for (Object row : list(json, list)) {
            if (value.equals(SampleLog.object(row).get(key))) {
                return SampleLog.object(row);
            }
        }
        throw new AssertionError(value + " is not among " + values(json, list, key));
    }

    @Test
    void readsWhatATieredVmDid() throws Exception {
        Path log = directory.resolve("tiered.log");
        // else a busy machine may end the loops before C2 has compiled them
        Process process = workload(logging(log, "-Xbatch"));
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        Path page = directory.resolve("page.html");
        Map<String, Object> json = json("--html", page.toString(), log.toString());

        assertThat(SampleLog.object(json.get("log")))
                .containsEntry("complete", true)
                .containsEntry("process", process.pid());
        assertThat(list(SampleLog.object(json.get("log")), "threads").toString())
                .contains("C1 CompilerThread0", "C2 CompilerThread0");
        for (String level : List.of("level_1", "level_3", "level_4")) {
            assertThat(number(json, "totals", level)).as(level).isPositive();
        }
        assertThat(number(json, "totals", "osr")).isPositive();
        assertThat(number(json, "totals", "native")).isPositive();
        assertThat(number(json, "totals", "started")).isBetween(1L, number(json, "totals", "queued"));
        assertThat(number(json, "totals", "c2_busy_ms")).isPositive();

        String name = CompiledWorkload.class.getName();
        Map<String, Object> sum =
                row(json, "methods", "method", name + "::sum([L" + name.replace('.', '/') + "$Shape;)D");
        assertThat((Long) sum.get("compiled")).isGreaterThan(2);
        assertThat((Long) sum.get("deoptimized")).isPositive();
        assertThat((Long) sum.get("not_entrant")).isPositive();
        Map<String, Object> main = row(json, "methods", "method", name + "::main([Ljava/lang/String;)V");
        assertThat((Long) main.get("osr")).isPositive();

        assertThat(values(json, "deoptimizations", "reason")).contains("class_check", "unstable_if");
        assertThat(values(json, "deoptimizations", "method")).anyMatch(method -> method.startsWith(name + "::sum"));
        assertThat(values(json, "not_entrant", "reason"))
                .contains("replaced by code of level 4", "uncommon trap: class_check");
        assertThat(values(json, "not_inlined", "reason")).anyMatch(reason -> reason.contains("recursive"));
        assertThat(values(json, "inlined", "reason")).contains("inline (hot)");
        Map<String, Object> recursive = row(json, "callees", "method", name + "::factorial");
        assertThat((Long) recursive.get("not_inlined")).isPositive();

        assertThat(run("compile-log", log.toString())).isTrue();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("C2 CompilerThread0", "class_check", "replaced by code of level 4", "::sum(");
        assertThat(Files.readString(page)).contains("<svg", "</html>", "level 4", name + "::main(");
    }

    @Test
    void readsTheLogsThatAKilledVmLeaves() throws Exception {
        Path log = directory.resolve("killed.log");
        Process process = workload(logging(log, "-XX:TieredStopAtLevel=1"), "wait");
        List<String> files = new ArrayList<>();
        try {
            assertThat(Await.within(1_000 * PATIENCE_SECONDS, () -> read(directory.resolve("workload.txt"))
                            .contains("sum ")))
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        Map<String, Object> json = json(log.toString());
        for (Object file : list(SampleLog.object(json.get("log")), "thread_files")) {
            files.add(String.valueOf(file));
        }
        try {
            assertThat(SampleLog.object(json.get("log"))).containsEntry("complete", false);
            assertThat(files).isNotEmpty().allMatch(file -> file.contains(Long.toString(process.pid())));
            assertThat(number(json, "totals", "level_1")).isPositive();
            assertThat(number(json, "totals", "started")).isZero();
            assertThat(run("compile-log", log.toString())).isTrue();
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .contains("add the logs of its compile threads: " + String.join(" ", files));

            List<String> all = new ArrayList<>(List.of(log.toString()));
            all.addAll(files);
            Map<String, Object> both = json(all.toArray(new String[0]));
            assertThat(number(both, "totals", "level_1")).isEqualTo(number(json, "totals", "level_1"));
            assertThat(number(both, "totals", "started")).isPositive();
            assertThat(values(both, "methods", "method")).anyMatch(method -> method.contains("::sum("));
            assertThat(values(both, "not_inlined", "reason")).isNotEmpty();
            Map<String, Object> alone = json(files.toArray(new String[0]));
            assertThat(number(alone, "totals", "level_1")).isPositive();
            assertThat(run("compile-log", "--latency", log.toString(), files.get(0)))
                    .isFalse();
            assertThat(err.toString(StandardCharsets.UTF_8)).contains(files.get(0) + ":1: no start time");
        } finally {
            for (String file : files) {
                Files.deleteIfExists(Path.of(file));
            }
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void readsTheLogOfASidecarNextToItsLatencies() throws Exception {
        Path log = directory.resolve("sidecar.log");
        Path latencies = directory.resolve("latency.hlog");
        long requests;
        try (RecordingBackend backend = RecordingBackend.start().replyOk()) {
            SidecarProcess sidecar = SidecarProcess.start(
                    directory, backend, List.of(), logging(log, "-XX:Tier3InvocationThreshold=100"), "");
            try (sidecar) {
                try (SteadyLoad load = SteadyLoad.start(sidecar.address(), 2, 1, 500)) {
                    assertThat(Await.within(1_000 * PATIENCE_SECONDS, () -> load.done() >= REQUESTS))
                            .isTrue();
                    load.stop();
                    requests = load.done();
                }
                try (RawClient admin = sidecar.adminClient()) {
                    admin.send("GET /latency.hlog HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    Files.writeString(latencies, admin.response().bodyText());
                }
                sidecar.endsWell();
            }
        }
        Map<String, Object> json = json("--latency", latencies.toString(), log.toString());
        assertThat(SampleLog.object(json.get("log"))).containsEntry("complete", true);
        assertThat(number(json, "totals", "level_1")).isGreaterThan(100);
        assertThat(number(json, "totals", "level_4")).isZero();
        assertThat(number(json, "totals", "c1_busy_ms")).isPositive();
        assertThat(values(json, "methods", "method"))
                .anyMatch(method -> method.startsWith("io.remora.exchange.Exchange::"));
        assertThat(values(json, "not_inlined", "reason")).contains("callee is too large");
        Map<String, Object> latency = SampleLog.object(json.get("latency"));
        long counted = number(latency, "in_storms", "requests") + number(latency, "outside", "requests");
        assertThat(counted).isBetween(requests, requests + 10);
        // the interval of the page lies within the life of the VM
        Map<String, Object> interval =
                SampleLog.object(list(json, "latency_intervals").get(0));
        assertThat((Long) interval.get("from_ms")).isBetween(0L, (Long) interval.get("to_ms"));
        assertThat((Long) interval.get("to_ms")).isLessThanOrEqualTo(number(json, "log", "last_ms") + 1_000);
    }
}
