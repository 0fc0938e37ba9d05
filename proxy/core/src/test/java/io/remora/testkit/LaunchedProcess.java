package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The launcher, run as a user runs it: a process of its own, with what it wrote and how it ended. */
public final class LaunchedProcess implements AutoCloseable {
    /** Maven runs tests in the module's directory. */
    public static final Path LAUNCHER =
            Path.of("..", "bin", "remora").toAbsolutePath().normalize();

    private final Process process;
    private final Path out;
    private final Path err;

    private LaunchedProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts the launcher at {@code launcher} in {@code directory}, on the JVM that runs this test. */
    public static LaunchedProcess start(Path directory, String launcher, String... arguments) throws IOException {
        return start(directory, Map.of("JAVA_HOME", System.getProperty("java.home")), launcher, arguments);
    }

    /** With these variables, and no other that the launcher reads. */
    public static LaunchedProcess start(
            Path directory, Map<String, String> variables, String launcher, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(DefaultSignals.ENV);
        command.add(launcher);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().keySet().removeIf(LaunchedProcess::read);
        builder.environment().putAll(variables);
        Path out = Files.createTempFile(directory, "out", ".txt");
        Path err = Files.createTempFile(directory, "err", ".txt");
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        return new LaunchedProcess(process, out, err);
    }

    private static boolean read(String variable) {
        return variable.startsWith("REMORA_")
                || List.of("JAVA_HOME", "JDK_JAVA_OPTIONS", "JVM_HEAP_MIN", "JVM_HEAP_MAX")
                        .contains(variable);
    }

    /** Gives it this standard input, and its end. */
    public LaunchedProcess input(String text) throws IOException {
        try (OutputStream in = process.getOutputStream()) {
            in.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return this;
    }

    public void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** The launcher becomes the JVM, so that this is the JVM's too. */
    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The exit status, as soon as there is one. */
    public int status() throws IOException {
        try {
            if (!process.waitFor(3L * Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("still running; it wrote:\n" + out() + err());
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return process.exitValue();
    }

    public String out() throws IOException {
        return Files.readString(out);
    }

    public String err() throws IOException {
        return Files.readString(err);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        status();
    }
}
