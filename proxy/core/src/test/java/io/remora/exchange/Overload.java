package io.remora.exchange;

import io.remora.metrics.AdmissionStats;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.Random;

/** Requests at a backend of bounded concurrency in virtual time: they arrive by chance, are admitted or not, and wait in one queue. */
final class Overload {
    static final long MS = 1_000_000L;
    static final long S = 1_000 * MS;

    /** How long a request takes that begins now, in nanoseconds. */
    @FunctionalInterface
    interface Service {
        long takesNs(Random random, long nowNs);
    }

    private record End(long atNs, long latencyNs) {}

    final AdmissionStats stats = new AdmissionStats("test");
    final AdaptiveLimit limit;
    private final Random random;
    private final PriorityQueue<End> ends = new PriorityQueue<>((a, b) -> Long.compare(a.atNs, b.atNs));
    private final long[] freeAtNs;
    private Service service = exponential(10 * MS);
    private long nowNs;
    /** Since the last {@link #forget}. */
    long arrived;

    long refused;
    long inTime;
    long lastRefusedNs;
    private long goodNs = 100 * MS;

    /**
     * @param threads that serve one request each
     */
    Overload(AdaptiveConfig config, int threads, long seed) {
        this.limit = new AdaptiveLimit(config, stats, 0);
        this.freeAtNs = new long[threads];
        this.random = new Random(seed);
    }

    static Service exponential(long meanNs) {
        return (random, nowNs) -> (long) (-Math.log(1 - random.nextDouble()) * meanNs);
    }

    /** Whose mean is four times its median, so that a few requests take very long. */
    static Service heavyTail(long medianNs) {
        return (random, nowNs) -> (long) (medianNs * Math.exp(1.665 * random.nextGaussian()));
    }

    Overload serves(Service next) {
        service = next;
        return this;
    }

    /** A response after more is of no use. */
    Overload goodWithin(long ns) {
        goodNs = ns;
        return this;
    }

    /** Nobody is served for so long. */
    void pause(long forNs) {
        for (int i = 0; i < freeAtNs.length; i++) {
            freeAtNs[i] = Math.max(freeAtNs[i], nowNs) + forNs;
        }
    }

    long nowNs() {
        return nowNs;
    }

    void forget() {
        arrived = 0;
        refused = 0;
        inTime = 0;
    }

    void run(long forNs, double perSecond) {
        long untilNs = nowNs + forNs;
        while (true) {
            long gapNs = (long) (-Math.log(1 - random.nextDouble()) / perSecond * S);
            if (nowNs + gapNs >= untilNs) {
                end(untilNs);
                nowNs = untilNs;
                return;
            }
            end(nowNs + gapNs);
            nowNs += gapNs;
            arrive();
        }
    }

    /** Runs clients each of which asks again when it is answered, and 100 ms after it is refused. */
    void crowd(int clients, long forNs) {
        long untilNs = nowNs + forNs;
        PriorityQueue<Long> asks = new PriorityQueue<>();
        while (asks.size() + ends.size() < clients) {
            asks.add(nowNs);
        }
        while (true) {
            long askNs = asks.isEmpty() ? Long.MAX_VALUE : asks.peek();
            long endNs = ends.isEmpty() ? Long.MAX_VALUE : ends.peek().atNs;
            long nextNs = Math.min(askNs, endNs);
            if (nextNs >= untilNs) {
                nowNs = untilNs;
                return;
            }
            nowNs = nextNs;
            if (endNs == nextNs) {
                end(nowNs);
                while (asks.size() + ends.size() < clients) {
                    asks.add(nowNs);
                }
            } else {
                asks.poll();
                if (!arrive()) {
                    asks.add(nowNs + 100 * MS);
                }
            }
        }
    }

    private boolean arrive() {
        arrived++;
        if (!limit.enter()) {
            refused++;
            lastRefusedNs = nowNs;
            return false;
        }
        int first = 0;
        for (int i = 1; i < freeAtNs.length && freeAtNs[first] > nowNs; i++) {
            first = freeAtNs[i] < freeAtNs[first] ? i : first;
        }
        freeAtNs[first] = Math.max(nowNs, freeAtNs[first]) + service.takesNs(random, nowNs);
        ends.add(new End(freeAtNs[first], freeAtNs[first] - nowNs));
        return true;
    }

    private void end(long untilNs) {
        while (!ends.isEmpty() && ends.peek().atNs <= untilNs) {
            End end = ends.poll();
            limit.leave();
            limit.learn(end.latencyNs, end.atNs);
            inTime += end.latencyNs <= goodNs ? 1 : 0;
        }
    }

    @Override
    public String toString() {
        return "at " + nowNs / MS + " ms limit " + limit.limit() + ", base " + limit.baseNs() / 1_000 + " us, refused "
                + refused + " of " + arrived + ", in time " + inTime + " " + Arrays.toString(new long[] {ends.size()});
    }
}
