package io.remora.loadtest;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many requests of a phase began and ended, when the first and the last did, and how many began late.
 *
 * <p>Safe for use by many threads. Gatling's own report has rates over whole runs only, in which the phases are not told apart.
 */
final class Phase {
    /** So far behind its plan, a request comes in a batch with those before it. */
    private static final long LATE_NS = 20_000_000;

    private final AtomicLong beganNs = new AtomicLong();
    private final AtomicLong lastSentNs = new AtomicLong();
    private final AtomicLong lastEndedNs = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong late = new AtomicLong();
    private final String name;
    private final long periodNs;

    /** A phase without a constant rate, in which no request is known to be late. */
    Phase(String name) {
        this(name, 0);
    }

    /** A phase that begins a request every so many ns. */
    Phase(String name, long periodNs) {
        this.name = name;
        this.periodNs = periodNs;
    }

    String name() {
        return name;
    }

    /** To be told before each request; the first is announced on standard output, where whoever started the run waits for it. */
    void begin() {
        long nowNs = System.nanoTime();
        if (beganNs.compareAndSet(0, nowNs)) {
            System.out.println("phase " + name + " begins");
            System.out.flush();
        }
        lastSentNs.set(nowNs);
        long dueNs = beganNs.get() + sent.getAndIncrement() * periodNs;
        if (periodNs > 0 && nowNs - dueNs > LATE_NS) {
            late.incrementAndGet();
        }
    }

    void end(boolean hasFailed) {
        lastEndedNs.set(System.nanoTime());
        ended.incrementAndGet();
        if (hasFailed) {
            failed.incrementAndGet();
        }
    }

    /** Returns whether the first request began at least so many seconds ago. */
    boolean lasted(int seconds) {
        return beganNs.get() != 0 && System.nanoTime() - beganNs.get() >= seconds * 1_000_000_000L;
    }

    /** True when so many requests failed that going on would tell nothing more. */
    boolean isHopeless() {
        return failed.get() > 1_000;
    }

    /** One line: requests begun and ended, each with the seconds from the first one's beginning, how many failed and how many began late. */
    String summary() {
        return String.format(
                Locale.ROOT,
                "phase %s sent %d in %.3f s, ended %d in %.3f s, failed %d, late %d",
                name,
                sent.get(),
                seconds(lastSentNs),
                ended.get(),
                seconds(lastEndedNs),
                failed.get(),
                late.get());
    }

    private double seconds(AtomicLong untilNs) {
        return Math.max(0, untilNs.get() - beganNs.get()) / 1e9;
    }
}
