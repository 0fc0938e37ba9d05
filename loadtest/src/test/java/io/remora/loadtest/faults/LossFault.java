package io.remora.loadtest.faults;

import java.util.SplittableRandom;

/** Loses one request in so many, by chance: a period could hit one and the same connection each time. */
final class LossFault implements Fault {
    private static final long SEED = 1;

    private final SplittableRandom chance = new SplittableRandom(SEED);
    private final int oneIn;
    private final Fate lost;

    LossFault(int oneIn, Fate lost) {
        this.oneIn = oneIn;
        this.lost = lost;
    }

    @Override
    public Fate fate() {
        if (chance.nextInt(oneIn) != 0) {
            return Fate.PASSED_ON;
        }
        System.err.println("fault: a request is lost");
        return lost;
    }
}
