package io.remora.reload;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.transport.Loop;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures what a reload takes that changes each of 1,000 routes and clusters, for {@code ./measure bench-reload}: as told by the clock from
 * the request to its answer, and as CPU time of the event loop between two of its tasks. No test: it judges nothing.
 */
final class ReloadCost {
    private static final int ROUTES = 1_000;
    private static final int RELOADS = 21;
    private static final long TICK_NS = 500_000;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final AtomicLong longestNs = new AtomicLong();

    @TempDir
    private Path directory;

    @Test
    void ofThousandRoutes() throws Exception {
        measure("routes", 1);
    }

    @Test
    void ofThousandRoutesEachWithItsCluster() throws Exception {
        measure("routes and clusters", ROUTES);
    }

    private void measure(String what, int clusters) throws Exception {
        Path file = directory.resolve("remora.yaml");
        Files.writeString(file, yaml(0, clusters));
        ProxyConfig config = ConfigReader.readFile(file.toString(), Map.of(), new FeatureList());
        try (SeamStand stand = SeamStand.start(new Seams(), config)) {
            stand.proxy().reloadFrom(file.toString(), null);
            Loop loop = stand.loops().get(0);
            loop.eventLoop().execute(new Ticks(loop));
            long[] tookNs = new long[RELOADS];
            long[] pieceNs = new long[RELOADS];
            for (int i = 0; i < RELOADS; i++) {
                Files.writeString(file, yaml(i + 1, clusters));
                longestNs.set(0);
                long beganNs = System.nanoTime();
                reload(stand);
                tookNs[i] = System.nanoTime() - beganNs;
                pieceNs[i] = longestNs.get();
            }
            System.out.println(
                    "reload of " + what + ", the first: " + ms(tookNs[0]) + ", longest piece " + ms(pieceNs[0]));
            Arrays.sort(tookNs);
            Arrays.sort(pieceNs);
            System.out.println("reload of " + ROUTES + " " + what + ": median " + ms(tookNs[RELOADS / 2]) + ", most "
                    + ms(tookNs[RELOADS - 1])
                    + "; longest piece of the loop's CPU: median " + ms(pieceNs[RELOADS / 2]) + ", most "
                    + ms(pieceNs[RELOADS - 1]));
        }
    }

    private static String ms(long ns) {
        return ns / 10_000 / 100.0 + " ms";
    }

    private static void reload(SeamStand stand) throws Exception {
        try (RawClient admin = RawClient.connect(stand.proxy().adminAddress())) {
            RawResponse response = admin.send(
                            "POST /reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    .response();
            assertThat(response.status()).isEqualTo(200);
        }
    }

    private static String yaml(int version, int clusters) {
        StringBuilder text = new StringBuilder("log-level: warn\nvia: remora\nadmin: {address: \"127.0.0.1:0\"}\n"
                + "listeners:\n  - name: test\n    address: \"127.0.0.1:0\"\n    routes:\n");
        for (int i = 0; i < ROUTES; i++) {
            text.append("      - {name: r")
                    .append(i)
                    .append(", match: {host: h")
                    .append(i)
                    .append(".test, prefix: /v");
            text.append(version).append("}, cluster: c").append(i % clusters).append("}\n");
        }
        text.append("clusters:\n");
        for (int i = 0; i < clusters; i++) {
            text.append("  c")
                    .append(i)
                    .append(": {endpoints: [\"127.0.0.1:")
                    .append(10_000 + version)
                    .append("\"]}\n");
        }
        return text.toString();
    }

    /** Runs whenever the loop has come to everything else. */
    private final class Ticks implements Runnable {
        private final Loop loop;
        private long beforeNs = -1;

        Ticks(Loop loop) {
            this.loop = loop;
        }

        @Override
        public void run() {
            long nowNs = threads.getCurrentThreadCpuTime();
            if (beforeNs >= 0) {
                longestNs.accumulateAndGet(nowNs - beforeNs, Math::max);
            }
            beforeNs = nowNs;
            if (!loop.eventLoop().isShuttingDown()) {
                loop.eventLoop().schedule(this, TICK_NS, TimeUnit.NANOSECONDS);
            }
        }
    }
}
