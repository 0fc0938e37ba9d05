package io.remora.balance;

/**
 * A node's latency as a moving average that weighs by time, and that a slower response than the average replaces at
 * once. A node that got slow shows with the first response, and one that got fast shows over time. Without responses
 * the average falls towards 0, so that a slow node gets a request again some day.
 *
 * <p>A failure counts as twice the average, up to a second, or as its own latency if that is more. So a node that fails
 * fast does not look fast, and one that fails once is soon forgiven.
 *
 * <p>Owner: one event loop. Cost: an exponential for each response and each look.
 */
final class LatencyEwma extends History {
    private static final double MOST_FOR_FAILURE_NS = 1e9;
    /** The cost of a second attempt while the first one at a new node is under way: higher than at any other node. */
    private static final double UNKNOWN_NS = 1e12;
    /**
     * The time that the first attempt may take before a second one is allowed as well, and so on: not every response is
     * a fast one.
     */
    private static final double ASK_AGAIN_NS = 1e9;

    private static final double US_NS = 1e3;

    private final double decayNs;
    /** The average, -1 where nothing is known. */
    private double averageNs = -1;

    private long atNs;
    /** The time since when nothing has been known in spite of attempts; 0 for no time. */
    private long unknownSinceNs;
    /** The average as others see it: an int is written whole, and may be seen late. */
    private int shownUs;

    LatencyEwma(long decayNs) {
        this.decayNs = decayNs;
    }

    @Override
    public void learned(boolean failed, long latencyNs, long nowNs) {
        double sampleNs = failed ? Math.max((double) latencyNs, penaltyNs(nowNs)) : latencyNs;
        if (sampleNs < 0) {
            return;
        }
        double keep = keep(nowNs);
        averageNs = sampleNs > averageNs ? sampleNs : averageNs * keep + sampleNs * (1 - keep);
        atNs = Math.max(atNs, nowNs);
        if (averageNs < 1) {
            averageNs = 1;
        }
        shownUs = (int) (averageNs / US_NS);
    }

    // what may have taken any time does not speak for the node
    @Override
    public void learnedAtLeast(long latencyNs, long nowNs) {
        if (latencyNs > averageNs * keep(nowNs)) {
            learned(false, latencyNs, nowNs);
        }
    }

    @Override
    public int latencyUs() {
        return shownUs;
    }

    private double penaltyNs(long nowNs) {
        return averageNs < 0 ? MOST_FOR_FAILURE_NS : Math.min(MOST_FOR_FAILURE_NS, 2 * averageNs * keep(nowNs));
    }

    /** Returns the share of the average that has not decayed yet. */
    private double keep(long nowNs) {
        return averageNs >= 0 && nowNs > atNs ? Math.exp((atNs - nowNs) / decayNs) : 1;
    }

    private double unknownNs(double load, long nowNs) {
        if (load == 0) {
            unknownSinceNs = 0;
            return 0;
        }
        if (unknownSinceNs == 0) {
            unknownSinceNs = nowNs;
        }
        return load <= Math.floor((nowNs - unknownSinceNs) / ASK_AGAIN_NS) ? 0 : UNKNOWN_NS * (load + 1);
    }

    /** Returns how long a further attempt takes, by all that is known, behind so many others. */
    double costNs(double load, long nowNs) {
        if (averageNs < 0) {
            return unknownNs(load, nowNs);
        }
        return averageNs * keep(nowNs) * (load + 1);
    }
}
