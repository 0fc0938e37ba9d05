package io.remora.balance;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/** Requests at a cluster in virtual time: they arrive by chance at a rate, one balancer picks, and endpoints take their time. */
final class Simulation {
    static final long MS = 1_000_000L;
    static final long S = 1_000 * MS;

    private static final long REFUSED_NS = 200_000;
    private static final int BUCKET_MS = 100;

    private record End(long atNs, SimNode node, long beganNs, boolean failed) {}

    private record Pick(long atNs, SimNode node) {}

    final List<SimNode> nodes = new ArrayList<>();
    private final Balancer<SimNode> balancer;
    private final Random random;
    private final PriorityQueue<End> ends = new PriorityQueue<>((a, b) -> Long.compare(a.atNs, b.atNs));
    private final List<Pick> picks = new ArrayList<>();
    private boolean queues;
    private int keys = 1_000;
    private long nowNs;
    private double latencySumNs;
    private long ended;

    Simulation(Balancer<SimNode> balancer, long seed) {
        this.balancer = balancer;
        this.random = new Random(seed);
    }

    /** Endpoints serve one request after the other, in the order in which they come. */
    Simulation queueing() {
        queues = true;
        return this;
    }

    /** Requests have one of so many keys, all as often. */
    Simulation keys(int number) {
        keys = number;
        return this;
    }

    /** So many more endpoints, as they are by default. */
    Simulation add(int number) {
        for (int i = 0; i < number; i++) {
            nodes.add(new SimNode("10.0.0." + nodes.size() + ":80", balancer));
        }
        update();
        return this;
    }

    SimNode node(int index) {
        return nodes.get(index);
    }

    void update() {
        balancer.update(nodes);
    }

    long nowNs() {
        return nowNs;
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
            begin();
        }
    }

    private void begin() {
        SimNode node = balancer.pick(Draw.mix(random.nextInt(keys) + 1L), nowNs, null);
        if (node == null) {
            throw new AssertionError("nobody was picked");
        }
        node.begin();
        picks.add(new Pick(nowNs, node));
        if (node.dead) {
            ends.add(new End(nowNs + REFUSED_NS, node, nowNs, true));
            return;
        }
        long startNs = queues ? Math.max(nowNs, node.busyUntilNs) : nowNs;
        node.busyUntilNs = startNs + node.service.takesNs(random, nowNs);
        ends.add(new End(node.busyUntilNs, node, nowNs, false));
    }

    private void end(long untilNs) {
        while (!ends.isEmpty() && ends.peek().atNs <= untilNs) {
            End end = ends.poll();
            long latencyNs = end.atNs - end.beganNs;
            end.node.end(end.failed, end.failed ? -1 : latencyNs, end.atNs);
            latencySumNs += latencyNs;
            ended++;
        }
    }

    // ---- what came of it

    double meanLatencyNs() {
        return latencySumNs / ended;
    }

    /** Of the requests of the last so many nanoseconds. */
    double share(SimNode node, long lastNs) {
        return share(node, nowNs - lastNs, nowNs);
    }

    private double share(SimNode node, long fromNs, long toNs) {
        long all = 0;
        long its = 0;
        for (int i = picks.size() - 1; i >= 0 && picks.get(i).atNs >= fromNs; i--) {
            if (picks.get(i).atNs < toNs) {
                all++;
                its += picks.get(i).node == node ? 1 : 0;
            }
        }
        return all == 0 ? 0 : (double) its / all;
    }

    /** Its share in percent, from one bucket of the whole time to the next. */
    List<double[]> sharesOverTime(SimNode node, int buckets) {
        long[] all = new long[(int) (nowNs / (buckets * BUCKET_MS * MS)) + 1];
        long[] its = new long[all.length];
        for (Pick pick : picks) {
            int bucket = (int) (pick.atNs / (buckets * BUCKET_MS * MS));
            all[bucket]++;
            its[bucket] += pick.node == node ? 1 : 0;
        }
        List<double[]> shares = new ArrayList<>();
        for (int i = 0; i < all.length; i++) {
            if (all[i] > 0) {
                shares.add(new double[] {(i + 0.5) * buckets * BUCKET_MS / 1_000.0, 100.0 * its[i] / all[i]});
            }
        }
        return shares;
    }
}
