package io.remora.dashboard;

import io.remora.metrics.RoughTimes;
import io.remora.metrics.WatchedRow;
import java.util.Arrays;
import java.util.List;

/**
 * The exchanges of all listeners in the last seconds: rate, success, and the 99th percentiles.
 *
 * <p>Owner: the admin thread. Cost: 18 KB.
 */
final class Overall {
    static final String[] NAMES = {"ra", "ok", "fl", "pp", "tp"};

    private static final double P99 = 0.99;
    private static final int PLACES = RateWindow.places(LivePage.PERIOD);

    private final RateWindow window = new RateWindow();
    private final int[][] proxy = new int[PLACES][];
    private final int[][] total = new int[PLACES][];
    private int readings;

    /**
     * @param inFlight exchanges that have begun and not ended
     */
    void put(LiveRow row, List<WatchedRow> all, long inFlight, long nowNs) {
        int newest = readings % PLACES;
        proxy[newest] = cleared(proxy[newest]);
        total[newest] = cleared(total[newest]);
        long ended = 0;
        long failed = 0;
        for (WatchedRow each : all) {
            ended += each.ended();
            failed += each.failed();
            each.addTo(proxy[newest], total[newest]);
        }
        readings++;
        window.add(ended, failed, nowNs);
        row.putHundredths("ra", window.hundredthsPerSecond());
        row.put("fl", inFlight);
        long success = window.success();
        if (success < 0) {
            row.putNothing("ok");
            row.putNothing("pp");
            row.putNothing("tp");
        } else {
            row.putHundredths("ok", success);
            int oldest = readings < PLACES ? 0 : readings % PLACES;
            row.putAll("pp", p99Us(proxy[newest], proxy[oldest]));
            row.putAll("tp", p99Us(total[newest], total[oldest]));
        }
    }

    private static int[] cleared(int[] known) {
        if (known == null) {
            return RoughTimes.newSum();
        }
        Arrays.fill(known, 0);
        return known;
    }

    private static long[] p99Us(int[] newest, int[] oldest) {
        int[] between = newest.clone();
        for (int i = 0; i < between.length; i++) {
            between[i] -= oldest[i];
        }
        return Traffic.us(RoughTimes.at(between, P99));
    }
}
