package io.remora.loadtest.faults;

import java.util.SplittableRandom;

/** Cuts the connections of one request in a hundred, by chance: a period could hit one and the same connection each time. */
final class DropFault implements Fault {
    private static final int ONE_IN = 100;
    private static final long SEED = 1;

    private final SplittableRandom chance = new SplittableRandom(SEED);

    @Override
    public boolean passes() {
        boolean passes = chance.nextInt(ONE_IN) != 0;
        if (!passes) {
            System.err.println("fault: a connection is cut");
        }
        return passes;
    }
}
