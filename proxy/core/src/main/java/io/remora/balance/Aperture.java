package io.remora.balance;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Talks to some of the nodes only: they stand on a ring in an order that all sidecars share, and each sidecar picks, by
 * two choices, from its own arc. The arcs of N sidecars with positions 0 to N-1 cover the ring evenly, so that every node
 * gets the same load although it has few sidecars' connections (Finagle's deterministic aperture).
 *
 * <p>Owner: one event loop. Cost: O(log n) a pick, O(n log n) an update.
 */
public final class Aperture<N extends BalancerNode> extends PowerOfTwo<N> {
    /** The least share that counts as all of a node, because sums lose a little. */
    private static final double WHOLE = 1 - 1e-9;

    private final double offset;
    private final double leastWidth;
    private final int leastNodes;
    private double width = 1;
    private Shares ring = new Shares(List.of());

    /**
     * @param offset where on the ring the arc begins, from 0 up to, but not including, 1
     * @param peers among which the ring is divided, 0 where the number is unknown
     * @param leastNodes that the arc has at least, if there are as many
     */
    public Aperture(Draw draw, @Nullable SlowStart slowStart, double offset, int peers, int leastNodes) {
        super(draw, slowStart);
        this.offset = offset;
        this.leastWidth = peers == 0 ? 0 : 1.0 / peers;
        this.leastNodes = leastNodes;
    }

    /** Returns where the arc of one of several peers begins. */
    public static double offset(int position, int peers) {
        return (double) position / peers;
    }

    /** Returns where the arc of a sidecar begins of which only the name is known. */
    public static double offset(String name) {
        return Draw.unit(Hash.of(name));
    }

    @Override
    public History history() {
        return new RecentFailures();
    }

    @Override
    public void update(List<N> newNodes) {
        List<N> inOrder = new ArrayList<>(newNodes);
        inOrder.sort(new ByHash());
        super.update(inOrder);
        ring = new Shares(inOrder);
        width = inOrder.isEmpty() ? 1 : width(inOrder.size());
    }

    /** Whole multiples of a peer's part, so that the arcs go on covering the ring evenly. */
    private double width(int nodes) {
        double wanted = Math.min(1, (double) leastNodes / nodes);
        if (leastWidth == 0) {
            return wanted;
        }
        return Math.min(1, Math.max(1, Math.ceil(wanted / leastWidth - 1e-9)) * leastWidth);
    }

    @Override
    int drawIndex() {
        double place = offset + width * drawUnit();
        return ring.at(place < 1 ? place : place - 1);
    }

    @Override
    double cost(int index, N node, long nowNs) {
        return LeastLoaded.load(node, nowNs) / (weight(node, nowNs) * covered(index));
    }

    /** Returns the share of the node that lies in the arc. */
    private double covered(int index) {
        double begin = ring.begin(index);
        double end = ring.end(index);
        double covered = (overlap(begin, end) + overlap(begin + 1, end + 1)) / (end - begin);
        return covered > WHOLE ? 1 : Math.max(covered, 1 - WHOLE);
    }

    private double overlap(double begin, double end) {
        return Math.max(0, Math.min(end, offset + width) - Math.max(begin, offset));
    }
}
