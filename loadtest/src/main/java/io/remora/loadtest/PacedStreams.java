package io.remora.loadtest;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over one connection of HTTP/2 on a fixed schedule, several at a time; latencies count from the planned send time.
 *
 * <p>Open loop up to that number: a request that finds all streams taken waits, and its latency says so. What a broken connection leaves
 * unanswered is lost, and the next request opens another one. What is not sent a timeout after the
 * schedule's end is lost, so that streams which all hang do not extend the load by a timeout each. Owner: a thread of its own, next to one that
 * reads for each connection.
 */
final class PacedStreams implements Runnable {
    private final String name;
    private final int port;
    private final List<Stretch> stretches;
    private final int most;
    private final @Nullable Http2Request stalled;
    private final @Nullable SSLSocketFactory tls;
    private @Nullable Open open;

    /** A part of the schedule, and who is told of its requests. */
    record Stretch(Schedule schedule, Requests requests) {}

    /** A connection with its streams that are free, and the thread that reads. */
    private record Open(Http2Connection connection, Semaphore free, int streams, Thread reader) {}

    /**
     * @param stalled what each connection begins with, on a stream that is never read to its end; null for nothing
     * @param tls of HTTPS; null for HTTP/2 by prior knowledge
     */
    PacedStreams(
            String name,
            int port,
            List<Stretch> stretches,
            int most,
            @Nullable Http2Request stalled,
            @Nullable SSLSocketFactory tls) {
        this.name = name;
        this.port = port;
        this.stretches = stretches;
        this.most = most;
        this.stalled = stalled;
        this.tls = tls;
    }

    Thread start() {
        Thread thread = new Thread(this, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void run() {
        try {
            for (Stretch stretch : stretches) {
                run(stretch.schedule(), stretch.requests());
            }
            finish();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Schedule schedule, Requests requests) throws InterruptedException {
        for (long dueNs = schedule.firstNs();
                dueNs < schedule.endNs() && requests.goesOn();
                dueNs += schedule.periodNs()) {
            PacedConnection.waitUntil(dueNs);
            if (schedule.isGivenUp(System.nanoTime())) {
                requests.next();
                requests.lost(dueNs);
            } else {
                send(dueNs, requests);
            }
        }
    }

    private void send(long dueNs, Requests requests) throws InterruptedException {
        Http2Request request = requests.next();
        Open current = open;
        try {
            if (current == null || !current.reader().isAlive()) {
                close();
                current = open();
            }
            if (!current.free().tryAcquire(Connection.TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                throw new IOException("no stream became free");
            }
        } catch (IOException e) {
            System.err.println(name + ": " + e);
            requests.lost(dueNs);
            return;
        }
        try {
            current.connection().send(request, new Http2Connection.Owed(dueNs, requests));
        } catch (IOException e) {
            // Closing it gives up what is owed.
            System.err.println(name + ": " + e);
            close();
        }
    }

    private Open open() throws IOException {
        Http2Connection connection = new Http2Connection(port, false, tls);
        int streams = Math.min(most, connection.mostStreams());
        if (stalled != null) {
            connection.sendStalled(stalled);
            streams = Math.min(streams, connection.mostStreams() - 1);
        }
        Semaphore free = new Semaphore(streams);
        Thread reader = new Thread(() -> read(connection, free), name + " reads");
        reader.setDaemon(true);
        reader.start();
        Open opened = new Open(connection, free, streams, reader);
        open = opened;
        return opened;
    }

    private void read(Http2Connection connection, Semaphore free) {
        try {
            while (true) {
                Http2Connection.Answer answer = connection.receive();
                free.release();
                Http2Connection.Owed owed = answer.owed();
                owed.requests().answered(answer.request(), owed.dueNs(), System.nanoTime(), answer.status());
            }
        } catch (IOException e) {
            List<Http2Connection.Owed> left = connection.giveUp();
            if (!left.isEmpty()) {
                System.err.println(name + ": " + e + ", with " + left.size() + " requests unanswered");
            }
            lose(left);
        }
    }

    private static void lose(List<Http2Connection.Owed> left) {
        left.forEach(owed -> owed.requests().lost(owed.dueNs()));
    }

    /** Waits for what is owed, within bounds; the end of the connection loses the rest. */
    private void finish() throws InterruptedException {
        Open last = open;
        if (last != null) {
            last.free().tryAcquire(last.streams(), Connection.TIMEOUT_MS, TimeUnit.MILLISECONDS);
            if (stalled != null && !last.connection().isStalled()) {
                System.err.println(name + ": the stream that was to stall did not");
                stretches.get(stretches.size() - 1).requests().lost(System.nanoTime());
            }
            close();
        }
    }

    private void close() throws InterruptedException {
        Open closing = open;
        open = null;
        if (closing != null) {
            try {
                closing.connection().close();
            } catch (IOException e) {
                System.err.println(name + ": " + e);
            }
            closing.reader().join(Connection.TIMEOUT_MS);
            lose(closing.connection().giveUp());
        }
    }
}
