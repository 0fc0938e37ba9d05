package io.remora.loadtest;

import java.io.FileNotFoundException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Measures the host's own hiccups: by how much a sleep of one millisecond oversleeps, again and again.
 *
 * <p>Commands: {@code begin} throws away what was; {@code end FILE} writes an interval log with the tag {@code host.hiccup} and answers
 * with the percentiles. Nothing is allocated while it measures, so that no collection of its own counts.
 *
 * <p>Source: Gil Tene, jHiccup.
 */
public final class HiccupMeter {
    private static final long SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final SingleWriterRecorder recorder = Percentiles.recorder();

    private HiccupMeter() {}

    public static void main(String[] arguments) throws Exception {
        HiccupMeter meter = new HiccupMeter();
        Thread sleeper = new Thread(meter::sleepAgainAndAgain, "hiccups");
        sleeper.setDaemon(true);
        sleeper.start();
        Commands.serve(meter::answer);
    }

    private void sleepAgainAndAgain() {
        while (true) {
            long beforeNs = System.nanoTime();
            LockSupport.parkNanos(SLEEP_NS);
            long lateNs = System.nanoTime() - beforeNs - SLEEP_NS;
            recorder.recordValue(Percentiles.inRange(lateNs));
        }
    }

    private String answer(String[] words) throws FileNotFoundException {
        Histogram interval = recorder.getIntervalHistogram();
        if (words[0].equals("begin")) {
            return "ok 1";
        }
        try (IntervalLog log = new IntervalLog(words[1])) {
            log.write("host.hiccup", interval);
        }
        return "samples " + interval.getTotalCount() + " over_5ms "
                + interval.getCountBetweenValues(LONG_NS, Long.MAX_VALUE) + " " + Percentiles.line("", interval);
    }
}
