package io.remora;

import io.remora.admin.AdminServer;
import io.remora.admin.DrainProgress;
import io.remora.config.model.ProxyConfig;
import io.remora.log.Log;
import io.remora.serving.DataPath;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The drain of a sidecar: its start, the wait for its end, and the files of sockets, which stay where another process has the sockets.
 *
 * <p>Thread safe.
 */
final class Drain {
    private static final long POLL_MS = 5;
    /** Interval between looks at a drain without a waiting caller, and the wait for cuts at the end. */
    private static final long LOOK_MS = 100;

    /** Steps of a drain, which only move on. */
    private enum Step {
        /** Inbound listeners are to drain. */
        INBOUND_ASKED,
        /** Inbound listeners drain. */
        INBOUND_BEGUN,
        /** All listeners drain, or are to. */
        ASKED
    }

    private final CountDownLatch begun = new CountDownLatch(1);
    private final AtomicBoolean told = new AtomicBoolean();
    /** Null while the sidecar serves, so that nothing loads the steps until then. */
    private volatile @Nullable Step step;
    /** True while another process has the sockets as well, so that their files stay. */
    private volatile boolean shared;
    /** The time that connections without an exchange wait for a last one once another process serves; 0 where none does. */
    private volatile long retireIdleNs;

    boolean isAsked() {
        Step current = step;
        return current != null && current == Step.ASKED;
    }

    /** Returns whether inbound listeners drain, alone or with all others. */
    boolean isInboundAsked() {
        return step != null;
    }

    /** Requests a drain; returns whether it is the first request. */
    synchronized boolean ask() {
        boolean first = step != Step.ASKED;
        step = Step.ASKED;
        return first;
    }

    /** Requests a drain of inbound listeners alone; returns whether it is the first request of any drain. */
    synchronized boolean askInbound() {
        boolean first = step == null;
        if (first) {
            step = Step.INBOUND_ASKED;
        }
        return first;
    }

    /** Records that another process has the sockets as well, or has them no longer. */
    void share(boolean now) {
        shared = now;
    }

    /** Another process serves: connections without an exchange wait that long for a last one. */
    void retireAfter(long idleNs) {
        retireIdleNs = idleNs;
    }

    /** Leaves the files of sockets to the other process, where there is one. */
    void leaveFiles(@Nullable DataPath path, @Nullable AdminServer admin) {
        if (shared && path != null) {
            path.listeners().handOver();
        }
        if (shared && admin != null) {
            admin.handOver();
        }
    }

    /** Begins, once the listeners are announced nowhere any more. */
    void begin(DataPath path, @Nullable AdminServer admin) {
        path.leave(() -> {
            try {
                leaveFiles(path, admin);
                run(path);
            } finally {
                begun.countDown();
            }
        });
    }

    /**
     * Begins with the inbound listeners alone, a delay after the request, unless a drain of all listeners has overtaken it. Outbound ones
     * serve on.
     */
    void beginInbound(DataPath path, @Nullable AdminServer admin, long delayMs) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
        // clients move their connections while the application still accepts
        path.retireInbound();
        CountDownLatch left = new CountDownLatch(1);
        // first, so that the delay is for clients that have learned of it
        path.leave(left::countDown);
        left.await();
        TimeUnit.NANOSECONDS.sleep(endNs - System.nanoTime());
        leaveFiles(path, admin);
        ProxyConfig config = path.config();
        if (path.drainInbound(this::beginsInbound, config.drainTimeoutNs(), config.drainIdleNs())) {
            Log.info("drain: started for inbound listeners; outbound listeners keep serving");
            watch(path, true);
        }
    }

    private synchronized boolean beginsInbound() {
        boolean begins = step == Step.INBOUND_ASKED;
        if (begins) {
            step = Step.INBOUND_BEGUN;
        }
        return begins;
    }

    /** Returns what a drain of all listeners, or of the inbound ones, still waits for; null before it has begun. */
    @Nullable
    DrainProgress progress(DataPath path, boolean inboundOnly) {
        boolean hasBegun = begun.getCount() == 0 || inboundOnly && step == Step.INBOUND_BEGUN;
        return hasBegun
                ? new DrainProgress(
                        path.listeners().inFlight(inboundOnly), path.listeners().openConnections(inboundOnly))
                : null;
    }

    private void run(DataPath path) {
        path.closePorts(false);
        // the log line promises closed ports
        Log.info("draining");
        ProxyConfig config = path.config();
        path.drain(config.drainTimeoutNs(), retireIdleNs > 0 ? retireIdleNs : config.drainIdleNs(), false);
        watch(path, false);
    }

    /** Logs the end of the drain once nothing is in progress. */
    private void watch(DataPath path, boolean inboundOnly) {
        path.after(LOOK_MS, new Runnable() {
            @Override
            public void run() {
                if (path.listeners().inFlight(inboundOnly) > 0
                        || path.listeners().openConnections(inboundOnly) > 0) {
                    path.after(LOOK_MS, this);
                } else if (!inboundOnly) {
                    tell(path);
                } else if (!isAsked()) {
                    Log.info("drain: inbound listeners finished; exchanges "
                            + path.listeners().cuts().text());
                }
            }
        });
    }

    /** Ends the wait for a drain that does not begin. */
    void skip() {
        begun.countDown();
    }

    /** Logs that the drain is over; the first caller does. */
    void tell(DataPath path) {
        if (isAsked() && !told.getAndSet(true)) {
            Log.info("drain: finished; exchanges " + path.listeners().cuts().text());
        }
    }

    /** Cuts what is in progress because the process is to end at once, and logs what that was. */
    static void cutAtOnce(DataPath path) {
        path.listeners().cutMutely();
        path.cutWithin(LOOK_MS);
        Log.warn("drain: second signal; ending now, exchanges "
                + path.listeners().cuts().text());
    }

    /**
     * Waits until the exchanges in progress have finished or been cut, for at most {@code timeoutMs}. Before that it
     * waits at most as long for a drain to begin.
     *
     * @return whether they have
     */
    boolean await(DataPath path, long timeoutMs) throws InterruptedException {
        if (isAsked() && !begun.await(timeoutMs, TimeUnit.MILLISECONDS)) {
            return false;
        }
        // exchanges have their time from when the drain begins, after the announcements have ended
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (path.listeners().inFlight(false) > 0) {
            if (System.nanoTime() - endNs >= 0) {
                return false;
            }
            Thread.sleep(POLL_MS);
        }
        // responses that are written may still be on their way
        while (path.listeners().openConnections(false) > 0 && System.nanoTime() - endNs < 0) {
            Thread.sleep(POLL_MS);
        }
        return true;
    }
}
