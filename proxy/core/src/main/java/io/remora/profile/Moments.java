package io.remora.profile;

import io.remora.flame.CallTree;
import java.util.Arrays;

/**
 * The samples of a profile by second, so that some seconds can be compared with the others.
 *
 * <p>Owner: the thread of the profile. Bounds: {@value #MAX} samples, of 14 bytes each; further ones are not compared.
 */
final class Moments {
    private static final int MAX = 1 << 15;
    private static final int FIRST = 1 << 10;

    private int[] places = new int[FIRST];
    private long[] weights = new long[FIRST];
    private short[] seconds = new short[FIRST];
    private int size;
    private long left;

    /**
     * Keeps a sample.
     *
     * @param place of its stack, by {@link CallTree#place}
     * @param second since the profile began, from 0 on
     */
    void add(int place, long weight, int second) {
        if (size == MAX) {
            left++;
            return;
        }
        if (size == places.length) {
            places = Arrays.copyOf(places, 2 * size);
            weights = Arrays.copyOf(weights, 2 * size);
            seconds = Arrays.copyOf(seconds, 2 * size);
        }
        places[size] = place;
        weights[size] = weight;
        seconds[size++] = (short) second;
    }

    /** Counts the samples of these seconds in the tree's column of now, and all others in that of before. */
    void split(CallTree tree, boolean[] now) {
        int[] parents = tree.parents();
        for (int i = 0; i < size; i++) {
            int second = Math.min(seconds[i], now.length - 1);
            tree.credit(places[i], parents, weights[i], now[second] ? CallTree.NOW : CallTree.BEFORE);
        }
    }

    /** Returns the samples that were not kept. */
    long left() {
        return left;
    }
}
