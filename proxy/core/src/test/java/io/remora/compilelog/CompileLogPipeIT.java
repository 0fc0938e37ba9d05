package io.remora.compilelog;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.json.JsonTree;
import io.remora.testkit.LaunchedProcess;
import io.remora.testkit.SidecarProcess;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the command as a process: a long log through a pipe into a heap of 64 MiB, and its exit statuses. */
final class CompileLogPipeIT {
    private static final int PATIENCE_SECONDS = 300;
    /** Each with its own name, three times as many as the command keeps. */
    private static final int METHODS = 50_000;

    private static final int TASK_MS = 5;
    /** Elements that the command skips, as many as a small task of C2 has. */
    private static final String UNNEEDED =
            "<phase name='optimizer' nodes='97' live='81' stamp='1.000'>\n<branch target_bci='9' taken='7' not_taken='1'/>\n"
                    .repeat(34);

    private static final String TASK = "<klass id='2' name='generated.Callee' flags='1'/>\n"
            + "<method id='3' holder='2' name='small' return='1' bytes='5' iicount='9'/>\n" + UNNEEDED
            + "<call method='3' count='9'/>\n<inline_success reason='inline (hot)'/>\n"
            + "<call method='3' count='9'/>\n<inline_fail reason='too big'/>\n";

    @TempDir
    Path directory;

    private static String stamp(long ms) {
        return ms / 1_000 + "." + Long.toString(1_000 + ms % 1_000).substring(1);
    }

    private static String method(int id) {
        return "generated.pack.Class" + id + " method (Ljava/lang/String;I)V";
    }

    private static void write(OutputStream to, String text) throws IOException {
        to.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void writeLog(OutputStream to) throws IOException {
        write(to, SampleLog.HEAD);
        for (int id = 1; id <= METHODS; id++) {
            long ms = 10L * id;
            String kind = id % 10 == 0 ? " compile_kind='osr'" : "";
            write(to, SampleLog.queued(id, kind, 4, method(id), stamp(ms)));
            write(to, SampleLog.nmethod(id, kind, 4, method(id), id, stamp(ms + TASK_MS)));
            if (id % 100 == 0) {
                write(
                        to,
                        "<uncommon_trap thread='3' reason='null_check' action='make_not_entrant' compile_id='" + id
                                + "' stamp='" + stamp(ms + TASK_MS) + "'>\n<jvms bci='1' method='" + method(id)
                                + "'/>\n</uncommon_trap>\n");
            }
        }
        write(to, "</tty>\n<compilation_log thread='11'>\n");
        write(to, "<start_compile_thread name='C2 CompilerThread0' thread='11' process='7' stamp='0.010'/>\n");
        for (int id = 1; id <= METHODS; id++) {
            String kind = id % 10 == 0 ? " compile_kind='osr'" : "";
            long ms = 10L * id;
            write(to, SampleLog.task(id, kind, 4, method(id), stamp(ms), stamp(ms + TASK_MS), TASK));
        }
        write(to, "</compilation_log>\n" + SampleLog.TAIL);
    }

    @Test
    void readsALongLogInTheHeapOfAProfile() throws Exception {
        List<String> command = new ArrayList<>(SidecarProcess.java());
        command.addAll(List.of(
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.remora.Main",
                "compile-log",
                "--json",
                "-"));
        Path report = directory.resolve("report.json");
        Path errors = directory.resolve("errors.txt");
        Process process = new ProcessBuilder(command)
                .redirectOutput(report.toFile())
                .redirectError(errors.toFile())
                .start();
        try (OutputStream to = new BufferedOutputStream(process.getOutputStream(), 1 << 16)) {
            writeLog(to);
        }
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        Map<String, Object> json = SampleLog.object(JsonTree.read(Files.readAllBytes(report)));
        Map<String, Object> log = SampleLog.object(json.get("log"));
        assertThat((Long) log.get("bytes")).isGreaterThan(200_000_000L);
        assertThat(log).containsEntry("seconds_per_row", 1L).containsEntry("complete", true);
        assertThat((Long) log.get("dropped_rows")).isPositive();
        Map<String, Object> totals = SampleLog.object(json.get("totals"));
        long methods = METHODS;
        assertThat(totals).containsEntry("queued", methods);
        assertThat(totals).containsEntry("started", methods);
        assertThat(totals).containsEntry("level_4", methods);
        assertThat(totals).containsEntry("osr", methods / 10);
        assertThat(totals).containsEntry("deoptimized", methods / 100);
        assertThat(totals).containsEntry("inlined", methods);
        assertThat(totals).containsEntry("not_inlined", methods);
        assertThat(totals).containsEntry("code_bytes", methods * (methods + 1) / 2);
        assertThat(totals).containsEntry("c2_busy_ms", methods * TASK_MS);
        // the largest code is that of the last method
        Map<String, Object> largest = SampleLog.object(((List<?>) json.get("methods")).get(0));
        assertThat(largest.get("code_bytes")).isEqualTo(methods);
        assertThat((List<?>) json.get("seconds")).hasSize(METHODS / 100 + 1);
    }

    @Test
    void endsWithTheStatusOfItsInput() throws Exception {
        String good = SampleLog.HEAD + SampleLog.TAIL;
        try (LaunchedProcess process = launch("compile-log", "-").input(good)) {
            assertThat(process.status()).as(process.err()).isZero();
            assertThat(process.out()).startsWith("Compilation log\n");
        }
        try (LaunchedProcess process = launch("compile-log", "--json", "-").input(good + "<task_queued x>\n")) {
            assertThat(process.status()).isEqualTo(64);
            assertThat(process.err()).isEqualTo("remora: <stdin>:11: an attribute without a value\n");
            assertThat(process.out()).isEmpty();
        }
        try (LaunchedProcess process = launch("compile-log", "nowhere.log")) {
            assertThat(process.status()).isEqualTo(69);
            assertThat(process.err()).contains("nowhere.log");
        }
        try (LaunchedProcess process = launch("compile-log")) {
            assertThat(process.status()).isEqualTo(64);
            assertThat(process.err()).contains("usage: remora run");
        }
    }

    private LaunchedProcess launch(String... arguments) throws IOException {
        return LaunchedProcess.start(directory, LaunchedProcess.LAUNCHER.toString(), arguments);
    }
}
