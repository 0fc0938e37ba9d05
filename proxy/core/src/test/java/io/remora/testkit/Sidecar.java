package io.remora.testkit;

import io.remora.Proxy;
import io.remora.config.ConfigException;
import io.remora.config.ConfigReader;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.ListenerMetric;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A sidecar on ephemeral ports for a test, with the clients that the test talks through.
 *
 * <p>Order: close clients first, since {@link #close} asserts that nothing is left: every exchange finished, every
 * connection of both sides closed.
 */
public final class Sidecar implements AutoCloseable {
    /** The listener that tests talk to. */
    public static final String LISTENER = "test";

    private static final String BARRIER = "barrier";
    private static final String YAML = """
            log-level: warn
            via: remora
            admin:
              address: "127.0.0.1:0"
            listeners:
              - name: test
                address: "127.0.0.1:0"
                cluster: app
            LISTENER
              - name: barrier
                address: "127.0.0.1:0"
                cluster: barrier
            clusters:
              app:
                endpoints: ["127.0.0.1:${BACKEND}"]
            CLUSTER
              barrier:
                endpoints: ["127.0.0.1:${BARRIER}"]
            """;

    private final RecordingBackend barrierBackend = RecordingBackend.start();
    private final Proxy proxy;
    private final RawClient barrierClient;

    private Sidecar(String yaml, Map<String, String> environment) throws IOException, ConfigException {
        environment.put("BARRIER", Integer.toString(barrierBackend.port()));
        ByteArrayInputStream in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
        proxy = Proxy.start(ConfigReader.read("test.yaml", in, environment));
        barrierClient = RawClient.connect(proxy.address(BARRIER));
    }

    /** With every setting at its default. */
    public static Sidecar before(RecordingBackend backend) {
        return before(backend, "", "");
    }

    /**
     * @param listener lines of YAML that the listener has beside its name, address and cluster, not indented; empty for
     *     none
     * @param cluster lines of YAML that the cluster has beside its endpoints, not indented; empty for none
     */
    public static Sidecar before(RecordingBackend backend, String listener, String cluster) {
        return at(backend.port(), listener, cluster);
    }

    /** The same before whatever is at the port, or nothing. */
    public static Sidecar at(int port, String listener, String cluster) {
        String yaml = YAML.replace("LISTENER\n", listener.isEmpty() ? "" : listener.indent(4))
                .replace("CLUSTER\n", cluster.isEmpty() ? "" : cluster.indent(4));
        return of(yaml, new HashMap<>(Map.of("BACKEND", Integer.toString(port))));
    }

    /**
     * From a whole file, which must have a listener {@code test}, and for {@link #barrier} another one of that name
     * whose cluster is at {@code 127.0.0.1:${BARRIER}}. {@code ${BACKEND}} is the port of the first backend, {@code
     * ${BACKEND_1}} of the second, and so on.
     */
    public static Sidecar of(String yaml, RecordingBackend... backends) {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < backends.length; i++) {
            environment.put(i == 0 ? "BACKEND" : "BACKEND_" + i, Integer.toString(backends[i].port()));
        }
        return of(yaml, environment);
    }

    private static Sidecar of(String yaml, Map<String, String> environment) {
        try {
            return new Sidecar(yaml, environment);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Proxy proxy() {
        return proxy;
    }

    public InetSocketAddress address() {
        return proxy.address(LISTENER);
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

    /** Of the listener that tests talk to, all loops together. */
    public long count(ListenerMetric metric) {
        return proxy.stats().listeners().stream()
                .filter(stats -> stats.listener.equals(LISTENER))
                .mapToLong(stats -> stats.value(metric))
                .sum();
    }

    /** The same, of one value of the metric's label. */
    public long count(ListenerMetric metric, String value) {
        return proxy.stats().listeners().stream()
                .filter(stats -> stats.listener.equals(LISTENER))
                .mapToLong(stats -> stats.value(metric, value))
                .sum();
    }

    /** Of all endpoints and loops together. */
    public long countEndpoints(EndpointMetric metric) {
        return proxy.stats().endpoints().stream()
                .mapToLong(stats -> stats.value(metric))
                .sum();
    }

    /** Waits until no exchange of the listener is under way. */
    public void awaitIdle() {
        Await.until(
                "every exchange finished",
                () -> count(ListenerMetric.EXCHANGES_STARTED) == count(ListenerMetric.EXCHANGES_FINISHED));
    }

    @Override
    public void close() {
        barrierClient.close();
        try {
            awaitIdle();
        } finally {
            proxy.close();
            barrierBackend.close();
        }
        awaitNothingLeft();
    }

    private void awaitNothingLeft() {
        awaitNone(
                "accepted connections",
                () -> count(ListenerMetric.FRONTEND_ACCEPTED) - count(ListenerMetric.FRONTEND_CLOSED));
        awaitNone(
                "backend connections",
                () -> countEndpoints(EndpointMetric.OPENED) - countEndpoints(EndpointMetric.CLOSED));
        awaitNone("connections in pools", () -> countEndpoints(EndpointMetric.IDLE));
        awaitNone("exchanges at endpoints", () -> countEndpoints(EndpointMetric.EXCHANGES));
    }

    private static void awaitNone(String what, LongSupplier count) {
        if (!Await.within(Await.TIMEOUT_MS, () -> count.getAsLong() == 0)) {
            throw new AssertionError(count.getAsLong() + " " + what + " left");
        }
    }
}
