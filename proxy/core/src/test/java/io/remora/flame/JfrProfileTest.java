package io.remora.flame;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmc.common.IMCFrame;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.IMCType;
import org.openjdk.jmc.common.item.IAttribute;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.CouldNotLoadRecordingException;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.jdk.JdkAttributes;

/** Profiles as files of JFR, as the JDK's reader and the parser of JDK Mission Control read them. */
final class JfrProfileTest {
    private static final String SAMPLE = "jdk.ExecutionSample";
    private static final String ALLOCATION = "jdk.ObjectAllocationSample";
    private static final Instant END = Instant.ofEpochSecond(1_800_000_000);

    @TempDir
    private Path directory;

    private Path file(CallTree tree, Measure measure) throws IOException {
        return file(tree, measure, END.toEpochMilli(), 10_000);
    }

    private Path file(CallTree tree, Measure measure, long timeMs, long durationMs) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FlameFormat.JFR.write(tree, new FlameHead("a title", "a note", measure, 10_000_000, timeMs, durationMs), out);
        return Files.write(directory.resolve("profile.jfr"), out.toByteArray());
    }

    private static List<RecordedEvent> events(Path file, String type) throws IOException {
        List<RecordedEvent> events = new ArrayList<>();
        for (RecordedEvent each : RecordingFile.readAllEvents(file)) {
            if (each.getEventType().getName().equals(type)) {
                events.add(each);
            }
        }
        return events;
    }

    /** Returns how many events there are for each thread and stack, the leaf first. */
    private static Map<String, Integer> stacks(Path file) throws IOException {
        Map<String, Integer> stacks = new TreeMap<>();
        for (RecordedEvent event : events(file, SAMPLE)) {
            StringBuilder stack = new StringBuilder();
            stack.append(
                    event.getThread("sampledThread") == null
                            ? "-"
                            : event.getThread("sampledThread").getJavaName());
            for (RecordedFrame frame : event.getStackTrace().getFrames()) {
                stack.append(' ').append(frame.getMethod().getType().getName());
                stack.append('.').append(frame.getMethod().getName());
                stack.append('(')
                        .append(frame.getType().toUpperCase(Locale.ROOT))
                        .append(')');
            }
            stacks.merge(stack.toString(), 1, Integer::sum);
        }
        return stacks;
    }

    private static Iterable<IItemIterable> parsed(Path file, String type) throws IOException {
        try {
            return JfrLoaderToolkit.loadEvents(file.toFile()).apply(ItemFilters.type(type));
        } catch (CouldNotLoadRecordingException e) {
            throw new IOException(e);
        }
    }

    private static <T> T value(IItemIterable of, IItem event, IAttribute<T> attribute) {
        return attribute.getAccessor(of.getType()).getMember(event);
    }

    private static Map<String, Integer> parsedStacks(Path file) throws IOException {
        Map<String, Integer> stacks = new TreeMap<>();
        for (IItemIterable each : parsed(file, SAMPLE)) {
            for (IItem event : each) {
                StringBuilder stack = new StringBuilder();
                var thread = value(each, event, JfrAttributes.EVENT_THREAD);
                stack.append(thread == null ? "-" : thread.getThreadName());
                IMCStackTrace trace = value(each, event, JfrAttributes.EVENT_STACKTRACE);
                for (IMCFrame frame : trace.getFrames()) {
                    stack.append(' ').append(frame.getMethod().getType().getFullName());
                    stack.append('.').append(frame.getMethod().getMethodName());
                    stack.append('(')
                            .append(frame.getType().getName().replace("CPP", "C++"))
                            .append(')');
                }
                stacks.merge(stack.toString(), 1, Integer::sum);
            }
        }
        return stacks;
    }

    @Test
    void bothReadersFindEachStackWithItsThreadAndCount() throws IOException {
        Path file = file(
                FlameFiles.tree(
                        "[loop-0];io.remora.A$1.run_[j];read;[kernel]_[k] 300",
                        "[loop-0];io.remora.A$1.run_[j] 2",
                        "[loop-0];[unnamed method]_[j] 4",
                        "[loop-1];io.remora.A$1.run_[j];read;[kernel]_[k] 5",
                        "[C1];CompileBroker::loop_[v] 7",
                        "a.B.noThread_[j] 1"),
                Measure.CPU);
        Map<String, Integer> expected = Map.of(
                "loop-0 kernel.[kernel](KERNEL) native.read(NATIVE) io.remora.A$1.run(JAVA)", 300,
                "loop-0 io.remora.A$1.run(JAVA)", 2,
                "loop-0 .[unnamed method](JAVA)", 4,
                "loop-1 kernel.[kernel](KERNEL) native.read(NATIVE) io.remora.A$1.run(JAVA)", 5,
                "C1 VM.CompileBroker::loop(C++)", 7,
                "- a.B.noThread(JAVA)", 1);
        assertThat(stacks(file)).containsExactlyInAnyOrderEntriesOf(expected);
        assertThat(parsedStacks(file)).containsExactlyInAnyOrderEntriesOf(expected);
        RecordedEvent sample = events(file, SAMPLE).get(0);
        assertThat(sample.getString("state")).isEqualTo("STATE_RUNNABLE");
        assertThat(sample.getEventType().getLabel()).isEqualTo("Method Profiling Sample");
    }

    @Test
    void eventsAreSpreadOverTheTimeOfTheProfile() throws IOException {
        Path file = file(FlameFiles.tree("[a];a.B.often_[j] 900", "[b];a.B.rarely_[j] 100"), Measure.WALL);
        int rare = 0;
        TreeSet<Instant> times = new TreeSet<>();
        Instant last = END.minusSeconds(10);
        for (RecordedEvent event : events(file, SAMPLE)) {
            assertThat(event.getStartTime()).isBetween(last, END);
            last = event.getStartTime();
            times.add(last);
            boolean half = last.isBefore(END.minusSeconds(5));
            rare += half && event.getThread("sampledThread").getJavaName().equals("b") ? 1 : 0;
        }
        assertThat(times).hasSize(1_000);
        assertThat(rare).isBetween(48, 52);
        RecordedEvent profile = events(file, "io.remora.Profile").get(0);
        assertThat(profile.getStartTime()).isEqualTo(END.minusSeconds(10));
        assertThat(profile.getDuration()).isEqualTo(Duration.ofSeconds(10));
        assertThat(profile.getString("title")).isEqualTo("a title");
        assertThat(profile.getString("note")).isEqualTo("a note");
        assertThat(profile.getLong("samplesPerEvent")).isEqualTo(1);
    }

    @Test
    void anEventStandsForSeveralOfTooManySamples() throws IOException {
        Path file =
                file(FlameFiles.tree("[a];a.B.often_[j] 600000", "[a];a.B.rarely_[j] 60000"), Measure.SAMPLES, 0, 0);
        assertThat(events(file, "io.remora.Profile").get(0).getLong("samplesPerEvent"))
                .isEqualTo(11);
        assertThat(stacks(file))
                .isEqualTo(parsedStacks(file))
                .isEqualTo(Map.of("a a.B.often(JAVA)", 54_545, "a a.B.rarely(JAVA)", 5_455));
        assertThat(events(file, SAMPLE).get(0).getStartTime()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void bytesAreWeightsOfAllocationsOfTheirClass() throws IOException {
        CallTree tree =
                FlameFiles.tree("[a];a.B.run_[j];byte[]_[y] 70000", "[a];a.B.run_[j];a.C_[y] 3", "[a];a.B.run_[j] 5");
        Path file = file(tree, Measure.ALLOCATED);
        Map<String, Long> weights = new TreeMap<>();
        for (RecordedEvent event : events(file, ALLOCATION)) {
            assertThat(event.getThread().getJavaName()).isEqualTo("a");
            assertThat(event.getStackTrace().getFrames()).hasSize(1);
            assertThat(event.getStackTrace().getFrames().get(0).getMethod().getName())
                    .isEqualTo("run");
            boolean known = event.getClass("objectClass") != null;
            weights.put(known ? event.getClass("objectClass").getName() : "-", event.getLong("weight"));
        }
        Map<String, Long> expected = Map.of("byte[]", 70_000L, "a.C", 3L, "-", 5L);
        assertThat(weights).isEqualTo(expected);
        Map<String, Long> parsed = new TreeMap<>();
        for (IItemIterable each : parsed(file, ALLOCATION)) {
            for (IItem event : each) {
                IMCType type = value(each, event, JdkAttributes.OBJECT_CLASS);
                IQuantity weight = value(each, event, JdkAttributes.SAMPLE_WEIGHT);
                parsed.put(type == null ? "-" : type.getFullName(), weight.clampedLongValueIn(UnitLookup.BYTE));
            }
        }
        assertThat(parsed).isEqualTo(expected);
    }

    @Test
    void aProfileWithoutSamplesIsAFileAsWell() throws IOException {
        Path file = file(FlameFiles.tree(), Measure.CPU);
        assertThat(RecordingFile.readAllEvents(file)).hasSize(1);
        assertThat(parsedStacks(file)).isEmpty();
    }

    @Test
    void waitsHaveNoEvent() {
        assertThat(FlameFormat.JFR.holds(Measure.WAITED)).isFalse();
        assertThat(FlameFormat.JFR.holds(Measure.ALLOCATED)).isTrue();
        assertThat(FlameFormat.PPROF.holds(Measure.WAITED)).isTrue();
    }
}
