package io.remora.whyslow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Metrics;
import io.remora.testkit.Pki;
import io.remora.testkit.SteadyLoad;
import io.remora.testkit.TrustingClient;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases of docs/why-slow.md, each on C1 alone and on both compilers, or on a runtime image. */
final class WhySlowProgram {
    private static final String COMPILE_SECONDS = "remora_jvm_compile_seconds_total";
    private static final int REQUESTS = 500;
    private static final int HANDSHAKES = 60;

    /** The compilers of the JVM. The host's profile uses C1 alone, and an image the compilers that it contains. */
    enum Compilers {
        C1(""),
        C1_AND_C2(
                PlantedSidecar.IMAGE == null
                        ? "@" + profile("common.tiered") + " -XX:TieredStopAtLevel=4 -XX:Tier3InvocationThreshold=200 "
                        : "");

        private final String options;

        Compilers(String options) {
            this.options = options;
        }
    }

    @TempDir
    private Path directory;

    private static Compilers[] compilers() {
        String image = PlantedSidecar.IMAGE;
        if (image == null) {
            return Compilers.values();
        }
        return new Compilers[] {image.contains("-tiered") ? Compilers.C1_AND_C2 : Compilers.C1};
    }

    private static Path profile(String name) {
        return Path.of("..", "..", "jvm-profiles", name).toAbsolutePath().normalize();
    }

    private PlantedSidecar start(Compilers compilers, String planted) throws IOException {
        return PlantedSidecar.start(directory, compilers.options + planted, "");
    }

    private static long value(String page, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + " (\\d+)$").matcher(page);
        assertThat(line.find()).as(name + " in " + page).isTrue();
        return Long.parseLong(line.group(1));
    }

    private static long total(Map<String, Object> report, String key) {
        return (Long) PlantedSidecar.object(report.get("totals")).get(key);
    }

    private static List<Map<String, Object>> rows(Map<String, Object> report, String key) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Object row : (List<?>) report.get(key)) {
            rows.add(PlantedSidecar.object(row));
        }
        return rows;
    }

    private static long number(Map<String, Object> row, String key) {
        return (Long) row.getOrDefault(key, 0L);
    }

    /** A cache that cannot hold the code of a sidecar, as the first seed had. */
    @ParameterizedTest
    @MethodSource("compilers")
    void namesACodeCacheThatIsFull(Compilers compilers) throws Exception {
        // the VM of an image has less code of its own, and sweeps the cache before it is full
        boolean onHost = PlantedSidecar.IMAGE == null;
        long reserved = (onHost ? 2560 : 2304) << 10;
        try (PlantedSidecar sidecar = start(
                compilers,
                "-XX:InitialCodeCacheSize=1m -XX:ReservedCodeCacheSize=" + reserved
                        + " -XX:CompileThresholdScaling=0.02")) {
            try (SteadyLoad load = sidecar.load()) {
                PlantedSidecar.served(load, 1);
                sidecar.await("CodeCache is full. Compiler has been disabled.");
            }
            Metrics metrics = sidecar.metrics();
            assertThat(metrics.sum("remora_jvm_code_cache_reserved_bytes")).isEqualTo(reserved);
            assertThat(metrics.sum("remora_jvm_code_cache_used_bytes")).isBetween(reserved * 7 / 10, reserved);
            assertThat(value(sidecar.page("/peaks"), "code_cache_peak_bytes")).isBetween(reserved * 9 / 10, reserved);
            assertThat(sidecar.advise())
                    .containsPattern("code cache +2" + (onHost ? "\\.[3-5]" : "(\\.[12])?") + " MiB since the start")
                    .containsPattern("[34] MiB would have held");
            sidecar.stop();
            assertThat(sidecar.compileLog())
                    .containsPattern("code cache +.*full [1-9]\\d* times, compilers switched off [1-9]\\d* times");
        }
    }

    /** Compilers that take the CPU, as in the flame graph of the first seed. */
    @ParameterizedTest
    @MethodSource("compilers")
    void namesAStormOfTheCompilers(Compilers compilers) throws Exception {
        boolean hasC2 = compilers == Compilers.C1_AND_C2;
        // with C2, compiling each method at its first call takes minutes
        String early = hasC2 ? "-XX:CompileThresholdScaling=0.02" : "-Xcomp";
        try (PlantedSidecar sidecar = start(compilers, "-XX:ReservedCodeCacheSize=32m " + early)) {
            try (SteadyLoad load = sidecar.load()) {
                PlantedSidecar.served(load, REQUESTS);
                String thread = hasC2 ? "C2 CompilerThre" : "C1 CompilerThre";
                assertThat(Await.within(
                                PlantedSidecar.PATIENCE_MS, () -> cpuMs(sidecar.page("/threads"), thread) > 1_000))
                        .as(sidecar.page("/threads"))
                        .isTrue();
            }
            assertThat(sidecar.metrics().sum(COMPILE_SECONDS)).isPositive();
            sidecar.stop();
            Map<String, Object> report = sidecar.compileLogJson();
            assertThat(rows(report, "storms")).isNotEmpty();
            long c1Ms = 0;
            long c2Ms = 0;
            for (Map<String, Object> storm : rows(report, "storms")) {
                c1Ms += number(storm, "c1_busy_ms");
                c2Ms += number(storm, "c2_busy_ms");
            }
            assertThat(hasC2 ? c2Ms : c1Ms).isGreaterThan(1_000);
            assertThat(c2Ms > 0).isEqualTo(hasC2);
            assertThat(sidecar.compileLog()).contains("\nStorms\n", "C1 CompilerThread0");
        }
    }

    private static long cpuMs(String threads, String name) {
        Matcher line = Pattern.compile("(?m)^\\d+ (\\d+) \\w " + name).matcher(threads);
        assertThat(line.find()).as(name + " in " + threads).isTrue();
        return Long.parseLong(line.group(1));
    }

    /** Flags that nobody has measured, as in the second seed: some do nothing, and one takes a compiler away. */
    @ParameterizedTest
    @MethodSource("compilers")
    void namesFlagsThatDoNothingOrTakeACompilerAway(Compilers compilers) throws Exception {
        int level = compilers == Compilers.C1 ? 0 : 3;
        try (PlantedSidecar sidecar = start(
                compilers,
                "-XX:+IgnoreUnrecognizedVMOptions -XX:+AggressiveOpts -XX:LoopUnrollLimit=100 -XX:TieredStopAtLevel="
                        + level)) {
            assertThat(sidecar.written())
                    .contains(
                            "java options: -XX:+AggressiveOpts in REMORA_JAVA_OPTS is not a flag of this JVM; it does"
                                    + " nothing",
                            "java options: -XX:LoopUnrollLimit=100 in REMORA_JAVA_OPTS is for C2, which this JVM does"
                                    + " not run; it does nothing");
            sidecar.serve(REQUESTS);
            sidecar.stop();
            Map<String, Object> report = sidecar.compileLogJson();
            assertThat(total(report, "level_4")).isZero();
            if (compilers == Compilers.C1) {
                assertThat(total(report, "compiled")).isZero();
            } else {
                assertThat(total(report, "level_3")).isGreaterThan(100);
            }
        }
    }

    /** A recording that notes each new allocation buffer with its stack, as in the last seed. */
    @ParameterizedTest
    @MethodSource("compilers")
    void namesARecordingOfAllocations(Compilers compilers) throws Exception {
        assumeTrue(PlantedSidecar.IMAGE == null, "the image has no flight recorder");
        Path recording = directory.resolve("recording.jfr");
        try (PlantedSidecar sidecar = start(
                compilers,
                "-XX:StartFlightRecording:settings=default,jdk.ObjectAllocationInNewTLAB#enabled=true,"
                        + "jdk.ObjectAllocationInNewTLAB#stackTrace=true")) {
            sidecar.serve(REQUESTS);
            assertThat(sidecar.page("/threads")).contains("JFR Recorder Th", "JFR Periodic Ta");
            jdk("jcmd", Long.toString(sidecar.pid()), "JFR.dump", "filename=" + recording);
            sidecar.stop();
        }
        String summary = jdk("jfr", "summary", recording.toString());
        Matcher row = Pattern.compile("jdk\\.ObjectAllocationInNewTLAB +(\\d+)").matcher(summary);
        assertThat(row.find()).as(summary).isTrue();
        assertThat(Long.parseLong(row.group(1))).as(summary).isGreaterThan(100);
    }

    private String jdk(String program, String... words) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", program).toString()));
        command.addAll(List.of(words));
        return Command.run(directory, command.toArray(String[]::new)).good();
    }

    /** Code that is compiled when traffic changes, as in the fourth seed; here, the first clients with TLS. */
    @ParameterizedTest
    @MethodSource("compilers")
    void namesTheStormInADipOfThroughput(Compilers compilers) throws Exception {
        Pki pki = new Pki(directory).authority("ca").issue("ca", "server", "DNS:localhost");
        boolean hasC2 = compilers == Compilers.C1_AND_C2;
        // C2 works for long enough to be waited for; to C1, the methods of a handshake are a long queue of short tasks
        String early = hasC2 ? "-Xbatch" : "-XX:CICompilerCount=1 -XX:C1MaxInlineSize=45";
        try (PlantedSidecar sidecar = PlantedSidecar.start(
                directory,
                compilers.options + "-XX:ReservedCodeCacheSize=32m -XX:CompileThresholdScaling=0.02 " + early,
                ", " + pki.listener("handshake-timeout: 100s", "server"))) {
            long second;
            try (SteadyLoad load = sidecar.load()) {
                PlantedSidecar.served(load, REQUESTS);
                sidecar.saveLatencies();
                PlantedSidecar.served(load, load.done() + REQUESTS);
                sidecar.saveLatencies();
                second = sidecar.second();
                AtomicInteger handshakes = new AtomicInteger();
                assertThat(Await.within(PlantedSidecar.PATIENCE_MS, () -> {
                            shakeHands(sidecar, handshakes);
                            return handshakes.get() >= HANDSHAKES;
                        }))
                        .isTrue();
                PlantedSidecar.served(load, load.done() + REQUESTS);
                sidecar.saveLatencies();
            }
            sidecar.stop();
            Map<String, Object> report = sidecar.compileLogJson("--from", Long.toString(second));
            String text = sidecar.compileLog("--from", Long.toString(second));
            List<String> methods = new ArrayList<>();
            rows(report, "methods").forEach(row -> methods.add((String) row.get("method")));
            String ofHandshakes = PlantedSidecar.IMAGE == null ? "sun.security.ssl.ClientHello" : "io.remora.tls.";
            assertThat(methods).as(text).anyMatch(method -> method.startsWith(ofHandshakes));
            assertThat(rows(report, "storms")).as(text).isNotEmpty();
            Map<String, Object> latency = PlantedSidecar.object(report.get("latency"));
            Map<String, Object> inStorms = PlantedSidecar.object(latency.get("in_storms"));
            assertThat(number(inStorms, "requests")).as(text).isPositive();
            assertThat(text).contains("\nLatency\n").containsPattern("\\d+\\.\\d\\d  in storms");
            if (hasC2) {
                // the event loop waited for the compiler, and its other clients with it; AWS-LC of an image has less to
                // compile
                long waitNs = PlantedSidecar.IMAGE == null ? 100_000_000 : 30_000_000;
                assertThat(number(inStorms, "max_ns")).as(text).isGreaterThan(waitNs);
            }
        }
    }

    private static void shakeHands(PlantedSidecar sidecar, AtomicInteger done) {
        try {
            TrustingClient.connect(sidecar.other()).close();
            done.incrementAndGet();
        } catch (IOException late) {
            // the sidecar compiles for longer than the client waits
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** A heap that an option keeps large: the resident memory is the heap's, and the sidecar needs little of it. */
    @ParameterizedTest
    @MethodSource("compilers")
    void namesTheKindOfMemoryThatGrew(Compilers compilers) throws Exception {
        try (PlantedSidecar sidecar = start(compilers, "-Xms128m -Xmx128m -XX:+AlwaysPreTouch")) {
            sidecar.serve(REQUESTS);
            String memory = sidecar.page("/memory");
            long heap = value(memory, "heap_committed_bytes");
            assertThat(heap).isBetween(120L << 20, 128L << 20);
            assertThat(value(memory, "rss_bytes")).isBetween(heap, 2 * heap);
            assertThat(sidecar.metrics().sum("remora_process_resident_anonymous_bytes"))
                    .isGreaterThan(heap);
            Matcher needed = Pattern.compile("(?m)^heap +([\\d.]+) MiB after a collection$")
                    .matcher(sidecar.advise());
            assertThat(needed.find()).isTrue();
            assertThat(Double.parseDouble(needed.group(1))).isLessThan(40);
            sidecar.stop();
        }
    }
}
