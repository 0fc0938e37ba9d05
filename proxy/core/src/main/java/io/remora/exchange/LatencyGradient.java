package io.remora.exchange;

import org.jspecify.annotations.Nullable;

/**
 * The limit on requests that wait for a backend, computed from their latency in one window of time after the other.
 *
 * <p>While the latency stays near its base, the latency without load, the limit grows by its root where it is made use
 * of. Where the latency has left the base for three windows, the limit is cut below the requests under way, and the
 * answer judges the cause: requests that wait for each other are answered faster when there are fewer of them. Then
 * Little's law gives the limit that keeps the latency in bounds. Otherwise the backend itself has become slower: the
 * limit is the one before the cut, and the current latency is the new base. While the limit refuses requests, a cut
 * tries every few seconds whether the base is lower than known: a sidecar that starts in the middle of an overload has
 * never seen it. A cut also reviews a verdict that the backend became slower, if latency and requests under way have both
 * grown since. A stall of the host looks like a slow backend. The queue after the stall would stay within the bounds of
 * such a base.
 *
 * <p>Not thread safe. Bounds: the configuration's.
 */
final class LatencyGradient {
    /** Margin within which no wait is too long: it is a scheduler's, and no queue's. */
    private static final double SLACK_NS = 2e6;

    private static final double FALL = 0.1;
    private static final double RISE = 0.01;
    /**
     * Share of the requests under way to which a cut lowers the limit. The cut is deep enough that the answer stands
     * out from the noise of a hundred latencies.
     */
    private static final double CUT = 0.6;

    private static final double LEAST_CHANGE = Math.log(1.15);
    private static final double HALF = 0.5;
    private static final int HOT_WINDOWS = 3;
    /** Growth of the requests under way that speaks against a verdict. */
    private static final double REQUESTS_IN_DOUBT = 2;
    /** Growth of the latency that speaks against a verdict. It stands out from the noise of three windows. */
    private static final double LATENCY_IN_DOUBT = 1.5;

    private static final int MOST_WINDOWS_OF_A_CUT = 6;
    private static final long PROBE_NS = 15_000_000_000L;
    /** Time from a verdict to its first review, in which a stall ends. */
    private static final long FIRST_REVIEW_NS = 5_000_000_000L;
    /** Upper bound of the time between reviews, which doubles from {@link #PROBE_NS}. */
    private static final long MOST_REVIEW_NS = 240_000_000_000L;

    /** A change of the limit that is to show what the latency does. */
    private enum Trial {
        NONE,
        /** The latency was too long. */
        CHECK,
        /** The latency was good, and could be better. */
        PROBE,
        /** The latency was good by a base that is in doubt. */
        REVIEW
    }

    private final int min;
    private final int max;
    private final double tolerance;
    private double limit;
    /**
     * True where most requests of the last window ended without an answer: their latency shows the patience of clients.
     */
    private boolean unanswered;

    /** The latency without load; below 0 where nothing is known. */
    private double baseNs = -1;

    /** Windows in a row whose latency was too long. */
    private int hot;

    /** The base before the last verdict that the backend itself became slower; below 0 where none is in doubt. */
    private double lowerBaseNs = -1;

    /** The latency that became the base by that verdict. */
    private double latencyAtVerdictNs;
    /** Requests under way before the cut of that verdict. */
    private double underWayAtVerdict;

    private long nextReviewNs;
    /** Time from the next review to the one after it. */
    private long reviewNs = PROBE_NS;

    /** Windows in a row that speak against that verdict. */
    private int doubts;

    private long nextProbeNs;

    private Trial trial = Trial.NONE;

    /** Windows since it began. */
    private int windows;

    private double limitBefore;
    private double underWayBefore;
    private double latencyBeforeNs;

    LatencyGradient(AdaptiveConfig config) {
        this.min = config.min();
        this.max = config.max();
        this.tolerance = 1 + config.tolerancePercent() / 100.0;
        this.limit = max;
    }

    int limit() {
        return (int) limit;
    }

    /** Returns the current estimate of the latency without load; 0 before the first window. */
    long baseNs() {
        return (long) Math.max(0, baseNs);
    }

    /** Returns the latency above which a window counts as too long. */
    private double tooLongNs() {
        return baseNs * tolerance + SLACK_NS;
    }

    /** Notes whether most requests of the next window ended without an answer. */
    void unanswered(boolean most) {
        unanswered = most;
    }

    /**
     * Takes a window in.
     *
     * @param latencyNs the median of those that were answered in it
     * @param underWay requests that waited, in the mean
     * @param most requests that waited at one moment
     * @param refused whether any was
     * @return whether a cut has shown that the latency came from the load; null where none was judged
     */
    @Nullable
    Boolean window(double latencyNs, double underWay, int most, boolean refused, long nowNs) {
        if (baseNs < 0) {
            baseNs = latencyNs;
            nextProbeNs = nowNs;
            return null;
        }
        if (trial != Trial.NONE) {
            return judge(latencyNs, underWay, nowNs);
        }
        if (latencyNs > tooLongNs()) {
            hot++;
            doubts = 0;
            if (hot >= HOT_WINDOWS) {
                tooLong(latencyNs, underWay, refused);
            }
            return null;
        }
        hot = 0;
        if (latencyNs < baseNs) {
            baseNs += (latencyNs - baseNs) * FALL;
        } else if (!refused) {
            baseNs += (latencyNs - baseNs) * RISE;
        }
        if (isInDoubt(latencyNs, underWay) && nowNs - nextReviewNs >= 0) {
            // to as many as gave that verdict, so that only the backend differs
            ask(latencyNs, underWay, cut(underWayAtVerdict), Trial.REVIEW);
        } else if (refused && nowNs - nextProbeNs >= 0 && underWay * CUT >= min) {
            ask(latencyNs, underWay, cut(underWay), Trial.PROBE);
        } else if (most * 2 >= limit()) {
            limit = Math.min(max, limit + Math.sqrt(limit));
        }
        return null;
    }

    /** Notes whether a window speaks against the last verdict, and returns whether enough of them have done so. */
    private boolean isInDoubt(double latencyNs, double underWay) {
        if (lowerBaseNs < 0) {
            return false;
        }
        if (Math.log(baseNs / lowerBaseNs) < LEAST_CHANGE) {
            // the backend is as fast as before
            lowerBaseNs = -1;
            return false;
        }
        boolean grown = underWay >= REQUESTS_IN_DOUBT * underWayAtVerdict
                && latencyNs >= LATENCY_IN_DOUBT * latencyAtVerdictNs + SLACK_NS;
        doubts = grown ? doubts + 1 : 0;
        return doubts >= HOT_WINDOWS;
    }

    private void tooLong(double latencyNs, double underWay, boolean refused) {
        if (underWay * CUT >= min) {
            ask(latencyNs, underWay, cut(underWay), Trial.CHECK);
        } else if (refused) {
            // there is nothing to cut, and more of them show the same
            ask(latencyNs, underWay, Math.min(max, underWay / CUT + 1), Trial.CHECK);
        } else {
            // so few are never refused
            baseNs += (latencyNs - baseNs) * FALL;
        }
    }

    // more may be under way than the limit allows, of those that were let in before it fell
    private double cut(double underWay) {
        return Math.min(limit, underWay * CUT);
    }

    private void ask(double latencyNs, double underWay, double next, Trial begun) {
        trial = begun;
        windows = 0;
        doubts = 0;
        limitBefore = limit;
        underWayBefore = underWay;
        latencyBeforeNs = latencyNs;
        limit = Math.max(min, next);
    }

    private @Nullable Boolean judge(double latencyNs, double underWay, long nowNs) {
        windows++;
        if (trial == Trial.REVIEW) {
            return review(latencyNs, underWay, nowNs);
        }
        // those of the first window were let in before
        double change = Math.log(underWayBefore / underWay);
        boolean changed = Math.abs(change) >= LEAST_CHANGE;
        if (windows == 1 || !changed && windows < MOST_WINDOWS_OF_A_CUT) {
            return null;
        }
        boolean probe = trial == Trial.PROBE;
        trial = Trial.NONE;
        hot = 0;
        boolean load = unanswered || changed && Math.log(latencyBeforeNs / latencyNs) / change >= HALF;
        if (load) {
            byLoad(latencyNs, probe);
        } else {
            byOther(latencyNs, nowNs, probe);
        }
        return load;
    }

    private void byLoad(double latencyNs, boolean probe) {
        if (probe) {
            // it has cost nothing, and the next window may show that there is more of it
            baseNs = Math.min(baseNs, latencyNs);
        } else if (limit > limitBefore) {
            limit = limitBefore;
        } else {
            double aimNs = (baseNs + tooLongNs()) * HALF;
            double fitting = underWayBefore * aimNs / latencyBeforeNs;
            limit = Math.max(min, Math.min(limitBefore, fitting));
            hot = HOT_WINDOWS - 1;
        }
    }

    /** Lowers the base if as many as at the verdict are answered faster. Otherwise the verdict stands, and the limit is as before. */
    private @Nullable Boolean review(double latencyNs, double underWay, long nowNs) {
        boolean comparable = windows > 1 && underWay <= limit / CUT;
        if (!comparable && windows < MOST_WINDOWS_OF_A_CUT) {
            return null;
        }
        trial = Trial.NONE;
        hot = 0;
        boolean load = comparable && Math.log(baseNs / latencyNs) >= LEAST_CHANGE;
        if (load) {
            baseNs = latencyNs;
            // the next window may show that there is more of it
            nextProbeNs = nowNs;
        } else {
            limit = Math.max(limit, limitBefore);
            underWayAtVerdict = Math.max(underWayAtVerdict, underWayBefore);
        }
        nextReviewNs = nowNs + reviewNs;
        reviewNs = Math.min(MOST_REVIEW_NS, 2 * reviewNs);
        return load;
    }

    private void byOther(double latencyNs, long nowNs, boolean probe) {
        limit = Math.max(limit, limitBefore);
        if (probe) {
            baseNs = Math.min(baseNs, latencyNs);
            nextProbeNs = nowNs + PROBE_NS;
        } else {
            lowerBaseNs = lowerBaseNs < 0 ? baseNs : Math.min(lowerBaseNs, baseNs);
            latencyAtVerdictNs = latencyNs;
            underWayAtVerdict = underWayBefore;
            nextReviewNs = nowNs + FIRST_REVIEW_NS;
            reviewNs = PROBE_NS;
            baseNs = latencyNs;
        }
    }
}
