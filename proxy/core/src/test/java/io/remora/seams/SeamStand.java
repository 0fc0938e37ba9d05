package io.remora.seams;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.memory.MemoryPlan;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.InProcess;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.TestEngine;
import io.remora.transport.Loop;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A sidecar whose seams a test has filled, with the clients that the test talks through.
 *
 * <p>Whatever it tells comes from the admin pages. Its end asserts that nothing is left: every exchange finished, every
 * connection of both sides closed.
 */
public final class SeamStand implements AutoCloseable {
    public static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    private static final String LISTENER = "test";

    /** For a loop that a test holds up; nobody else's takes as long. */
    private static final long LOOP_MS = 500;

    private final Proxy proxy;
    private final List<RawClient> clients = new CopyOnWriteArrayList<>();

    private SeamStand(Proxy proxy) {
        this.proxy = proxy;
    }

    /** As it is shipped, before endpoints at these ports. */
    public static SeamStand start(int... ports) {
        return start(new Seams(), ports);
    }

    /** As it is shipped, with lines as {@link #config(String, String, int...)} takes them. */
    public static SeamStand start(String listener, String cluster, int... ports) {
        return start(new Seams(), config(listener, cluster, ports));
    }

    /** Before endpoints that speak HTTP/2. */
    public static SeamStand before(Http2Backend... backends) {
        return before("", backends);
    }

    /**
     * @param cluster more lines of the cluster, not indented
     */
    public static SeamStand before(String cluster, Http2Backend... backends) {
        int[] ports = new int[backends.length];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = backends[i].port();
        }
        return start("", "protocol: http2\n" + cluster, ports);
    }

    /** The same with a plan that is not this machine's. */
    public static SeamStand start(MemoryPlan plan, String listener, String cluster, int... ports) {
        return start(new Seams(), plan, config(listener, cluster, ports));
    }

    public static SeamStand start(Seams seams, int... ports) {
        return start(seams, config("", "", ports));
    }

    public static SeamStand start(Seams seams, ProxyConfig config) {
        ProcessFiles files = new ProcessFiles();
        return start(seams, files, Memory.plan(config, files), config);
    }

    public static SeamStand start(MemoryPlan plan, int... ports) {
        return start(plan, "", "", ports);
    }

    public static SeamStand start(Seams seams, MemoryPlan plan, ProxyConfig config) {
        return start(seams, new ProcessFiles(), plan, config);
    }

    public static SeamStand start(Seams seams, ProcessFiles files, MemoryPlan plan, ProxyConfig config) {
        try {
            return new SeamStand(InProcess.start(config, plan, files, seams).proxy());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * One listener before one cluster.
     *
     * @param listener lines of YAML that the listener has beside its name, address and cluster, not indented; with routes it has no
     *     cluster of its own
     * @param cluster lines of YAML that the cluster has beside its endpoints, not indented
     */
    public static ProxyConfig config(String listener, String cluster, int... ports) {
        StringBuilder endpoints = new StringBuilder();
        for (int port : ports) {
            endpoints
                    .append(endpoints.isEmpty() ? "" : ", ")
                    .append("\"127.0.0.1:")
                    .append(port)
                    .append('"');
        }
        return config(
                """
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                LISTENERclusters:
                  app:
                    endpoints: [ENDPOINTS]
                CLUSTER""".replace("LISTENER", ((listener.contains("routes:") ? "" : "cluster: app\n") + listener).indent(4))
                        .replace("ENDPOINTS", endpoints)
                        .replace("CLUSTER", cluster.indent(4)));
    }

    /** Whose first endpoint is picked before the second one, always. */
    public static ProxyConfig preferring(int first, int second) {
        return config("""
                listeners:
                  - { name: test, address: "127.0.0.1:0", cluster: app }
                clusters:
                  app:
                    endpoints:
                      - "127.0.0.1:FIRST"
                      - { address: "127.0.0.1:SECOND", priority: 1 }
                """.replace("FIRST", Integer.toString(first)).replace("SECOND", Integer.toString(second)));
    }

    /** From all but the lines that every test has. */
    public static ProxyConfig config(String yaml) {
        // a short wait of idle connections, see the test kit's Setup
        String whole = "log-level: warn\nvia: remora\ndrain-idle: 200ms\nadmin:\n  address: \"127.0.0.1:0\"\n" + yaml;
        try {
            return TestEngine.of(ConfigReader.read(
                    "seam.yaml",
                    new ByteArrayInputStream(whole.getBytes(StandardCharsets.UTF_8)),
                    Map.of(),
                    new FeatureList()));
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    public Proxy proxy() {
        return proxy;
    }

    public List<Loop> loops() {
        return proxy.path().shared().loops();
    }

    public InetSocketAddress address() {
        return proxy.address(LISTENER);
    }

    /** Closed when the test ends. */
    public RawClient client() {
        RawClient client = RawClient.connect(address());
        clients.add(client);
        return client;
    }

    /** One request on a connection of its own. */
    public RawResponse get(String path) {
        try (RawClient client = RawClient.connect(address())) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n").response();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- the admin pages

    /** Asked once every loop is done with what it was doing: what a loop has sent to a client, it has counted by then. */
    public String page(String path) {
        for (Loop loop : loops()) {
            loop.eventLoop().submit(() -> {}).awaitUninterruptibly(LOOP_MS);
        }
        try (RawClient admin = RawClient.connect(proxy.adminAddress())) {
            return admin.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    .response()
                    .bodyText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sum over all series of a metric. */
    public long metric(String name) {
        return metric(name, "");
    }

    /** The sum over the series whose line has {@code label} in it. */
    public long metric(String name, String label) {
        return sum(page("/metrics"), name, label);
    }

    private static long sum(String metrics, String name, String label) {
        double sum = 0;
        boolean found = false;
        for (String line : metrics.split("\n")) {
            if (line.startsWith("# TYPE " + name + " ")) {
                found = true;
            }
            if (line.startsWith(name + "{") && line.contains(label) || line.startsWith(name + " ")) {
                sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
            }
        }
        assertThat(found).as("/metrics has " + name).isTrue();
        return (long) sum;
    }

    public long repicks() {
        return metric("remora_repicks_total");
    }

    public long retries() {
        return metric("remora_retries_total");
    }

    public long failures() {
        return metric("remora_failures_total");
    }

    public long failures(String label) {
        return metric("remora_failures_total", '"' + label + '"');
    }

    /** Waits until every exchange that began has ended. */
    public void awaitIdle() {
        boolean idle = Await.within(Await.TIMEOUT_MS, () -> {
            String metrics = page("/metrics");
            return sum(metrics, "remora_exchanges_started_total", "")
                    == sum(metrics, "remora_exchanges_finished_total", "");
        });
        if (!idle) {
            throw new AssertionError("an exchange is not finished:\n" + left());
        }
    }

    /** What is still there of connections and exchanges, empty for nothing. */
    private String left() {
        String metrics = page("/metrics");
        StringBuilder left = new StringBuilder();
        append(left, metrics, "remora_frontend_connections_active");
        append(left, metrics, "remora_exchanges_in_flight");
        // a cluster that has no endpoint has no series
        if (metrics.contains("# TYPE remora_backend_connects_total ")) {
            append(left, metrics, "remora_backend_connections_idle");
            append(left, metrics, "remora_backend_connections_active");
            append(left, metrics, "remora_backend_exchanges_in_flight");
        }
        for (String line : page("/clusters").split("\n")) {
            if (line.contains(" open=") && !(line + " ").contains(" open=0 ")) {
                left.append(line).append('\n');
            }
        }
        return left.toString();
    }

    private static void append(StringBuilder left, String metrics, String name) {
        long sum = sum(metrics, name, "");
        if (sum != 0) {
            left.append(name).append(' ').append(sum).append('\n');
        }
    }

    @Override
    public void close() {
        clients.forEach(RawClient::close);
        try {
            awaitIdle();
            proxy.drain();
            assertThat(proxy.awaitDrained(Await.TIMEOUT_MS)).isTrue();
            proxy.cut();
            if (!Await.within(Await.TIMEOUT_MS, () -> left().isEmpty())) {
                throw new AssertionError("left: " + left());
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            proxy.close();
        }
    }
}
