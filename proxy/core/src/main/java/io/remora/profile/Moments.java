package io.remora.profile;

import io.remora.flame.CallTree;
import java.util.Arrays;

/**
 * The samples of a profile by second, so that some seconds can be compared with the others.
 *
 * <p>Owner: the thread of the profile. Bounds: {@value #MAX} samples, of 14 bytes each. If there are more, each sample that
 * is kept stands for two, four or more of them.
 */
final class Moments {
    static final int MAX = 1 << 14;
    private static final int FIRST = 1 << 10;

    private int[] places = new int[FIRST];
    private long[] weights = new long[FIRST];
    private short[] seconds = new short[FIRST];
    private int size;
    /** Samples for which one is kept. */
    private int stride = 1;

    private int skipped;

    /**
     * Keeps a sample, or skips it.
     *
     * @param place of its stack, by {@link CallTree#place}
     * @param second since the profile began, from 0 to 300
     */
    void add(int place, long weight, int second) {
        if (++skipped < stride) {
            return;
        }
        skipped = 0;
        if (size == MAX) {
            halve();
        } else if (size == places.length) {
            places = Arrays.copyOf(places, 2 * size);
            weights = Arrays.copyOf(weights, 2 * size);
            seconds = Arrays.copyOf(seconds, 2 * size);
        }
        places[size] = place;
        weights[size] = weight * stride;
        seconds[size++] = (short) second;
    }

    private void halve() {
        size /= 2;
        stride *= 2;
        for (int i = 0; i < size; i++) {
            places[i] = places[2 * i];
            weights[i] = 2 * weights[2 * i];
            seconds[i] = seconds[2 * i];
        }
    }

    /** Counts the samples of these seconds in the tree's column of now, and all others in that of before. */
    void split(CallTree tree, boolean[] now) {
        tree.nameColumns("in the slow seconds", "in the rest");
        for (int i = 0; i < size; i++) {
            int second = Math.min(seconds[i], now.length - 1);
            tree.credit(places[i], weights[i], now[second] ? CallTree.NOW : CallTree.BEFORE);
        }
    }
}
