package io.remora.flame;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Profiles for pprof, read field by field. Field numbers are those of profile.proto. */
final class PprofTest {
    /** A message: the values of each field, numbers as Long and all others as bytes. */
    private static Map<Integer, List<Object>> message(byte[] bytes) {
        Map<Integer, List<Object>> fields = new HashMap<>();
        int[] at = {0};
        while (at[0] < bytes.length) {
            long tag = varint(bytes, at);
            Object value;
            if ((tag & 7) == 0) {
                value = varint(bytes, at);
            } else {
                assertThat(tag & 7).isEqualTo(2);
                int length = (int) varint(bytes, at);
                byte[] part = new byte[length];
                System.arraycopy(bytes, at[0], part, 0, length);
                at[0] += length;
                value = part;
            }
            fields.computeIfAbsent((int) (tag >> 3), any -> new ArrayList<>()).add(value);
        }
        return fields;
    }

    private static long varint(byte[] bytes, int[] at) {
        long value = 0;
        int shift = 0;
        byte octet;
        do {
            octet = bytes[at[0]++];
            value |= (long) (octet & 0x7f) << shift;
            shift += 7;
        } while (octet < 0);
        return value;
    }

    @Test
    void bytesAndTimesAreTheOnlyValueOfTheirSamples() throws IOException {
        for (Measure measure : List.of(Measure.ALLOCATED, Measure.WAITED)) {
            byte[] zipped =
                    FlameFiles.bytes(FlameFiles.tree("[loop];a.B.run_[j];byte[]_[y] 300"), FlameFormat.PPROF, measure);
            Map<Integer, List<Object>> profile =
                    message(new GZIPInputStream(new ByteArrayInputStream(zipped)).readAllBytes());
            assertThat(profile.get(1)).hasSize(1);
            Map<Integer, List<Object>> type = message((byte[]) profile.get(1).get(0));
            List<String> words =
                    measure == Measure.WAITED ? List.of("delay", "nanoseconds") : List.of("alloc_space", "bytes");
            assertThat(List.of(type.get(1).get(0), type.get(2).get(0)).stream()
                            .map(number -> new String(
                                    (byte[]) profile.get(6).get(((Long) number).intValue()), StandardCharsets.UTF_8)))
                    .isEqualTo(words);
            assertThat(message((byte[]) profile.get(2).get(0)).get(2)).containsExactly(300L);
        }
    }

    @Test
    void hasEachStackWithItsLeafFirst() throws IOException {
        CallTree tree = FlameFiles.tree("[loop];a.B.run;write 300", "[loop];a.B.run 2");
        byte[] zipped = FlameFiles.bytes(tree, FlameFormat.PPROF);
        Map<Integer, List<Object>> profile =
                message(new GZIPInputStream(new ByteArrayInputStream(zipped)).readAllBytes());
        List<String> strings = profile.get(6).stream()
                .map(text -> new String((byte[]) text, StandardCharsets.UTF_8))
                .toList();
        assertThat(strings).startsWith("").contains("samples", "count", "cpu", "nanoseconds");
        assertThat(profile.get(12)).containsExactly(10_000_000L);
        assertThat(profile.get(9)).containsExactly(1_000_000_000L);
        assertThat(profile.get(13)).hasSize(1);
        assertThat(strings.get(((Long) profile.get(13).get(0)).intValue())).isEqualTo("a note");

        Map<Long, String> functions = new HashMap<>();
        for (Object one : profile.get(5)) {
            Map<Integer, List<Object>> function = message((byte[]) one);
            functions.put(
                    (Long) function.get(1).get(0),
                    strings.get(((Long) function.get(2).get(0)).intValue()));
        }
        Map<Long, String> locations = new HashMap<>();
        for (Object one : profile.get(4)) {
            Map<Integer, List<Object>> location = message((byte[]) one);
            Map<Integer, List<Object>> line = message((byte[]) location.get(4).get(0));
            locations.put(
                    (Long) location.get(1).get(0), functions.get(line.get(1).get(0)));
        }
        Map<List<String>, List<Object>> samples = new HashMap<>();
        for (Object one : profile.get(2)) {
            Map<Integer, List<Object>> sample = message((byte[]) one);
            List<String> stack = sample.get(1).stream().map(locations::get).toList();
            samples.put(stack, sample.get(2));
        }
        assertThat(samples)
                .containsOnly(
                        Map.entry(List.of("write", "a.B.run", "[loop]"), List.of(300L, 3_000_000_000L)),
                        Map.entry(List.of("a.B.run", "[loop]"), List.of(2L, 20_000_000L)));
    }
}
