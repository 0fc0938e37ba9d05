package io.remora.dashboard;

import io.remora.metrics.RoughTimes;
import io.remora.metrics.WatchedRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of one listener, route or endpoint on all event loops: the rate and success of the last seconds, and
 * percentiles since the page was opened.
 *
 * <p>Owner: the admin thread.
 */
final class Traffic {
    /** The names of the values that it puts. */
    static final String[] NAMES = {"n", "in", "ra", "ok", "ex", "px", "tx", "fl", "op", "st", "why", "ret"};

    /** Names of the figures of exchanges. */
    private static final String[] OF_EXCHANGES = {"ra", "ok", "ex", "px", "tx"};

    private static final double[] SHARES = {0.5, 0.9, 0.99, 0.999};
    private static final long NS_PER_US = 1_000;

    private final List<WatchedRow> loops = new ArrayList<>(1);
    private final RateWindow window = new RateWindow();
    private long ended;
    private long shown = -1;
    private @Nullable LiveRow shownIn;

    /** Begins a reading of all event loops. */
    void begin() {
        loops.clear();
    }

    /** Returns whether an event loop counts for it. */
    boolean isKnown() {
        return !loops.isEmpty();
    }

    void add(WatchedRow ofLoop) {
        loops.add(ofLoop);
    }

    /**
     * Adds the event loops up.
     *
     * @param lastNs of the reading before, at which what is new here had counted nothing
     */
    void read(long nowNs, long lastNs) {
        if (window.isEmpty()) {
            window.add(0, 0, lastNs);
        }
        ended = 0;
        long failed = 0;
        for (WatchedRow each : loops) {
            ended += each.ended();
            failed += each.failed();
        }
        window.add(ended, failed, nowNs);
    }

    /**
     * Puts what was read.
     *
     * @param proxy scratch, like {@code total}
     */
    void put(LiveRow row, int[] proxy, int[] total) {
        row.putHundredths("ra", window.hundredthsPerSecond());
        long success = window.success();
        if (success < 0) {
            row.putNothing("ok");
        } else {
            row.putHundredths("ok", success);
        }
        if (ended == shown && row == shownIn) {
            return;
        }
        shown = ended;
        shownIn = row;
        row.put("ex", ended);
        if (ended > 0) {
            Arrays.fill(proxy, 0);
            Arrays.fill(total, 0);
            for (WatchedRow each : loops) {
                each.addTo(proxy, total);
            }
            row.putAll("px", us(RoughTimes.at(proxy, SHARES)));
            row.putAll("tx", us(RoughTimes.at(total, SHARES)));
        }
    }

    /** Takes back the figures of exchanges, if there are any. */
    static void putNothing(LiveRow row) {
        for (String name : OF_EXCHANGES) {
            row.putNothing(name);
        }
    }

    static long[] us(long[] ns) {
        for (int i = 0; i < ns.length; i++) {
            ns[i] /= NS_PER_US;
        }
        return ns;
    }
}
