package io.remora.exchange;

import io.remora.metrics.AdmissionStats;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A listener's bound on requests that wait for the backend, over all event loops, which follows the latency of the
 * responses. Loaded only where admission is adaptive.
 *
 * <p>Thread safe without a lock: the thread that closes a window judges it, and no other waits for that. Cost: six
 * atomic operations a request, two hundred every window. Bounds: a window takes a quarter of a second, or as long as a
 * request if that is more, and five seconds at most. So it sees the effect of the window before it.
 */
public final class AdaptiveLimit {
    private static final long LEAST_WINDOW_NS = 250_000_000L;
    private static final long MOST_WINDOW_NS = 5_000_000_000L;
    /** The fewest latencies that judge a window; one that is as long as it may be takes fewer. */
    private static final int LEAST_SAMPLES = 100;

    private static final int FEW_SAMPLES = 10;
    private static final double MEDIAN = 0.5;

    private final AdaptiveConfig config;
    private final AdmissionStats stats;
    /** Owner: the thread that holds {@link #closing}. */
    private final LatencyGradient gradient;

    private final AtomicInteger limit;
    private final AtomicLong baseNs = new AtomicLong();
    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicLong beganNs;
    private final AtomicLong endsNs;
    private final AtomicIntegerArray samples = new AtomicIntegerArray(LatencyScale.SIZE);
    private final AtomicInteger number = new AtomicInteger();
    private final AtomicLong sumNs = new AtomicLong();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();

    public AdaptiveLimit(AdaptiveConfig config, AdmissionStats stats, long nowNs) {
        this.config = config;
        this.stats = stats;
        this.gradient = new LatencyGradient(config);
        this.limit = new AtomicInteger(gradient.limit());
        this.beganNs = new AtomicLong(nowNs);
        this.endsNs = new AtomicLong(nowNs + LEAST_WINDOW_NS);
        stats.tell(gradient.limit());
    }

    public AdaptiveConfig config() {
        return config;
    }

    int limit() {
        return limit.get();
    }

    /** Returns the current estimate of the latency without load. */
    long baseNs() {
        return baseNs.get();
    }

    /** Takes one more in, which owes {@link #leave}, if there is room. */
    public boolean enter() {
        int now = waiting.incrementAndGet();
        if (now > limit.get()) {
            waiting.decrementAndGet();
            if (refused.get() == 0) {
                refused.set(1);
            }
            return false;
        }
        note(now);
        return true;
    }

    /** Counts a request that was admitted before, without a check of the limit. It owes {@link #leave} again. */
    public void enterAgain() {
        note(waiting.incrementAndGet());
    }

    private void note(int now) {
        if (now > most.get()) {
            // one that is lost to another loop differs by as many as there are loops
            most.set(now);
        }
    }

    /**
     * Counts a request that {@link #enter} or {@link #enterAgain} let in as one that waits no longer. Called once for
     * each.
     */
    public void leave() {
        waiting.decrementAndGet();
    }

    /** A request had waited for so long when it was answered. */
    public void learn(long latencyNs, long nowNs) {
        samples.incrementAndGet(LatencyScale.step(latencyNs));
        sumNs.addAndGet(latencyNs);
        int count = number.incrementAndGet();
        if (isOver(count, nowNs) && closing.compareAndSet(false, true)) {
            try {
                // another loop may have come first
                if (isOver(number.get(), nowNs)) {
                    close(nowNs);
                }
            } finally {
                closing.set(false);
            }
        }
    }

    /** A request has waited for so long without an answer: that says something only where it is longer than an answer takes. */
    public void learnAtLeast(long latencyNs, long nowNs) {
        long base = baseNs.get();
        if (base > 0 && latencyNs >= base) {
            unanswered.incrementAndGet();
            learn(latencyNs, nowNs);
        }
    }

    private boolean isOver(int count, long nowNs) {
        if (count >= LEAST_SAMPLES) {
            return nowNs - endsNs.get() >= 0;
        }
        return count >= FEW_SAMPLES && nowNs - beganNs.get() >= MOST_WINDOW_NS;
    }

    private void close(long nowNs) {
        int[] counts = new int[LatencyScale.SIZE];
        for (int step = 0; step < counts.length; step++) {
            counts[step] = samples.getAndSet(step, 0);
        }
        gradient.unanswered(unanswered.getAndSet(0) * 2 > number.getAndSet(0));
        double underWay = (double) sumNs.getAndSet(0) / Math.max(1, nowNs - beganNs.get());
        long medianNs = LatencyScale.quantileNs(counts, MEDIAN);
        int highest = most.getAndSet(waiting.get());
        Boolean load = gradient.window((double) medianNs, underWay, highest, refused.getAndSet(0) > 0, nowNs);
        tell(load);
        beganNs.set(nowNs);
        endsNs.set(nowNs + Math.min(MOST_WINDOW_NS, Math.max(LEAST_WINDOW_NS, medianNs)));
    }

    private void tell(@Nullable Boolean load) {
        limit.set(gradient.limit());
        baseNs.set(gradient.baseNs());
        stats.tell(gradient.limit());
        if (load != null) {
            stats.judged(load);
        }
    }
}
