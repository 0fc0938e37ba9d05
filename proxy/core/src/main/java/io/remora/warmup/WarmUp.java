package io.remora.warmup;

import io.remora.config.model.ConfigException;
import io.remora.config.model.EngineKind;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.Stats;
import io.remora.serving.DataPath;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.warmupkeys.WarmUpConfig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Requests before the sidecar is ready, so that classes are loaded and code is compiled by the time of a user's first
 * one. They pass listeners, stages and pools as a user's do, but on data paths of their own with counters that nobody
 * reads. One stands for the sidecar's data path, and one behind it serves the page. Where listeners take TLS or HTTP/2,
 * one in front of it speaks these as clients do.
 *
 * <p>Owner: the thread that starts the sidecar. Bounds: {@code warm-up.requests}, {@code warm-up.timeout}, of which
 * each kind of request has an equal share of the rest; one connection at a time. Loaded only where it is configured.
 */
public final class WarmUp {
    private static final String NAME = "warm-up";
    private static final String PAGE_ALONE =
            "workers: 1\nlisteners: [{ name: " + NAME + ", address: \"127.0.0.1:0\", routes: [{ respond: { body: "
                    + WarmUpClient.PAGE + " } }] }]\nclusters: { none: { endpoints: [\"127.0.0.1:1\"] } }\n";

    private final ProxyConfig proxy;
    private final WarmUpConfig config;
    private final WarmUpClient client;
    private final MemoryPlan plan;
    /** Data paths, which are closed from the last to the first. */
    private final List<DataPath> paths = new ArrayList<>();
    /** Null until a listener takes more than plain HTTP/1.1. */
    private @Nullable DataPath clients;

    private final long startNs = System.nanoTime();
    private int kindsLeft;

    private WarmUp(ProxyConfig proxy, WarmUpConfig config, MemoryPlan plan, WarmUpClient client) {
        this.proxy = proxy;
        this.config = config;
        this.client = client;
        this.plan = plan;
    }

    /**
     * Has all of those made that are configured; what fails is logged and ends its kind.
     *
     * @param end of the process, which ends the warm-up as well
     */
    public static void run(ProxyConfig proxy, MemoryPlan plan, CountDownLatch end) {
        WarmUpConfig config = proxy.options().get(WarmUpConfig.WARM_UP);
        if (config == null) {
            return;
        }
        // of what comes and goes here nobody needs to know
        Log.quiet(true);
        try {
            new WarmUp(proxy, config, plan, new WarmUpClient(end)).all();
        } catch (IOException | ConfigException | RuntimeException e) {
            // a sidecar that is cold serves as well
            warn("warm-up: " + e);
        } finally {
            Log.quiet(false);
        }
    }

    private DataPath path(ProxyConfig own) throws IOException {
        DataPath path = DataPath.build(own, plan, new Stats(), null, new ProcessFiles(), new Seams(), null);
        paths.add(path);
        return path;
    }

    private static void warn(String problem) {
        Log.quiet(false);
        Log.warn(problem);
        Log.quiet(true);
    }

    private void all() throws IOException, ConfigException {
        try {
            requests();
        } finally {
            for (int i = paths.size() - 1; i >= 0; i--) {
                paths.get(i).close();
            }
        }
        Log.quiet(false);
        Log.info("warm-up: " + client.done() + " requests in " + tookMs() + " ms");
    }

    private void requests() throws IOException, ConfigException {
        List<WarmUpCopies.Kind> kinds = WarmUpCopies.kinds(proxy.listeners());
        kindsLeft = kinds.size() + config.gets().size();
        ProxyConfig page = read(PAGE_ALONE);
        DataPath behind = path(page);
        behind.open(page);
        ProxyConfig plain =
                read(forwarding(NAME, behind.listeners().address(NAME).getPort(), ""));
        DataPath inPlace = path(WarmUpCopies.of(proxy, List.of(), Map.of()));
        for (WarmUpCopies.Kind kind : kinds) {
            begin();
            try {
                own(kind, inPlace, plain);
            } catch (IOException e) {
                failed(kind.name(), e);
            }
        }
        if (!config.gets().isEmpty() && !client.isOver()) {
            inPlace.open(WarmUpCopies.asked(proxy, config, client.secret()));
            for (WarmUpConfig.Get get : config.gets()) {
                begin();
                get(get, inPlace);
            }
        }
    }

    private void begin() {
        long nowNs = System.nanoTime();
        client.until(nowNs + (startNs + config.timeoutNs() - nowNs) / kindsLeft);
        kindsLeft--;
    }

    private void failed(String what, IOException e) {
        if (client.isOver()) {
            // the process ends, and nobody waits for what is warm
            return;
        }
        String why = e instanceof SocketTimeoutException ? "its time is over" : String.valueOf(e.getMessage());
        warn("warm-up by " + what + " ended after " + client.done() + " requests and " + tookMs() + " ms in all: "
                + why);
    }

    private long tookMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }

    private void get(WarmUpConfig.Get get, DataPath inPlace) {
        try {
            client.get(inPlace.listeners().address(get.listener()), get.host(), get.path(), get.times());
        } catch (IOException e) {
            failed("GET " + get.path() + " of " + get.host() + " on listener " + get.listener(), e);
        }
    }

    private void own(WarmUpCopies.Kind kind, DataPath inPlace, ProxyConfig plain) throws IOException, ConfigException {
        ListenerConfig taking = WarmUpCopies.taking(kind, plain.listeners().get(0), NAME + '/' + kindsLeft);
        inPlace.open(WarmUpCopies.of(proxy, List.of(taking), plain.clusters()));
        InetSocketAddress at = inPlace.listeners().address(taking.name());
        if (kind.tls() != null || kind.http2() != null) {
            ProxyConfig asClients = read(forwarding(taking.name(), at.getPort(), asClient(kind)));
            DataPath path = clients == null ? path(asClients) : clients;
            clients = path;
            path.open(asClients);
            at = path.listeners().address(taking.name());
        }
        client.page(at, config.requests());
    }

    // ---- configurations of its own

    private static String forwarding(String name, int port, String more) {
        return "workers: 1\nlisteners: [{ name: " + name + ", address: \"127.0.0.1:0\", cluster: " + NAME
                + " }]\nclusters: { " + NAME + ": { endpoints: [\"127.0.0.1:" + port + "\"]" + more + " } }\n";
    }

    /** Returns settings with short-lived connections, as a handshake takes longest while it is cold. */
    private static String asClient(WarmUpCopies.Kind kind) {
        return (kind.http2() == null ? "" : ", protocol: http2")
                + (kind.tls() == null ? "" : ", tls: { insecure-skip-verification: true }")
                + ", timeouts: { max-connection-age: 50ms }";
    }

    private static ProxyConfig read(String yaml) throws ConfigException {
        return ConfigReader.read(
                        NAME,
                        new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                        Map.of(),
                        new FeatureList())
                .with(EngineKind.NETTY);
    }
}
