package io.remora.recorder;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.admin.EventLines;
import io.remora.admin.Recorder;
import io.remora.json.JsonTree;
import io.remora.metrics.ChangeListener;
import io.remora.metrics.Stats;
import io.remora.testkit.Await;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Name;
import jdk.jfr.Period;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of the JVM that runs the tests. */
final class FlightControlTest {
    private final Stats stats = new Stats();
    private final Recorder recorder = FlightControl.create(stats);

    @TempDir
    private Path directory;

    @AfterEach
    void discard() {
        recorder.discard();
    }

    @Test
    void changesOfStateAreEventsWithoutStacks() throws IOException {
        assertThat(stats.changes()).isNull();
        recorder.start("remora", 60_000, 100);
        assertThat(new Stats().changes()).isNull();
        ChangeListener changes = Objects.requireNonNull(stats.changes());
        changes.ejected("app", "127.0.0.1:9", "consecutive", 5_000_000_000L);
        changes.pressed("CALM", "SHRINK", 512, 4_096);
        changes.reloaded(true, 7);
        assertThat(new byte[32 << 20]).hasSize(32 << 20);
        ParsedRecording parsed = parse();
        assertThat(parsed.texts("io.remora.Ejection", "endpoint")).containsExactly("127.0.0.1:9");
        assertThat(parsed.texts("io.remora.Ejection", "reason")).containsExactly("consecutive");
        assertThat(parsed.texts("io.remora.Pressure", "stage")).containsExactly("SHRINK");
        assertThat(parsed.types()).contains("io.remora.Reload");
        for (String type : List.of("io.remora.Ejection", "io.remora.Pressure", "io.remora.Reload")) {
            assertThat(parsed.stacks(type)).as(type).isZero();
        }
        // where an event does have one, it is seen
        assertThat(parsed.stacks("jdk.ObjectAllocationSample")).isPositive();
    }

    @Test
    void noSettingsRecordWhereCredentialsMayBe() throws IOException {
        for (String settings : new String[] {"remora", "default", "profile"}) {
            recorder.start(settings, 60_000, 100);
            assertThat(parse().types())
                    .contains("jdk.CPUInformation")
                    .doesNotContain(
                            "jdk.InitialEnvironmentVariable",
                            "jdk.InitialSystemProperty",
                            "jdk.JVMInformation",
                            "jdk.SystemProcess");
            assertThat(recorder.discard()).isTrue();
        }
    }

    @Test
    void theSidecarsSettingsHaveNoEventsOfBuffers() throws IOException {
        recorder.start("remora", 60_000, 100);
        assertThat(parse().types())
                .doesNotContain("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB")
                .contains("jdk.ActiveSetting");
    }

    @Test
    void oneRecordingAtATime() throws IOException {
        assertThat(recorder.stop()).isFalse();
        assertThatThrownBy(recorder::dump).isInstanceOf(IllegalStateException.class);
        recorder.start("remora", 60_000, 100);
        assertThatThrownBy(() -> recorder.start("default", 60_000, 100)).isInstanceOf(IllegalStateException.class);
        assertThat(recorder.state()).startsWith("state: running\nsettings: remora\nduration_ms: 60000\n");
        assertThat(recorder.stop()).isTrue();
        assertThat(stats.changes()).isNull();
        assertThat(recorder.state()).startsWith("state: stopped\n");
        // what has stopped can be dumped still, and be followed by another one
        assertThat(parse().types()).isNotEmpty();
        recorder.start("default", 60_000, 100);
        assertThat(recorder.state()).contains("settings: default");
    }

    @Test
    void unknownSettingsLeaveTheRecordingAsItIs() throws IOException {
        recorder.start("remora", 60_000, 100);
        recorder.stop();
        assertThatThrownBy(() -> recorder.start("/etc/passwd", 60_000, 100))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(recorder.state()).startsWith("state: stopped\n");
    }

    /** Returns the lines until one of them has the event; what records it may have to do so again, as a stream may begin later. */
    private static String linesWith(EventLines events, String event, Runnable records) {
        StringBuilder lines = new StringBuilder();
        Await.until(event, () -> {
            records.run();
            lines.append(new String(events.take(), StandardCharsets.UTF_8));
            return lines.indexOf("{\"event\":\"" + event + '"') >= 0;
        });
        return lines.toString();
    }

    private static Map<?, ?> tree(String line) throws IOException {
        return (Map<?, ?>) Objects.requireNonNull(JsonTree.read(line.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void theEventsOfARecordingAreLinesOfJson() throws IOException {
        recorder.start("remora", 60_000, 100);
        ChangeListener changes = Objects.requireNonNull(stats.changes());
        try (EventLines events = recorder.follow(List.of())) {
            String lines = linesWith(
                    events,
                    "io.remora.Ejection",
                    () -> changes.ejected("a\"b", "127.0.0.1:9", "consecutive", 5_000_000_000L));
            Map<?, ?> event = tree(lines.lines().findFirst().orElseThrow());
            assertThat(event.get("event")).isEqualTo("io.remora.Ejection");
            assertThat(event.get("cluster")).isEqualTo("a\"b");
            assertThat(event.get("endpoint")).isEqualTo("127.0.0.1:9");
            assertThat(Instant.parse((String) event.get("startTime"))).isBeforeOrEqualTo(Instant.now());
            assertThat(events.taken()).isEqualTo(lines.lines().count());
            assertThat(events.isOver()).isFalse();
            assertThat(events.isBroken()).isFalse();
            recorder.stop();
            assertThat(events.isOver()).isTrue();
            assertThat(events.isBroken()).isFalse();
        }
    }

    /** A reader that ends by itself is not the end of the recording. */
    @Test
    void aBrokenReaderIsSeen() throws IOException {
        recorder.start("remora", 60_000, 100);
        EventLines events = recorder.follow(List.of());
        events.close();
        Await.until("the end of the reader", events::isBroken);
        assertThat(events.isOver()).isTrue();
        recorder.stop();
        assertThat(events.isBroken()).isFalse();
    }

    @Test
    void eventsOfTheJvmHaveTheirStacks() throws IOException {
        recorder.start("remora", 60_000, 100);
        try (EventLines events = recorder.follow(List.of("jdk.ObjectAllocationSample", "jdk.GCPhasePause"))) {
            // threads of the JVM have samples without a stack
            String own = "\"eventThread\":\"" + Thread.currentThread().getName() + '"';
            StringBuilder all = new StringBuilder();
            Await.until(own, () -> {
                all.append(linesWith(events, "jdk.ObjectAllocationSample", () -> assertThat(new byte[4 << 20])
                        .isNotEmpty()));
                return all.indexOf(own) >= 0;
            });
            String lines = all.toString();
            linesWith(events, "jdk.GCPhasePause", System::gc);
            String line = lines.lines()
                    .filter(one -> one.contains("ObjectAllocationSample") && one.contains(own))
                    .findFirst()
                    .orElseThrow();
            Map<?, ?> event = tree(line);
            assertThat(event.get("objectClass")).isInstanceOf(String.class);
            assertThat(event.get("eventThread")).isInstanceOf(String.class);
            assertThat((List<?>) event.get("stackTrace")).isNotEmpty().allMatch(frame -> frame.toString()
                    .matches(".+\\..+:-?\\d+"));
            assertThat(lines).doesNotContain("\"event\":\"io.remora.");
        }
    }

    /** A flush has more events than fit, and a reader that takes them gets all. */
    @Test
    void aFastReaderLosesNothing() throws IOException {
        recorder.start("remora", 60_000, 100);
        ChangeListener changes = Objects.requireNonNull(stats.changes());
        try (EventLines events = recorder.follow(List.of("io.remora.Ejection"))) {
            linesWith(events, "io.remora.Ejection", () -> changes.ejected("app", "first", "consecutive", 1));
            String endpoint = "long".repeat(50);
            for (int i = 0; i < 5_000; i++) {
                changes.ejected("app", endpoint, "consecutive", 1);
            }
            StringBuilder lines = new StringBuilder();
            Await.until("all events", () -> {
                lines.append(new String(events.take(), StandardCharsets.UTF_8));
                return lines.toString()
                                .lines()
                                .filter(line -> line.contains(endpoint))
                                .count()
                        == 5_000;
            });
            assertThat(lines.length()).isGreaterThan(4 * FlightEvents.MAX_WAITING);
            assertThat(events.dropped()).isZero();
        }
    }

    /** Events that nobody takes are dropped beyond a bound. */
    @Test
    void aSlowReaderLosesEvents() throws IOException {
        recorder.start("remora", 60_000, 100);
        ChangeListener changes = Objects.requireNonNull(stats.changes());
        try (EventLines events = recorder.follow(List.of("io.remora.Ejection"))) {
            linesWith(events, "io.remora.Ejection", () -> changes.ejected("app", "first", "consecutive", 1));
            FlightEvents made = (FlightEvents) events;
            long before = made.made();
            for (int i = 0; i < 5_000; i++) {
                changes.ejected("app", "endpoint" + i, "consecutive", 1);
            }
            Await.until("all events", () -> made.made() + events.dropped() >= before + 5_000);
            assertThat(events.dropped()).isPositive();
            assertThat(events.take().length).isBetween(FlightEvents.MAX_WAITING / 2, FlightEvents.MAX_WAITING);
            // there is room again
            linesWith(events, "io.remora.Ejection", () -> changes.ejected("app", "last", "consecutive", 1));
        }
    }

    @Test
    void onlyKnownEventsOfARunningRecordingAreFollowed() throws IOException {
        assertThatThrownBy(() -> recorder.follow(List.of())).isInstanceOf(IllegalStateException.class);
        recorder.start("default", 60_000, 100);
        assertThatThrownBy(() -> recorder.follow(List.of("jdk.Other")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'jdk.Other' is no event of this JVM");
        assertThatThrownBy(() -> recorder.follow(List.of("jdk.CPULoad", "jdk.InitialEnvironmentVariable")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("credentials");
        recorder.stop();
        assertThatThrownBy(() -> recorder.follow(List.of())).isInstanceOf(IllegalStateException.class);
    }

    /** The end by its duration switches the sites of events off as well. */
    @Test
    void stopsByItself() throws IOException {
        recorder.start("remora", 1_000, 100);
        Await.until("the end of the recording", () -> stats.changes() == null);
        assertThat(recorder.state()).startsWith("state: stopped\n");
        assertThat(recorder.stop()).isFalse();
    }

    /** The recorder holds its lock while it begins a chunk on the disk, and the admin thread asks for the state. */
    @Test
    void theStateWaitsForNoLockOfTheRecorder() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Runnable hook = () -> {
            held.countDown();
            Stand.await(release);
        };
        FlightRecorder.addPeriodicEvent(ChunkBegun.class, hook);
        try {
            CompletableFuture<Void> started = CompletableFuture.runAsync(() -> start(60_000));
            assertThat(held.await(30, SECONDS)).as("hook within the start").isTrue();
            assertThat(CompletableFuture.supplyAsync(recorder::state).get(10, SECONDS))
                    .startsWith("state: running\nsettings: remora\nduration_ms: 60000\nsize_bytes: ");
            assertThat(started).isNotDone();
            release.countDown();
            started.get(30, SECONDS);
        } finally {
            release.countDown();
            FlightRecorder.removePeriodicEvent(hook);
        }
    }

    private void start(long durationMs) {
        try {
            recorder.start("remora", durationMs, 100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ParsedRecording parse() throws IOException {
        try (InputStream data = recorder.dump()) {
            return ParsedRecording.of(directory, data.readAllBytes());
        }
    }

    /** An event that the recorder asks for as it begins a chunk, with its lock held. */
    @Name("io.remora.ChunkBegun")
    @Period("beginChunk")
    private static final class ChunkBegun extends Event {}
}
