package io.remora.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ToolsTest {
    private static final long MS = 1_000_000;

    @TempDir
    private Path folder;

    private static String portOf(ToolProcess backend) throws Exception {
        return backend.readLine().replace("listening on 127.0.0.1:", "");
    }

    @Test
    void theHiccupMetersLogCanBeReadBack() throws Exception {
        String file = folder.resolve("hiccups.hlog").toString();
        try (ToolProcess meter = new ToolProcess(HiccupMeter.class)) {
            assertThat(meter.ask("begin")).isEqualTo(Map.of("ok", 1.0));
            Map<String, Double> answer = Map.of();
            for (long endNs = System.nanoTime() + 10_000 * MS; System.nanoTime() < endNs; ) {
                answer = meter.ask("end " + file);
                if (answer.get("samples") >= 100) {
                    break;
                }
                meter.ask("begin");
                LockSupport.parkNanos(500 * MS);
            }
            Histogram log = IntervalLog.read(file).get("host.hiccup");
            assertThat(answer.get("samples")).isBetween(100.0, 600_000.0).isEqualTo(log.getTotalCount());
            assertThat(answer.get("max_us")).isCloseTo(log.getMaxValue() / 1e3, within(0.1));
            assertThat(meter.end()).isZero();
        }
    }

    @Test
    void aStallCountsForEachMillisecondThatItTakes() throws Exception {
        try (ToolProcess meter = new ToolProcess(HiccupMeter.class)) {
            meter.ask("begin");
            meter.signal("STOP");
            LockSupport.parkNanos(1_000 * MS);
            meter.signal("CONT");
            Map<String, Double> answer = meter.ask("end " + folder.resolve("stall.hlog"));
            // at least a second of stall in a window of little more: half of it was late by half a second
            assertThat(answer.get("samples")).isGreaterThan(900.0);
            assertThat(answer.get("p50_us")).isGreaterThan(100_000);
            assertThat(answer.get("over_5ms")).isBetween(1.0, 100.0);
        }
    }

    @Test
    void theProbeMeasuresBothArmsByThePlannedTime() throws Exception {
        AtomicBoolean stall = new AtomicBoolean();
        String file = folder.resolve("probe.hlog").toString();
        try (StubServer slow = stub(stall);
                StubServer fast = stub(new AtomicBoolean());
                ToolProcess probe = new ToolProcess(
                        Probe.class, Integer.toString(slow.port()), Integer.toString(fast.port()), "/", "100")) {
            probe.ask("begin");
            LockSupport.parkNanos(500 * MS);
            stall.set(true);
            // The window ends within the stall, and is told only when the stall's requests are in.
            LockSupport.parkNanos(200 * MS);
            Map<String, Double> answer = probe.ask("end " + file);
            double planned = answer.get("direct_requests");
            assertThat(planned).isBetween(60.0, 100.0);
            assertThat(answer.get("seconds") * 100).isCloseTo(planned, within(2.0));
            assertThat(answer.get("proxy_requests")).isCloseTo(planned, within(1.0));
            assertThat(answer.get("proxy_max_us")).isGreaterThan(300_000);
            assertThat(IntervalLog.read(file).get("probe.proxy").getCountBetweenValues(100 * MS, 60_000 * MS))
                    .isGreaterThanOrEqualTo(15);
            assertThat(answer).containsEntry("proxy_failed", 0.0).containsEntry("direct_failed", 0.0);
            assertThat(probe.end()).isZero();
        }
    }

    /** Answers at once, but for one stall when it is asked for. */
    private static StubServer stub(AtomicBoolean stall) throws Exception {
        return new StubServer((number, talk) -> {
            while (talk.awaitRequest()) {
                if (stall.getAndSet(false)) {
                    LockSupport.parkNanos(500 * MS);
                }
                talk.send(StubServer.OK);
            }
        });
    }

    @Test
    void theBackendAnswersAsItIsToldMeanwhile(@TempDir Path directory) throws Exception {
        try (ToolProcess backend = new ToolProcess(Backend.class, "--port", "0", "--identify", "true");
                ToolProcess load = new ToolProcess(OpenLoad.class)) {
            String port = backend.readLine().replaceAll(".*:", "");
            Path outcomes = directory.resolve("outcomes");
            load.ask("begin " + port + " /x 100 2 8 " + outcomes);
            backend.ask("error-share 1");
            awaitServed(port, 40);
            Map<String, Double> sums = load.ask("end");
            List<String> lines = Files.readAllLines(outcomes);
            assertThat(sums.get("requests")).isEqualTo(lines.size()).isPositive();
            assertThat(lines).allMatch(line -> line.matches("\\d{16} \\d+ \\d+ (200|500) 127.0.0.1:" + port));
            assertThat(sums.get("failed"))
                    .isEqualTo(lines.stream()
                            .filter(line -> line.contains(" 500 "))
                            .count())
                    .isPositive();
        }
    }

    private static void awaitServed(String port, int count) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/served"))
                .build();
        HttpClient client = HttpClient.newHttpClient();
        while (Integer.parseInt(client.send(request, BodyHandlers.ofString()).body()) < count) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    @Test
    void aBackendThatIsToldNonsenseEnds() throws Exception {
        try (ToolProcess backend = new ToolProcess(Backend.class, "--port", "0")) {
            backend.readLine();
            backend.tell("error-share many");
            assertThat(backend.end()).isEqualTo(64);
        }
    }

    @Test
    void theBackendAndTheLoadTalk() throws Exception {
        try (ToolProcess backend = new ToolProcess(Backend.class, "--port", "0", "--error-share", "0.1");
                ToolProcess load = new ToolProcess(LoadSession.class)) {
            String port = portOf(backend);
            Map<String, Double> answer = load.ask("load " + port + " /x 200 4 0 0.5");
            assertThat(answer).containsEntry("failed", 10.0).containsEntry("requests", 90.0);
            assertThat(answer.get("rate")).isEqualTo(180);
            answer = load.ask("herd /x 20 0 0.5 " + port + " " + port);
            assertThat(answer).containsEntry("failed", 2.0).containsEntry("requests", 18.0);
            assertThat(load.end()).isZero();
        }
    }

    @Test
    void recordedRequestsAreSentInTurn() throws Exception {
        Path http1 = Files.writeString(
                folder.resolve("http1"), "http GET /a app.test 0 10 2\nhttp PUT /b app.test 70000 200000 2\n");
        Path http2 = Files.writeString(
                folder.resolve("http2"), "grpc POST /s/M app.test 100000 50 2\nhttp POST /b app.test 9 200000 2\n");
        try (ToolProcess backend = new ToolProcess(Backend.class, "--port", "0", "--body", "0");
                ToolProcess load = new ToolProcess(LoadSession.class)) {
            String port = portOf(backend);
            for (String words : List.of(http1 + " 20 2 0", http2 + " 20 2 4")) {
                Map<String, Double> answer = load.ask("recorded " + port + " " + words + " 0.2 0.5");
                assertThat(answer).containsEntry("failed", 0.0).containsEntry("requests", 10.0);
            }
            assertThat(load.end()).isZero();
        }
    }

    /** A sidecar answers some requests itself, such as those that it redirects. */
    @Test
    void aStatusOfTheRecordedClassIsNoFailure() throws Exception {
        Path requests = Files.writeString(
                folder.resolve("requests"), "http GET /a app.test 0 10 5\nhttp GET /b app.test 0 10 3\n");
        try (ToolProcess backend = new ToolProcess(Backend.class, "--port", "0", "--error-share", "1");
                ToolProcess load = new ToolProcess(LoadSession.class)) {
            String port = portOf(backend);
            for (String words : List.of(requests + " 20 2 0", requests + " 20 2 4")) {
                // the backend answers 500 to all of them
                Map<String, Double> answer = load.ask("recorded " + port + " " + words + " 0 0.5");
                assertThat(answer).containsEntry("failed", 5.0).containsEntry("requests", 5.0);
            }
            backend.ask("error-share 0");
            for (String words : List.of(requests + " 20 2 0", requests + " 20 2 4")) {
                Map<String, Double> answer = load.ask("recorded " + port + " " + words + " 0 0.5");
                assertThat(answer).containsEntry("failed", 0.0).containsEntry("requests", 10.0);
            }
            assertThat(load.end()).isZero();
        }
    }

    @Test
    void aClosedLoopIsAsFastAsItIsAnswered() throws Exception {
        try (ToolProcess backend = new ToolProcess(Backend.class, "--port", "0", "--delay", "20ms");
                ToolProcess load = new ToolProcess(LoadSession.class)) {
            String port = portOf(backend);
            double requests = 0;
            // again where the machine had no time for the first requests
            for (int turn = 0; turn < 6 && requests < 20; turn++) {
                Map<String, Double> answer = load.ask("closed " + port + " /x 4 5");
                assertThat(answer).containsEntry("failed", 0.0);
                // four connections, each of which waits 20 ms for every answer: never more than 50 each in a second,
                // and one under way at the end
                assertThat(answer.get("requests")).isLessThanOrEqualTo(1_004.0);
                requests += answer.get("requests");
            }
            assertThat(requests).isGreaterThanOrEqualTo(20);
            assertThat(load.end()).isZero();
        }
    }

    @Test
    void aConnectionOfAClosedLoopEndsWithItsFirstFailure() throws Exception {
        try (ToolProcess backend = new ToolProcess(Backend.class, "--port", "0", "--error-share", "0.5");
                ToolProcess load = new ToolProcess(LoadSession.class)) {
            String port = portOf(backend);
            assertThat(load.ask("closed " + port + " /x 3 10")).containsEntry("failed", 3.0);
            assertThat(load.end()).isZero();
        }
    }

    @Test
    void anUnknownCommandEndsATool() throws Exception {
        try (ToolProcess load = new ToolProcess(LoadSession.class);
                ToolProcess meter = new ToolProcess(HiccupMeter.class)) {
            load.tell("dance");
            assertThat(load.readLine()).isNull();
            assertThat(load.end()).isEqualTo(1);
            assertThat(meter.end()).isZero();
        }
    }

    @Test
    void addsUpTheIntervalsOfEachTag() throws Exception {
        String first = folder.resolve("first.hlog").toString();
        String second = folder.resolve("second.hlog").toString();
        IntervalLog.write(first, List.of(interval("a", 1, 2), interval("b", 100), interval("a", 3)));
        IntervalLog.write(second, List.of(interval("a", 4), interval("empty")));
        JsonNode tags = new ObjectMapper().readTree(Histograms.json(first, second));
        assertThat(tags.fieldNames()).toIterable().containsExactly("a", "b", "empty");
        assertThat(tags.at("/a/count").asLong()).isEqualTo(4);
        assertThat(tags.at("/a/p50_us").asDouble()).isCloseTo(2_000, within(4.0));
        assertThat(tags.at("/a/max_us").asDouble()).isCloseTo(4_000, within(8.0));
        assertThat(tags.at("/b/p999_us").asDouble()).isCloseTo(100_000, within(200.0));
        JsonNode curve = tags.at("/a/curve");
        assertThat(curve.get(curve.size() - 1).get(0).asDouble()).isEqualTo(100);
        assertThat(curve.get(curve.size() - 1).get(1).asDouble()).isCloseTo(4_000, within(8.0));
        assertThat(tags.at("/empty/count").asLong()).isZero();
        assertThat(tags.at("/empty/p50_us").isNull()).isTrue();
        assertThat(tags.at("/empty/curve")).isEmpty();
    }

    private static Histogram interval(String tag, long... valuesMs) {
        Histogram histogram = Percentiles.histogram();
        histogram.setTag(tag);
        for (long valueMs : valuesMs) {
            histogram.recordValue(valueMs * MS);
        }
        return histogram;
    }
}
