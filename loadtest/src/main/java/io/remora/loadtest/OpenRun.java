package io.remora.loadtest;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends GETs at a fixed rate until it is ended, each by whichever connection is free. Where none is, another one is opened, up to a number:
 * requests that hang hold up none that are due behind them. It is closed when so many are free again as there were to begin with.
 *
 * <p>Each connection has a thread, which draws the number of its next request and waits until that is due. Latencies count from then.
 */
final class OpenRun {
    private static final long LEAD_NS = 50_000_000L;
    private static final long PATIENCE_MS = Connection.TIMEOUT_MS + 5_000L;

    /** What is asked for. */
    record Plan(int port, String path, double rate, int connections, int most) {}

    /** For the next request; where there are none, another one comes before this one sends. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicLong drawn = new AtomicLong();
    private final Set<Thread> threads = new HashSet<>();
    private final Plan plan;
    private final OutcomeFile outcomes;
    private final long beganNs;
    private final long beganUs;
    private int most;
    private volatile boolean over;

    OpenRun(Plan plan, OutcomeFile outcomes) {
        this.plan = plan;
        this.outcomes = outcomes;
        beganNs = System.nanoTime() + LEAD_NS;
        beganUs = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) + LEAD_NS / 1_000;
    }

    void begin() {
        for (int i = 0; i < plan.connections(); i++) {
            add();
        }
    }

    /** Once every request that was sent has its outcome. */
    String end() throws IOException, InterruptedException {
        over = true;
        long untilMs = System.currentTimeMillis() + PATIENCE_MS;
        List<Thread> ending;
        String told;
        synchronized (threads) {
            ending = List.copyOf(threads);
            told = " connections " + most;
        }
        for (Thread thread : ending) {
            thread.join(Math.max(1, untilMs - System.currentTimeMillis()));
        }
        return outcomes.close() + told;
    }

    private void add() {
        synchronized (threads) {
            if (over || threads.size() >= plan.most()) {
                return;
            }
            Thread thread = new Thread(this::work, "open " + threads.size() + " to port " + plan.port());
            thread.setDaemon(true);
            threads.add(thread);
            most = Math.max(most, threads.size());
            thread.start();
        }
    }

    /** Whether as many others wait as there were to begin with, so that this one is not needed any more. */
    private boolean isSpare() {
        return waiting.get() >= plan.connections();
    }

    private void work() {
        try (Connection connection = new Connection(plan.port(), plan.path())) {
            while (!over && !isSpare()) {
                waiting.incrementAndGet();
                long number = drawn.getAndIncrement();
                long offsetNs = (long) (number * (1e9 / plan.rate()));
                PacedConnection.waitUntil(beganNs + offsetNs);
                if (waiting.decrementAndGet() == 0) {
                    add();
                }
                if (!over) {
                    exchange(connection, number, offsetNs);
                }
            }
        } catch (IOException e) {
            System.err.println(Thread.currentThread().getName() + ": " + e);
        } finally {
            synchronized (threads) {
                threads.remove(Thread.currentThread());
            }
        }
    }

    private void exchange(Connection connection, long number, long offsetNs) throws IOException {
        long dueNs = beganNs + offsetNs;
        long lateNs = System.nanoTime() - dueNs;
        String outcome;
        String server = "";
        try {
            int status = connection.get(Long.toString(number));
            server = connection.field("x-backend");
            String label = connection.field("remora-error");
            outcome = label.isEmpty() ? Integer.toString(status) : status + "/" + label;
        } catch (IOException e) {
            outcome = kind(e);
        }
        long latencyNs = System.nanoTime() - dueNs;
        outcomes.add(beganUs + offsetNs / 1_000, lateNs / 1_000, latencyNs / 1_000, outcome, server);
    }

    private static String kind(IOException failure) {
        if (failure instanceof SocketTimeoutException) {
            return "timeout";
        }
        return failure instanceof ConnectException ? "refused" : "cut";
    }
}
