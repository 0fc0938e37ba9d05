package io.remora.loadtest.faults;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Takes {@value #BURNT_NS} ns of CPU time at each request, however long others keep the event loop from its core meanwhile. */
final class BurnFault implements Fault {
    private static final long BURNT_NS = 600_000;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    @Override
    public Fate fate() {
        long untilNs = threads.getCurrentThreadCpuTime() + BURNT_NS;
        while (threads.getCurrentThreadCpuTime() < untilNs) {
            Thread.onSpinWait();
        }
        return Fate.PASSED_ON;
    }
}
