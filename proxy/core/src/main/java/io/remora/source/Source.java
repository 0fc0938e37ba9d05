package io.remora.source;

import io.remora.naming.Addr;
import io.remora.naming.BackOff;
import io.remora.naming.Described;
import io.remora.naming.Endpoint;
import io.remora.naming.Resolver;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Source of endpoints that is queried again and again, on a thread of its own, and tells what it learns.
 *
 * <p>Owner: its thread. Cost: a thread, which sleeps or waits nearly always.
 */
abstract class Source implements Runnable, AutoCloseable {
    private static final long SECOND_NS = 1_000_000_000L;
    /** A server that is back is to be noticed within this. */
    private static final long MAX_RETRY_NS = 30 * SECOND_NS;

    /** Longest text of an error in a log line. */
    private static final int MOST_SAID = 300;

    final SourceClient client;
    private final Resolver.Watcher watcher;
    private final SplittableRandom random;
    private final QueryPace pace = new QueryPace(System.nanoTime());
    private Addr good = new Addr.Pending();
    /** Under the lock. */
    private boolean closed;

    Source(SourceClient client, Resolver.Watcher watcher, long seed) {
        this.client = client;
        this.watcher = watcher;
        this.random = new SplittableRandom(seed);
    }

    /** Asks, tells, and returns when it is time to ask again. */
    abstract void ask() throws IOException;

    /** Drops the state for the next question, as the last one had no answer. */
    abstract void forget();

    @Override
    public void run() {
        int failures = 0;
        while (!isClosed()) {
            String problem;
            try {
                ask();
                failures = 0;
                continue;
            } catch (IOException e) {
                problem = String.valueOf(e.getMessage());
            } catch (RuntimeException | Error e) {
                problem = "the question failed: " + e;
            }
            forget();
            client.failed();
            tell(new Addr.Failed(problem));
            rest(retryNs(++failures, random));
        }
    }

    /** Returns the wait after so many failures in a row. */
    static long retryNs(int failures, SplittableRandom random) {
        return BackOff.restNs(failures, SECOND_NS, MAX_RETRY_NS, 2, random);
    }

    /** Returns the failure for an answer that has another status, with the beginning of its text. */
    static SourceException refusal(CallBody answer) {
        byte[] said = new byte[MOST_SAID];
        int length = 0;
        answer.deadline(SECOND_NS);
        try {
            length = answer.readNBytes(said, 0, said.length);
        } catch (IOException e) {
            // the status has to do
        }
        StringBuilder text = new StringBuilder("status ").append(answer.status());
        for (int i = 0; i < length; i++) {
            char c = (char) said[i];
            boolean plain = c >= ' ' && c <= '~' && c != '"';
            text.append(i == 0 ? ": " : "").append(plain ? c : c == '"' ? '\'' : ' ');
        }
        return new SourceException(text.toString().strip());
    }

    /** Waits where questions have followed each other too fast. */
    final void pace() {
        rest(pace.take(System.nanoTime()));
    }

    final void tell(List<Endpoint> endpoints) {
        good = Described.settled(good, endpoints);
        tell(good);
    }

    /** Tells the last good answer again, which still holds; nothing before there is one. */
    final void confirm() {
        if (!(good instanceof Addr.Pending)) {
            tell(good);
        }
    }

    /** Tells if an endpoint of the latest answer is not among these. */
    final boolean leavesOut(List<Endpoint> endpoints) {
        if (!(good instanceof Addr.Bound bound)) {
            return false;
        }
        Set<String> names = new HashSet<>();
        for (Endpoint endpoint : endpoints) {
            names.add(endpoint.name());
        }
        for (Endpoint told : bound.endpoints()) {
            if (!names.contains(told.name())) {
                return true;
            }
        }
        return false;
    }

    private void tell(Addr addr) {
        if (!isClosed()) {
            watcher.changed(addr);
        }
    }

    final synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void rest(long forNs) {
        long untilNs = System.nanoTime() + forNs;
        for (long restNs = forNs; !closed && restNs > 0; restNs = untilNs - System.nanoTime()) {
            try {
                wait(TimeUnit.NANOSECONDS.toMillis(restNs) + 1);
            } catch (InterruptedException e) {
                // nobody here interrupts it
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        client.close();
    }
}
