package io.remora.loadtest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends GETs over keep-alive connections as fast as they are answered, over HTTPS where there is a factory for it: each connection, driven by
 * a thread of its own, sends its next request when the last one is answered.
 *
 * <p>A connection whose request failed sends none any more, so that a system which refuses everything is not hammered.
 */
final class ClosedLoad {
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final int port;
    private final String path;
    private final int connections;
    private final @Nullable SSLSocketFactory tls;

    ClosedLoad(int port, String path, int connections, @Nullable SSLSocketFactory tls) {
        this.port = port;
        this.path = path;
        this.connections = connections;
        this.tls = tls;
    }

    /** What became of the requests. */
    record Result(long requests, long failed) {}

    Result run(long durationNs) throws InterruptedException {
        long untilNs = System.nanoTime() + durationNs;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Thread thread = new Thread(() -> drive(untilNs), "closed " + i + " to port " + port);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return new Result(answered.get(), failed.get());
    }

    private void drive(long untilNs) {
        try (Connection connection = new Connection(port, path, tls)) {
            while (System.nanoTime() < untilNs) {
                int status = connection.get("c");
                if (status < 200 || status > 299) {
                    throw new IOException("status " + status);
                }
                answered.incrementAndGet();
            }
        } catch (IOException e) {
            failed.incrementAndGet();
            System.err.println(Thread.currentThread().getName() + ": " + e);
        }
    }
}
