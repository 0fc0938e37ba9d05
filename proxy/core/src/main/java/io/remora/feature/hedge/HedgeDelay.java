package io.remora.feature.hedge;

import io.remora.exchange.HedgeTrigger;
import io.remora.exchange.LatencyScale;
import java.util.Arrays;

/**
 * Delay after which a request of one route is slow. It is a percentile of how long the last one to two thousand
 * requests waited for their first endpoint.
 *
 * <p>One that was overtaken counts with the time that it had waited by then: without it only the fast ones would count, and the
 * percentile would fall with each hedge.
 *
 * <p>Owner: the event loop. Cost: a count a request, and a look at all of them every fifty. Bounds: 2.4 KB.
 */
final class HedgeDelay implements HedgeTrigger {
    /** Least number of answers before a delay is known. */
    private static final int LEAST_SAMPLES = 100;

    private static final int SAMPLES_PER_LOOK = 50;
    private static final int SAMPLES_PER_AGE = 1_000;
    private static final double PER_CENT = 100;

    private final double part;
    private final long minNs;
    /** Waits of this age, then of the one before, and of both. */
    private int[] young = new int[LatencyScale.SIZE];

    private int[] old = new int[LatencyScale.SIZE];
    private final int[] both = new int[LatencyScale.SIZE];
    private int samples;
    private int toLook = LEAST_SAMPLES;
    private long delayNs = NEVER;

    HedgeDelay(HedgeConfig config) {
        this.part = config.percentile() / PER_CENT;
        this.minNs = config.minDelayNs();
    }

    @Override
    public long delayNs() {
        return delayNs;
    }

    @Override
    public void learn(long waitedNs) {
        young[LatencyScale.step(waitedNs)]++;
        samples++;
        if (--toLook == 0) {
            toLook = SAMPLES_PER_LOOK;
            look();
        }
        if (samples == SAMPLES_PER_AGE) {
            samples = 0;
            int[] emptied = old;
            old = young;
            young = emptied;
            Arrays.fill(young, 0);
        }
    }

    private void look() {
        for (int step = 0; step < both.length; step++) {
            both[step] = young[step] + old[step];
        }
        delayNs = Math.max(minNs, LatencyScale.quantileNs(both, part));
    }
}
