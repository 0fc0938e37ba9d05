package io.remora.loadtest;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Sends GETs over one connection on a fixed schedule; latencies count from the planned send time.
 *
 * <p>Open loop: a late response delays the requests behind it, none is left out, and their latency says so. A request
 * that failed is counted, and the next opens the connection again. What is not sent a timeout after the schedule's end
 * has failed, so that a server which hangs does not extend the load by a timeout for each request. Owner: a thread of its own; {@link #owed} is for
 * all.
 */
final class PacedConnection implements Runnable {
    private final String name;
    private final Requester connection;
    private final Schedule schedule;
    private final Supplier<String> ids;
    private final Tally tally;
    /** When the request that is waited for was due, or the next will be. */
    private volatile long nextNs;

    private boolean failing;

    PacedConnection(String name, Requester connection, Schedule schedule, Supplier<String> ids, Tally tally) {
        this.name = name;
        this.connection = connection;
        this.schedule = schedule;
        this.ids = ids;
        this.tally = tally;
        this.nextNs = schedule.firstNs();
    }

    Thread start() {
        Thread thread = new Thread(this, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Requests due before that time that are neither done nor failed. */
    long owed(long beforeNs) {
        long behindNs = beforeNs - nextNs;
        return behindNs <= 0 ? 0 : (behindNs + schedule.periodNs() - 1) / schedule.periodNs();
    }

    Tally tally() {
        return tally;
    }

    @Override
    public void run() {
        try (connection) {
            for (long dueNs = schedule.firstNs(); dueNs < schedule.endNs(); dueNs += schedule.periodNs()) {
                nextNs = dueNs;
                waitUntil(dueNs);
                if (schedule.isGivenUp(System.nanoTime())) {
                    tally.failed(dueNs, 1);
                } else {
                    exchange(dueNs);
                }
            }
            nextNs = schedule.endNs();
        } catch (IOException e) {
            System.err.println(name + ": " + e);
        }
    }

    private void exchange(long dueNs) {
        try {
            String id = ids.get();
            int status = connection.get(id);
            if (!connection.isGood(id, status)) {
                throw new IOException("status " + status);
            }
            tally.done(dueNs, System.nanoTime());
            failing = false;
        } catch (IOException e) {
            tally.failed(dueNs, 1);
            tell(e);
        }
    }

    /** The first of failures in a row says enough. */
    private void tell(IOException failure) {
        if (!failing) {
            System.err.println(name + ": " + failure);
        }
        failing = true;
    }

    static void waitUntil(long dueNs) {
        for (long now = System.nanoTime(); now < dueNs; now = System.nanoTime()) {
            LockSupport.parkNanos(dueNs - now);
        }
    }
}
