package io.remora.balance;

import java.util.Random;
import org.jspecify.annotations.Nullable;

/** An endpoint of a simulation: how long it takes, and whether it is there at all. */
final class SimNode implements BalancerNode {
    /** Long before any simulation begins. */
    static final long ALWAYS_NS = -1_000_000_000_000_000L;

    /** How long an attempt takes that begins now, in nanoseconds. */
    @FunctionalInterface
    interface Service {
        long takesNs(Random random, long nowNs);
    }

    private final String name;
    private final @Nullable History history;
    int weight = 1;
    String zone = "";
    int priority;
    long joinedNs = ALWAYS_NS;
    boolean healthy = true;
    /** Refuses, and at once. */
    boolean dead;

    Service service = exponential(5_000_000);
    /** Where one attempt is served after the other: until when the last one is. */
    long busyUntilNs;

    int load;
    int most;
    long picks;

    SimNode(String name, Balancer<SimNode> balancer) {
        this(name, balancer.history());
    }

    SimNode(String name, @Nullable History history) {
        this.name = name;
        this.history = history;
    }

    static Service exponential(long meanNs) {
        return (random, nowNs) -> (long) (-Math.log(1 - random.nextDouble()) * meanNs);
    }

    void begin() {
        load++;
        picks++;
        most = Math.max(most, load);
        if (history != null) {
            history.began();
        }
    }

    void end(boolean failed, long latencyNs, long nowNs) {
        load--;
        if (history != null) {
            history.ended();
            history.learned(failed, latencyNs, nowNs);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int load() {
        return load;
    }

    @Override
    public boolean isHealthy() {
        return healthy;
    }

    @Override
    public int weight() {
        return weight;
    }

    @Override
    public String zone() {
        return zone;
    }

    @Override
    public int priority() {
        return priority;
    }

    @Override
    public long joinedNs() {
        return joinedNs;
    }

    @Override
    public @Nullable History history() {
        return history;
    }

    @Override
    public String toString() {
        return name;
    }
}
