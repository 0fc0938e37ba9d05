package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests at a steady rate, some on connections that are kept for as long as the server says, some on a new one each. Whatever is not a
 * whole 200 is a failure: refused, reset, or ended without a word, as no client repeats anything here.
 */
public final class SteadyLoad implements AutoCloseable {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    private final InetSocketAddress address;
    private final long intervalNs;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    private SteadyLoad(InetSocketAddress address, long intervalNs) {
        this.address = address;
        this.intervalNs = intervalNs;
    }

    /** @param perSecond of each client */
    public static SteadyLoad start(InetSocketAddress address, int keptClients, int newClients, int perSecond) {
        SteadyLoad load = new SteadyLoad(address, TimeUnit.SECONDS.toNanos(1) / perSecond);
        for (int i = 0; i < keptClients; i++) {
            load.begin(load::keep);
        }
        for (int i = 0; i < newClients; i++) {
            load.begin(load::renew);
        }
        return load;
    }

    private void begin(Runnable client) {
        Thread thread = new Thread(client, "load");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void keep() {
        long nextNs = System.nanoTime();
        RawClient client = null;
        while (!over) {
            nextNs = await(nextNs);
            try {
                client = client == null ? RawClient.connect(address) : client;
                if (isLast(client)) {
                    ended.incrementAndGet();
                    client.close();
                    client = null;
                }
            } catch (IOException | UncheckedIOException | AssertionError e) {
                failures.add("kept: " + e);
                client = null;
            }
        }
        if (client != null) {
            client.close();
        }
    }

    private void renew() {
        long nextNs = System.nanoTime();
        while (!over) {
            nextNs = await(nextNs);
            try (RawClient client = RawClient.connect(address)) {
                isLast(client);
            } catch (IOException | UncheckedIOException | AssertionError e) {
                failures.add("new: " + e);
            }
        }
    }

    private boolean isLast(RawClient client) throws IOException {
        RawResponse response = client.send(GET).response();
        if (response.status() != 200) {
            throw new IOException("status " + response.status());
        }
        done.incrementAndGet();
        return response.fields().tokens("Connection").contains("close");
    }

    private long await(long nextNs) {
        long nowNs = System.nanoTime();
        if (nextNs > nowNs) {
            LockSupport.parkNanos(nextNs - nowNs);
        }
        // who has fallen behind makes up for it, for a second at the most
        return Math.max(nextNs + intervalNs, nowNs - TimeUnit.SECONDS.toNanos(1));
    }

    public long done() {
        return done.get();
    }

    /** How many kept connections the server has ended with a response. */
    public long ended() {
        return ended.get();
    }

    public List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void close() {
        stop();
    }

    /** Lets each client finish what it has begun. */
    public void stop() {
        over = true;
        for (Thread thread : threads) {
            try {
                thread.join(Await.TIMEOUT_MS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
