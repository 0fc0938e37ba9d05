package io.remora.balance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A weighted schedule of turns, earliest deadline first, on a heap. Each node has a due time; the earliest is next, and
 * is due again after a span that is the shorter the heavier the node is. The first due times are spread over a span, so
 * that nodes of one weight do not come in a row.
 *
 * <p>Owner: one event loop. Cost: O(log n) a turn, nodes that are passed over included; 12 bytes a node.
 */
final class Schedule<N extends BalancerNode> {
    /** Multiples of it, less their whole part, lie far apart and never together. */
    private static final double GOLDEN = 0.6180339887498949;

    private final List<N> nodes;
    private final @Nullable SlowStart slowStart;
    private final double[] due;
    /** Indices of nodes, the children of i at 2i+1 and 2i+2 and never due before it. */
    private final int[] heap;

    /**
     * @param first the node from which on the first turns are counted
     */
    Schedule(List<N> nodes, @Nullable SlowStart slowStart, int first) {
        int size = nodes.size();
        this.nodes = nodes;
        this.slowStart = slowStart;
        this.due = new double[size];
        this.heap = new int[size];
        for (int i = 0; i < size; i++) {
            int place = i < first ? i + size - first : i - first;
            due[i] = (place + 1) * GOLDEN % 1 / nodes.get(i).weight();
            heap[i] = i;
        }
        for (int i = size / 2 - 1; i >= 0; i--) {
            sink(i, size);
        }
    }

    /** Returns the next node, healthy or not. */
    int nextIndex(long nowNs) {
        int index = heap[0];
        due[index] += span(index, nowNs);
        sink(0, heap.length);
        return index;
    }

    /** Returns the next node that can be picked; failing that an unhealthy one, and then the one that was tried. */
    @Nullable
    N pick(long nowNs, @Nullable N tried) {
        N unhealthy = null;
        int left = heap.length;
        while (left > 0) {
            int index = heap[0];
            N node = nodes.get(index);
            if (node != tried && node.isHealthy()) {
                double turn = due[index];
                due[index] = turn + span(index, nowNs);
                sink(0, left);
                putBack(left, turn, tried, nowNs);
                return node;
            }
            unhealthy = unhealthy == null && node != tried ? node : unhealthy;
            heap[0] = heap[--left];
            heap[left] = index;
            sink(0, left);
        }
        putBack(0, heap.length == 0 ? 0 : due[heap[0]], tried, nowNs);
        return unhealthy != null ? unhealthy : tried == null || heap.length == 0 ? null : tried;
    }

    /**
     * Puts back the nodes that were passed over: an unhealthy one loses its turn, and does not make up for it later.
     */
    private void putBack(int from, double turn, @Nullable N tried, long nowNs) {
        for (int i = from; i < heap.length; i++) {
            int index = heap[i];
            if (nodes.get(index) != tried) {
                due[index] = Math.max(due[index], turn) + span(index, nowNs);
            }
            rise(i);
        }
    }

    private double span(int index, long nowNs) {
        N node = nodes.get(index);
        return 1 / (slowStart == null ? node.weight() : node.weight() * slowStart.part(node, nowNs));
    }

    private void sink(int from, int size) {
        if (from >= size) {
            return;
        }
        int at = from;
        int moved = heap[from];
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isBefore(heap[child], moved)) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = moved;
    }

    private void rise(int from) {
        int at = from;
        int moved = heap[from];
        while (at > 0 && isBefore(moved, heap[(at - 1) / 2])) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = moved;
    }

    private boolean isBefore(int one, int other) {
        return due[one] < due[other] || due[one] == due[other] && one < other;
    }
}
