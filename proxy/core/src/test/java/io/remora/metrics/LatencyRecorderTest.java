package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LatencyRecorderTest {
    private final LatencyRecorder recorder = new LatencyRecorder();

    private Histogram drained() {
        Histogram sum = LatencyRecorder.newHistogram();
        recorder.drainInto(sum);
        return sum;
    }

    /** Later drains reuse the histogram of an earlier one. */
    @Test
    void drainsEachDurationOnce() {
        for (int interval = 1; interval <= 4; interval++) {
            for (int i = 0; i < interval; i++) {
                recorder.record(interval * 1_000_000L);
            }
            Histogram sum = drained();
            assertThat(sum.getTotalCount()).isEqualTo(interval);
            assertThat(sum.getCountAtValue(interval * 1_000_000L)).isEqualTo(interval);
        }
        assertThat(drained().getTotalCount()).isZero();
    }

    @Test
    void addsToWhatIsThere() {
        Histogram sum = LatencyRecorder.newHistogram();
        recorder.record(5_000);
        recorder.drainInto(sum);
        recorder.record(5_000);
        recorder.drainInto(sum);
        assertThat(sum.getTotalCount()).isEqualTo(2);
    }
}
