package io.remora.loadtest.faults;

import java.util.concurrent.locks.LockSupport;

/** Holds the event loop for {@value #DELAY_NS} ns at each request, which the sidecar's own clock and the wire both see. */
final class SlowFault implements Fault {
    private static final long DELAY_NS = 2_000_000;

    @Override
    public Fate fate() {
        long untilNs = System.nanoTime() + DELAY_NS;
        // a park may end early
        for (long leftNs = DELAY_NS; leftNs > 0; leftNs = untilNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
        return Fate.PASSED_ON;
    }
}
