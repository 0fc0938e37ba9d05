package io.remora.loadtest;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Measures how late the host lets a sleeper of one millisecond wake, as jHiccup does, in a process of its own.
 *
 * <pre>
 * begin       throw away what was: "ok 1"
 * end FILE    write a log with tag host.hiccup: "samples N over_5ms K p50_us X p90_us X p99_us X p999_us X max_us X"
 * </pre>
 *
 * <p>Each millisecond of a stall counts with what was left of it, so that the percentiles compare with those of requests that
 * arrive once a millisecond; {@code over_5ms} counts stalls.
 *
 * <p>Cost: a wake-up a millisecond, and no allocation, so that no hiccup is of its own making.
 */
public final class HiccupMeter {
    private static final long SLEEP_NS = 1_000_000;
    private static final long LONG_NS = 5_000_000;

    private final Tally tally = new Tally(System.nanoTime());

    private final AtomicLong stalls = new AtomicLong();
    private volatile long recordedUntilNs;

    private HiccupMeter() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        HiccupMeter meter = new HiccupMeter();
        Thread sleeper = new Thread(meter::sleep, "sleeper");
        sleeper.setDaemon(true);
        sleeper.start();
        Commands.serve(Map.of("begin", words -> meter.begin(), "end", words -> meter.end(words[1])));
    }

    private void sleep() {
        long nowNs = System.nanoTime();
        while (true) {
            // counted from the last look at the clock, so that a stall between two sleeps is seen as well
            long dueNs = nowNs + SLEEP_NS;
            LockSupport.parkNanos(SLEEP_NS);
            nowNs = System.nanoTime();
            // whoever wanted to wake in a later millisecond of the same stall was late as well
            for (long wantedNs = dueNs; wantedNs <= nowNs; wantedNs += SLEEP_NS) {
                tally.done(wantedNs, nowNs);
            }
            if (nowNs - dueNs > LONG_NS) {
                stalls.incrementAndGet();
            }
            recordedUntilNs = nowNs;
        }
    }

    private String begin() {
        tally.begin(System.nanoTime());
        stalls.set(0);
        return Commands.OK;
    }

    private String end(String file) throws IOException {
        long endNs = System.nanoTime();
        tally.end(endNs);
        // a stall that is over, and that the sleeper has not told of yet, belongs to the window
        while (recordedUntilNs < endNs) {
            LockSupport.parkNanos(SLEEP_NS);
        }
        Histogram hiccups = tally.interval("host.hiccup");
        IntervalLog.write(file, List.of(hiccups));
        return "samples " + hiccups.getTotalCount() + " over_5ms " + stalls.get() + " " + Percentiles.line("", hiccups);
    }
}
