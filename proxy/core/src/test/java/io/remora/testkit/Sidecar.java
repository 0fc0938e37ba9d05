package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A sidecar on ephemeral ports for a test, with the clients that the test talks through, and its admin pages.
 *
 * <p>Order: close clients first, since {@link #close} asserts that nothing is left: every exchange finished, every
 * connection of both sides closed.
 */
public final class Sidecar implements AutoCloseable {
    /** The listener that tests talk to. */
    public static final String LISTENER = "test";

    private static final String BARRIER = "barrier";

    private final RecordingBackend barrierBackend;
    private final RunningSidecar running;
    private final RawClient barrierClient;
    private final List<String> latencyPages = new ArrayList<>();
    private @Nullable RawClient adminClient;

    private Sidecar(
            String yaml, Map<String, String> environment, @Nullable String appProbes, RecordingBackend barrierBackend) {
        this.barrierBackend = barrierBackend;
        try {
            running = InProcess.start(yaml, environment, appProbes);
        } catch (IOException e) {
            barrierBackend.close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            barrierBackend.close();
            throw e;
        }
        barrierClient = RawClient.connect(running.listener(BARRIER));
    }

    public static Sidecar start(Setup setup) {
        RecordingBackend barrier = RecordingBackend.start();
        return new Sidecar(setup.yaml(barrier.port()), new HashMap<>(), setup.appProbes(), barrier);
    }

    /** With every setting at its default. */
    public static Sidecar before(RecordingBackend backend) {
        return start(Setup.before(backend));
    }

    /** With the settings of {@link Setup#listener} and {@link Setup#cluster}; empty for none. */
    public static Sidecar before(RecordingBackend backend, String listener, String cluster) {
        return start(Setup.before(backend).listener(listener).cluster(cluster));
    }

    /**
     * From a whole file, which must have a listener {@code test}, and for {@link #barrier} another one of that name
     * whose cluster is at {@code 127.0.0.1:${BARRIER}}. {@code ${BACKEND}} is the port of the first backend, {@code
     * ${BACKEND_1}} of the second, and so on.
     */
    public static Sidecar of(String yaml, RecordingBackend... backends) {
        RecordingBackend barrier = RecordingBackend.start();
        Map<String, String> environment = new HashMap<>();
        environment.put("BARRIER", Integer.toString(barrier.port()));
        for (int i = 0; i < backends.length; i++) {
            environment.put(i == 0 ? "BACKEND" : "BACKEND_" + i, Integer.toString(backends[i].port()));
        }
        return new Sidecar(yaml, environment, null, barrier);
    }

    public InetSocketAddress address() {
        return running.listener(LISTENER);
    }

    /** A connection to the health listener of {@link Setup#appProbes}. */
    public RawClient healthClient() {
        return RawClient.connect(running.health());
    }

    public RawClient client() {
        return RawClient.connect(address());
    }

    /**
     * Returns once the event loop has done what it was asked to do before: an exchange of its own goes through the
     * loop, behind everything that was readable when it was sent.
     */
    public void barrier() {
        try {
            barrierClient.send("GET / HTTP/1.1\r\nHost: barrier\r\n\r\n");
            barrierClient.response();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Keeps the sidecar from doing anything while the action runs, as one long turn of its loops would: what arrives
     * meanwhile is all there when it looks again, in the order of its arrival.
     */
    public void stall(Action action) throws IOException {
        running.stall(action);
    }

    /** The event loops, for tests of these; only where the sidecar runs in the test's process. */
    public List<Executor> loops() {
        return ((InProcess) running).loops();
    }

    // ---- the admin pages

    /** The answer of an admin page, on a connection that is kept from one to the next. */
    public synchronized RawResponse admin(String method, String path) {
        String request = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
        try {
            if (adminClient != null) {
                try {
                    return adminClient.send(request).response(method);
                } catch (IOException closedMeanwhile) {
                    adminClient.close();
                }
            }
            adminClient = RawClient.connect(running.admin());
            return adminClient.send(request).response(method);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A new connection to the admin listener. */
    public RawClient adminClient() {
        return RawClient.connect(running.admin());
    }

    private String page(String path) {
        RawResponse response = admin("GET", path);
        if (response.status() != 200) {
            throw new AssertionError(path + ": " + response);
        }
        return response.bodyText();
    }

    public Metrics metrics() {
        return Metrics.parse(page("/metrics"));
    }

    /** Of the listener that tests talk to, of the endpoints of its clusters, or of the process. */
    public long count(Count count) {
        return count(metrics(), count);
    }

    private static long count(Metrics metrics, Count count) {
        String metric = count.metric();
        if (metric.startsWith("remora_jvm_") || metric.startsWith("remora_process_")) {
            return metrics.sum(count);
        }
        return metric.startsWith("remora_backend_")
                ? metrics.sum(count) - metrics.sum(metric, "cluster", BARRIER)
                : metrics.sum(metric, "listener", LISTENER);
    }

    /**
     * Exchanges of the listener that have ended, without the way over a page: on a busy machine that takes longer than
     * the timeouts that some tests set.
     */
    public long finishedAtOnce() {
        return running.finished(LISTENER);
    }

    /** Connections of clients that have been closed so far. */
    public long closedConnections() {
        Metrics metrics = metrics();
        return count(metrics, Count.CONNECTIONS_ACCEPTED) - count(metrics, Count.CONNECTIONS_ACTIVE);
    }

    /** Connections to backends that are open now. */
    public long openBackendConnections() {
        Metrics metrics = metrics();
        return count(metrics, Count.BACKEND_CONNECTIONS_OPENED) - count(metrics, Count.BACKEND_CONNECTIONS_CLOSED);
    }

    /** What it measured since its start. */
    public Latencies latencies() {
        latencyPages.add(page("/latency.hlog"));
        return new Latencies(LISTENER, latencyPages);
    }

    /** Waits until no exchange of the listener is under way. */
    public void awaitIdle() {
        Await.until("every exchange finished", () -> count(Count.EXCHANGES_IN_FLIGHT) == 0);
    }

    // ---- its end

    /** Begins to drain, as an operator asks for it. No listener accepts any more when this returns. */
    public void drain() {
        RawResponse response = admin("POST", "/drain");
        if (response.status() != 202) {
            throw new AssertionError(response);
        }
    }

    /** Returns once the drain has ended who was idle; a sidecar may then be asked who stays. */
    public void awaitIdleEnded() {
        try {
            if (!barrierClient.closedByPeer()) {
                throw new AssertionError("an idle connection stays");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the drain is over: no exchange under way, nobody connected. */
    public void awaitDrained() {
        Await.until("drained", () -> {
            Metrics metrics = metrics();
            return metrics.sum(Count.EXCHANGES_IN_FLIGHT) == 0 && metrics.sum(Count.CONNECTIONS_ACTIVE) == 0;
        });
    }

    @Override
    public void close() {
        barrierClient.close();
        try {
            awaitIdle();
        } finally {
            if (adminClient != null) {
                adminClient.close();
            }
            running.end();
            barrierBackend.close();
        }
        awaitNone("connections of clients", metrics -> metrics.sum(Count.CONNECTIONS_ACTIVE));
        awaitNone(
                "backend connections",
                metrics ->
                        metrics.sum(Count.BACKEND_CONNECTIONS_OPENED) - metrics.sum(Count.BACKEND_CONNECTIONS_CLOSED));
        awaitNone("connections in pools", metrics -> metrics.sum(Count.BACKEND_CONNECTIONS_IDLE));
        awaitNone("exchanges at endpoints", metrics -> metrics.sum(Count.BACKEND_EXCHANGES));
    }

    private void awaitNone(String what, ToLongFunction<Metrics> count) {
        if (!Await.within(Await.TIMEOUT_MS, () -> count.applyAsLong(running.counted()) == 0)) {
            throw new AssertionError(count.applyAsLong(running.counted()) + " " + what + " left");
        }
    }
}
