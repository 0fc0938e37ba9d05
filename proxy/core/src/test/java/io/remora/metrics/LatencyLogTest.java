package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;

final class LatencyLogTest {
    private static final long START_MS = 1_767_323_045_067L;

    private final Stats stats = new Stats();
    private final LatencyTotals totals = new LatencyTotals(stats);
    private final LatencyLog log = new LatencyLog(totals, START_MS);

    @Test
    void aReadTellsWhatCameInSinceTheLastOne() {
        ListenerStats first = stats.add(new ListenerStats("in,ner world"));
        ListenerStats second = stats.add(new ListenerStats("in,ner world"));
        LoopStats loop = stats.add(new LoopStats("loop-0"));
        first.record(ListenerMetric.PROXY_TIME, 100_000);
        second.record(ListenerMetric.PROXY_TIME, 9_000_000);
        loop.record(LoopMetric.LAG, 5_000);
        Map<String, Histogram> one = read(log.take(START_MS + 1_500));
        assertThat(one)
                .containsOnlyKeys("in_ner_world.proxy", "in_ner_world.backend", "in_ner_world.total", "loop-0.lag");
        assertThat(one.get("in_ner_world.proxy").getTotalCount()).isEqualTo(2);
        assertThat(one.get("in_ner_world.proxy").getMaxValue()).isBetween(9_000_000L, 9_100_000L);
        assertThat(one.get("in_ner_world.proxy").getStartTimeStamp()).isEqualTo(START_MS);
        assertThat(one.get("in_ner_world.proxy").getEndTimeStamp()).isEqualTo(START_MS + 1_500);
        assertThat(one.get("in_ner_world.backend").getTotalCount()).isZero();

        first.record(ListenerMetric.PROXY_TIME, 200_000);
        Map<String, Histogram> two = read(log.take(START_MS + 2_000));
        assertThat(two.get("in_ner_world.proxy").getTotalCount()).isEqualTo(1);
        assertThat(two.get("in_ner_world.proxy").getMaxValue()).isBetween(200_000L, 202_000L);
        assertThat(two.get("in_ner_world.proxy").getStartTimeStamp()).isEqualTo(START_MS + 1_500);
        assertThat(two.get("loop-0.lag").getTotalCount()).isZero();
    }

    @Test
    void scrapesAndTheLogDoNotTakeFromEachOther() {
        ListenerStats listener = stats.add(new ListenerStats("in"));
        Exposition exposition = new Exposition(stats, totals);
        listener.record(ListenerMetric.TOTAL_TIME, 1_000_000);
        assertThat(count(exposition)).isEqualTo(1);
        listener.record(ListenerMetric.TOTAL_TIME, 1_000_000);
        assertThat(read(log.take(START_MS + 1)).get("in.total").getTotalCount()).isEqualTo(2);
        assertThat(count(exposition)).isEqualTo(2);
    }

    private static double count(Exposition exposition) {
        return PrometheusLint.of(Exposed.text(exposition))
                .samples()
                .get("remora_total_time_seconds_count{listener=\"in\"}");
    }

    private static Map<String, Histogram> read(String text) {
        Map<String, Histogram> intervals = new HashMap<>();
        HistogramLogReader reader =
                new HistogramLogReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
        while (reader.hasNext()) {
            EncodableHistogram interval = reader.nextIntervalHistogram();
            assertThat(intervals.put(interval.getTag(), (Histogram) interval)).isNull();
        }
        return intervals;
    }
}
