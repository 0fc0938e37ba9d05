package io.remora.seams;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Four clients that ask one request after the other, GET and another one in turn, until they are told to stop. */
public final class ClientLoad implements AutoCloseable {
    private static final int CLIENTS = 4;
    public static final String POST = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";

    private final Thread[] threads = new Thread[CLIENTS];
    private final List<String> wrong = new CopyOnWriteArrayList<>();
    private final Set<String> bodies = ConcurrentHashMap.newKeySet();
    private final AtomicInteger answered = new AtomicInteger();
    private volatile boolean stopped;

    private final String other;

    public ClientLoad(SeamStand stand) {
        this(stand, POST);
    }

    public ClientLoad(SeamStand stand, String other) {
        this.other = other;
        for (int i = 0; i < CLIENTS; i++) {
            threads[i] = new Thread(() -> ask(stand), "load-" + i);
            threads[i].setDaemon(true);
            threads[i].start();
        }
    }

    private void ask(SeamStand stand) {
        try (RawClient client = RawClient.connect(stand.address())) {
            for (int i = 0; !stopped; i++) {
                RawResponse response =
                        client.send(i % 2 == 0 ? SeamStand.GET : other).response();
                if (response.status() == 200) {
                    bodies.add(response.bodyText());
                } else {
                    wrong.add(response.toString());
                }
                answered.incrementAndGet();
            }
        } catch (IOException e) {
            wrong.add(e.toString());
        }
    }

    public int answered() {
        return answered.get();
    }

    /** The bodies of all responses, each once. */
    public Set<String> bodies() {
        return bodies;
    }

    /** Stops, and asserts that each request was answered with 200. */
    public void assertAllServed() {
        close();
        assertThat(wrong).isEmpty();
        assertThat(answered()).isPositive();
    }

    @Override
    public void close() {
        stopped = true;
        try {
            for (Thread thread : threads) {
                thread.join(Await.TIMEOUT_MS);
                assertThat(thread.isAlive()).isFalse();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
