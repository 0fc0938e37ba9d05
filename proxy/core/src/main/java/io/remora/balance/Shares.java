package io.remora.balance;

import java.util.List;

/** Nodes side by side on a line from 0 to 1, each as long as its share of the weights. Immutable. */
final class Shares {
    private final double[] ends;
    private final double meanWeight;

    Shares(List<? extends BalancerNode> nodes) {
        ends = new double[nodes.size()];
        long sum = 0;
        for (int i = 0; i < ends.length; i++) {
            sum += nodes.get(i).weight();
            ends[i] = sum;
        }
        for (int i = 0; i < ends.length; i++) {
            ends[i] /= sum;
        }
        meanWeight = (double) sum / ends.length;
    }

    /** The node at a place from 0 up to, but not including, 1. O(log n). */
    int at(double place) {
        int low = 0;
        int high = ends.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (place < ends[middle]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    double begin(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    double end(int index) {
        return ends[index];
    }

    double meanWeight() {
        return meanWeight;
    }
}
