package io.remora.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.json.JsonTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;
import jdk.jfr.Unsigned;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of a real recording as JSON, at the bounds of their values. */
final class EventJsonTest {
    private static final int DEEP = 20;

    @TempDir
    private Path directory;

    @Name("test.Values")
    static final class Values extends Event {
        String text;
        String nothing;
        double notANumber = Double.NaN;
        double endless = Double.POSITIVE_INFINITY;
        float half = 0.5f;
        long least = -(1L << 53);
        int negative = -1;
        boolean yes = true;
        char letter = 'x';
        Thread thread = Thread.currentThread();
        Class<?> type = Values.class;

        @Unsigned
        byte octet = (byte) 200;

        @Timespan
        long nanos = 1_500;

        @Timespan
        long unknown = Long.MIN_VALUE;

        @Timespan(Timespan.MILLISECONDS)
        long forEver = Long.MAX_VALUE;

        @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
        long moment = 1_000;
    }

    private List<RecordedEvent> record(Runnable work, String... names) throws IOException {
        Path file = directory.resolve("test.jfr");
        try (Recording recording = new Recording()) {
            for (String name : names) {
                recording.enable(name).withoutThreshold();
            }
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> List.of(names).contains(event.getEventType().getName()))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> tree(RecordedEvent event) throws Exception {
        String line = EventJson.of(event);
        assertThat(line).doesNotContain("\n").doesNotContain("NaN").doesNotContain("Infinity");
        return (Map<String, Object>) JsonTree.read(line.getBytes(StandardCharsets.UTF_8));
    }

    private static void commitAt(int depth, String text) {
        if (depth > 0) {
            commitAt(depth - 1, text);
            return;
        }
        Values event = new Values();
        event.text = text;
        event.commit();
    }

    @Test
    void valuesThatJsonLacksAreNull() throws Exception {
        String text = "a \"b\"\\\n\t\u0001\u00e4\u20ac\ud83d\ude00";
        List<RecordedEvent> events = record(() -> commitAt(0, text), "test.Values");
        assertThat(events).hasSize(1);
        Map<String, Object> tree = tree(events.get(0));
        assertThat(tree)
                .containsEntry("event", "test.Values")
                .containsEntry("text", text)
                .containsEntry("yes", true)
                .containsEntry("letter", "x")
                .containsEntry("thread", Thread.currentThread().getName())
                .containsEntry("type", Values.class.getName())
                .containsEntry("moment", "1970-01-01T00:00:01Z");
        for (String none : List.of("nothing", "notANumber", "endless", "unknown", "forEver")) {
            assertThat(tree).containsEntry(none, null);
        }
        assertThat(number(tree, "least")).isEqualTo(-(1L << 53));
        assertThat(number(tree, "negative")).isEqualTo(-1);
        assertThat(number(tree, "octet")).isEqualTo(200);
        assertThat(number(tree, "nanos")).isEqualTo(1_500);
        assertThat(tree.get("half")).hasToString("0.5");
    }

    private static long number(Map<String, Object> tree, String name) {
        return ((Number) tree.get(name)).longValue();
    }

    @Test
    void stacksBeginWithTheInnermostFrame() throws Exception {
        List<RecordedEvent> events = record(() -> commitAt(DEEP, "deep"), "test.Values");
        int recorded = events.get(0).getStackTrace().getFrames().size();
        List<?> frames = (List<?>) tree(events.get(0)).get("stackTrace");
        assertThat(frames).hasSize(Math.min(64, recorded)).hasSizeGreaterThan(DEEP + 1);
        String name = EventJsonTest.class.getName();
        assertThat(frames.get(0).toString()).startsWith(name + ".commitAt:");
        assertThat(frames.get(DEEP).toString()).startsWith(name + ".commitAt:");
        assertThat(frames.get(DEEP + 1).toString()).doesNotContain("commitAt");
    }

    @Test
    void objectsHaveTheirFields() throws Exception {
        List<RecordedEvent> events = record(System::gc, "jdk.GCHeapSummary");
        assertThat(events).isNotEmpty();
        Object space = tree(events.get(0)).get("heapSpace");
        assertThat(space).isInstanceOf(Map.class);
        assertThat(((Map<?, ?>) space).keySet().toString()).contains("committedSize");
    }
}
