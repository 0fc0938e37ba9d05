package io.remora.feature.mirror;

import io.remora.engine.Cluster;
import io.remora.exchange.LoopPart;
import io.remora.exchange.Replay;
import io.remora.exchange.StagedRequest;
import io.remora.http.RequestHead;
import io.remora.memory.LoopBudget;
import java.util.ArrayList;
import java.util.List;

/**
 * Has copies of requests sent to another cluster than theirs, whose responses nobody gets. An exchange waits for nothing of that: where
 * anything is in the way, there is no copy.
 *
 * <p>Owner: one listener on one event loop; it outlives any configuration. Bounds: the copies that are under way, the body of each, and
 * the memory that the loop can do without.
 */
final class Mirrors implements LoopPart {
    private final MirrorStats stats;
    private final List<MirroredRequest> copies = new ArrayList<>();

    Mirrors(MirrorStats stats) {
        this.stats = stats;
    }

    @Override
    public Mirrors renewed() {
        return new Mirrors(stats);
    }

    /** Returns the counts of its copies. */
    MirrorStats stats() {
        return stats;
    }

    /**
     * Copies the exchange's request as it is sent in the first attempt.
     *
     * @param route by whose name the copy is marked
     */
    void copy(StagedRequest exchange, MirrorConfig config, Cluster cluster, String route) {
        RequestHead head = exchange.head();
        LoopBudget memory = exchange.listener().loop().memory();
        if (head.upgrade() != null) {
            // what follows is no request
            return;
        }
        if (copies.size() >= config.maxInFlight()) {
            dropped("busy");
        } else if (exchange.announcesMoreThan(config.bodyBytes())) {
            dropped("body");
        } else if (!memory.reserveSecond()) {
            dropped("memory");
        } else {
            begin(exchange, config, cluster, route);
        }
    }

    private void begin(StagedRequest exchange, MirrorConfig config, Cluster cluster, String route) {
        LoopBudget memory = exchange.listener().loop().memory();
        int octets = exchange.head().fields.heapBytes();
        if (!memory.holdSpare(octets)) {
            memory.giveBackSecond();
            dropped("memory");
            return;
        }
        stats.increment(MirrorMetric.STARTED);
        Replay body = new Replay(memory, config.bodyBytes());
        MirroredRequest copy = new MirroredRequest(this, exchange, cluster, octets, body, config.timeoutNs());
        copy.place(copies.size());
        copies.add(copy);
        exchange.join(new MirrorIntake(copy, body, config.bodyBytes(), route));
    }

    void dropped(String reason) {
        stats.increment(MirrorMetric.DROPPED, reason);
    }

    @Override
    public boolean isIdle() {
        return copies.isEmpty();
    }

    @Override
    public void cut() {
        while (!copies.isEmpty()) {
            copies.get(copies.size() - 1).cut();
        }
    }

    void ended(MirroredRequest copy, boolean failed) {
        // the last one takes its place
        MirroredRequest last = copies.remove(copies.size() - 1);
        if (copy.place() < copies.size()) {
            copies.set(copy.place(), last);
            last.place(copy.place());
        }
        if (failed) {
            stats.increment(MirrorMetric.FAILED);
        }
        stats.increment(MirrorMetric.FINISHED);
    }
}
