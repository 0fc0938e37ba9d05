package io.remora.compilelog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reads logs that HdrHistogram's own writer has written. */
final class LatencyReaderTest {
    private static final long START_MS = SampleLog.START_MS;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final HistogramLogWriter writer = new HistogramLogWriter(bytes);

    private void interval(@Nullable String tag, double fromS, double toS, long... ns) {
        Histogram histogram = new Histogram(1_000, 60_000_000_000L, 2);
        for (long value : ns) {
            histogram.recordValue(value);
        }
        histogram.setTag(tag);
        writer.outputIntervalHistogram(fromS, toS, histogram);
    }

    private LatencyReport read(@Nullable String tag, List<Storm> storms) throws IOException {
        return read(bytes.toString(StandardCharsets.US_ASCII), tag, storms);
    }

    private static LatencyReport read(String log, @Nullable String tag, List<Storm> storms) throws IOException {
        return new LatencyReader("l.hlog", tag, START_MS, Window.ALL, storms)
                .read(new ByteArrayInputStream(log.getBytes(StandardCharsets.US_ASCII)));
    }

    private static double at(double second) {
        return START_MS / 1_000.0 + second;
    }

    @Test
    void addsTheTotalsOfAllListenersUp() throws IOException {
        for (int second = 3; second < 5; second++) {
            // as the sidecar does at each request for the page
            writer.outputComment("[Logged with Remora]");
            writer.outputLogFormatVersion();
            writer.outputStartTime(START_MS + second * 1_000);
            writer.outputLegend();
            interval("in.proxy", at(second), at(second + 1), 1_000_000);
            interval("in.total", at(second), at(second + 1), 2_000_000, 3_000_000);
            interval("out.total", at(second), at(second + 1), 9_000_000);
            interval("loop-0.lag", at(second), at(second + 1), 5_000);
        }
        LatencyReport report = read(null, List.of());
        assertThat(report.points).extracting(LatencyPoint::fromMs).containsExactly(3_000L, 4_000L);
        assertThat(report.points.get(0).toMs()).isEqualTo(4_000);
        assertThat(report.points.get(0).count()).isEqualTo(3);
        assertThat(report.points.get(0).maxNs()).isBetween(9_000_000L, 9_100_000L);
        assertThat(report.outside.getTotalCount()).isEqualTo(6);
        assertThat(read("loop-0.lag", List.of()).outside.getTotalCount()).isEqualTo(2);
        assertThat(read("none", List.of()).points).isEmpty();
    }

    @Test
    void dividesIntervalsByStorms() throws IOException {
        Second second = new Second(2);
        Storm storm = new Storm(second, 1);
        interval("in.total", at(1), at(2), 1_000_000);
        interval("in.total", at(2), at(3), 50_000_000, 60_000_000);
        interval("in.total", at(3), at(4), 2_000_000);
        LatencyReport report = read(null, List.of(storm));
        assertThat(report.inStorms.getTotalCount()).isEqualTo(2);
        assertThat(report.outside.getMaxValue()).isBetween(2_000_000L, 2_100_000L);
        assertThat(storm.requests()).isEqualTo(2);
        assertThat(storm.p99Ns()).isBetween(60_000_000L, 61_000_000L);
    }

    @Test
    void readsTimesThatAreRelativeToTheStartOfTheLog() throws IOException {
        writer.outputStartTime(START_MS + 10_000);
        interval(null, 1, 2, 4_000_000);
        assertThat(read(null, List.of()).points)
                .extracting(LatencyPoint::fromMs)
                .containsExactly(11_000L);
    }

    @Test
    void namesTheLineOfWhatIsMalformed() {
        interval("in.total", at(1), at(2), 1_000_000);
        String good = bytes.toString(StandardCharsets.US_ASCII);
        for (String bad : List.of(
                "text",
                "Tag=in.total",
                "1,2",
                "x,1,1,HISTF",
                "-1,1,1,HISTF",
                "1,1,1,not base 64",
                "1,1,1,AAAA",
                "1,1,1," + good.strip().substring(good.lastIndexOf(',') + 1, good.length() - 9))) {
            assertThatThrownBy(() -> read(good + bad + "\n", null, List.of()))
                    .as(bad)
                    .isInstanceOf(MalformedLogException.class)
                    .hasMessageStartingWith("l.hlog:2: ");
        }
    }

    @Test
    void rejectsHistogramsThatWouldFillTheHeap() {
        ByteBuffer payload = ByteBuffer.allocate(40);
        payload.putInt(0x1c849313)
                .putInt(0)
                .putInt(0)
                .putInt(5)
                .putLong(1)
                .putLong(Long.MAX_VALUE / 4)
                .putDouble(1);
        assertThatThrownBy(() -> read(forged(payload.array()), null, List.of()))
                .hasMessage("l.hlog:1: a histogram of more than 3 digits");
        // a payload of version 0 has its digits elsewhere
        payload.putInt(0, 0x1c849308).putInt(12, 0);
        assertThatThrownBy(() -> read(forged(payload.array()), null, List.of()))
                .hasMessage("l.hlog:1: no histogram of version 2");
        assertThatThrownBy(() -> read(forged(new byte[1 << 21]), null, List.of()))
                .hasMessage("l.hlog:1: a histogram that is cut, or larger than 1048576 bytes");
    }

    private static String forged(byte[] payload) {
        Deflater deflater = new Deflater();
        deflater.setInput(payload);
        deflater.finish();
        byte[] deflated = new byte[1 << 16];
        int length = deflater.deflate(deflated);
        deflater.end();
        ByteBuffer all = ByteBuffer.allocate(8 + length);
        all.putInt(0x1c849314).putInt(length).put(deflated, 0, length);
        return "1,1,1," + Base64.getEncoder().encodeToString(all.array()) + "\n";
    }
}
