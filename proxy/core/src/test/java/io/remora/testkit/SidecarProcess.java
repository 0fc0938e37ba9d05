package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A sidecar in a process of its own, for what one cannot see or bound in a test's: heap, descriptors, processor time.
 */
public final class SidecarProcess implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;
    /** USER_HZ, which Linux keeps at 100 on every architecture that matters here. */
    private static final int TICKS_PER_SECOND = 100;

    private static final List<String> PROFILE = List.of("common", "common.c1", "common.host", "rps-1000");
    private static final List<String> FINAGLE_PROFILE =
            List.of("common", "common.finagle", "common.c1", "common.host", "finagle-rps-1000");

    private final Process process;
    private final Path log;

    private SidecarProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts it and waits until it is ready.
     *
     * @param prefix what runs the java that follows it; empty for nothing
     * @param jvmOptions beside those that the launcher gives
     * @param listener lines of YAML that the listener has beside its name, address and cluster, not indented
     */
    public static SidecarProcess start(
            Path directory, RecordingBackend backend, List<String> prefix, List<String> jvmOptions, String listener)
            throws IOException {
        Setup setup = Setup.before(backend).process("log-level: info").listener(listener);
        return start(directory, prefix, jvmOptions, setup);
    }

    /** The same with whatever configuration, which logs what happens, in a directory of its own. */
    public static SidecarProcess start(Path directory, List<String> prefix, List<String> jvmOptions, Setup setup)
            throws IOException {
        return start(directory, prefix, jvmOptions, setup.yaml());
    }

    /** The same with a whole file, whose listener {@code test} is the one that {@link #address} tells. */
    public static SidecarProcess start(Path directory, List<String> prefix, List<String> jvmOptions, String yaml)
            throws IOException {
        Path config = Files.writeString(directory.resolve("sidecar.yaml"), yaml);
        List<String> command = new ArrayList<>(prefix);
        command.addAll(command(jvmOptions));
        command.addAll(List.of("--config", config.toString()));
        SidecarProcess started = launch(directory.resolve("log.txt"), Map.of(), command);
        try {
            return started.awaitLog(" ready");
        } catch (AssertionError never) {
            started.close();
            throw never;
        }
    }

    /** Starts what a command line says, with these variables, and waits for nothing; both its streams go to the file. */
    public static SidecarProcess launch(Path log, Map<String, String> environment, List<String> command)
            throws IOException {
        List<String> words = new ArrayList<>(DefaultSignals.ENV);
        words.addAll(command);
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return new SidecarProcess(builder.start(), log);
    }

    /** The beginning of a command line that runs a sidecar, with the engine of the tests. */
    public static List<String> command(List<String> jvmOptions) {
        boolean finagle = TestEngine.isFinagle();
        List<String> command = new ArrayList<>(java(finagle ? FINAGLE_PROFILE : PROFILE));
        command.addAll(jvmOptions);
        // the jars, as they are run: out of descriptors, a class can be loaded from what is open already only
        String jar = target("core", "remora.jar");
        command.addAll(
                finagle
                        ? List.of("-cp", jar + ':' + target("finagle", "remora-finagle.jar"), "io.remora.Main")
                        : List.of("-jar", jar));
        command.addAll(List.of("run", "--engine", finagle ? "finagle" : "netty"));
        return command;
    }

    /** The JVM that runs this test, with the options of the default profile. */
    public static List<String> java() {
        return java(PROFILE);
    }

    private static List<String> java(List<String> profile) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String part : profile) {
            command.add("@"
                    + Path.of("..", "..", "jvm-profiles", part).toAbsolutePath().normalize());
        }
        return command;
    }

    /** How many descriptors the jars of an engine that stands beside the sidecar take; 0 for the default one. */
    public static int engineJars() throws IOException {
        if (!TestEngine.isFinagle()) {
            return 0;
        }
        try (Stream<Path> libraries = Files.list(Path.of(target("finagle", "lib")))) {
            return 1 + (int) libraries.count();
        }
    }

    private static String target(String module, String jar) {
        return Path.of("..", module, "target", jar).toAbsolutePath().normalize().toString();
    }

    public String log() {
        return read(log);
    }

    /** Returns once it can be taken over, which it logs after it is ready. */
    public SidecarProcess awaitReady() {
        return awaitLog("takeover: ready for another process");
    }

    /** Returns once its log has this. */
    public SidecarProcess awaitLog(String text) {
        // a start of an engine that is larger may take long next to a load
        boolean came = Await.within(1_000 * PATIENCE_SECONDS, () -> {
            boolean said = log().contains(text);
            assertThat(said || process.isAlive()).as(log()).isTrue();
            return said;
        });
        assertThat(came).as(text + " in " + log()).isTrue();
        return this;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InetSocketAddress address(String before) {
        String text = log();
        int start = text.indexOf(before) + before.length();
        int end = text.indexOf('\n', start);
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(text.substring(start, end)));
    }

    public InetSocketAddress address() {
        return address("listener test on 127.0.0.1:");
    }

    public RawClient client() {
        return RawClient.connect(address());
    }

    /** A number of {@code /proc/PID/status}, which has KiB, in octets. */
    public long memoryBytes(String name) {
        String status = read(Path.of("/proc", Long.toString(process.pid()), "status"));
        int start = status.indexOf(name + ':') + name.length() + 1;
        String line = status.substring(start, status.indexOf('\n', start)).strip();
        return Long.parseLong(line.substring(0, line.indexOf(' '))) << 10;
    }

    public RawClient adminClient() {
        return RawClient.connect(address("admin on 127.0.0.1:"));
    }

    /** Processor time of all its threads so far. */
    public double cpuSeconds() {
        String stat = read(Path.of("/proc", Long.toString(process.pid()), "stat"));
        // the name, in parentheses, may hold anything; utime and stime are the 12th and 13th word behind it
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(words[11]) + Long.parseLong(words[12])) / (double) TICKS_PER_SECOND;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public Process process() {
        return process;
    }

    /** The exit status, as soon as there is one. */
    public int status() {
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as(log())
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return process.exitValue();
    }

    /** Ends it as an operator does: it says nothing of errors, and its exit status is 0. */
    public void endsWell() {
        process.destroy();
        assertThat(status()).as(log()).isZero();
        assertThat(log()).doesNotContain("ERROR", "Exception", "Error:");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
