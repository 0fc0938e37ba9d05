package io.remora.testkit;

import io.remora.Proxy;
import io.remora.check.Overrides;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.Exposed;
import io.remora.metrics.Exposition;
import io.remora.metrics.LatencyTotals;
import io.remora.metrics.ListenerMetric;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.transport.Loop;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A sidecar in the process of the test: it starts within milliseconds, and its buffers are under {@code LeakGuard}. The
 * one class of the test kit that knows how the sidecar is made.
 */
public final class InProcess implements RunningSidecar {
    private static final int LONGEST_STALL_SECONDS = 30;

    private final Proxy proxy;

    private InProcess(Proxy proxy) {
        this.proxy = proxy;
    }

    static InProcess start(String yaml, Map<String, String> environment, @Nullable String appProbes)
            throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
        try {
            ProxyConfig config = TestEngine.of(ConfigReader.read("test.yaml", in, environment, new FeatureList()));
            return new InProcess(Proxy.start(
                    appProbes == null
                            ? config
                            : Overrides.of(Map.of(Overrides.HEALTH, "127.0.0.1:0", Overrides.PROBES, appProbes))
                                    .over(config)));
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** With parts that a test has filled. */
    public static InProcess start(ProxyConfig config, MemoryPlan plan, ProcessFiles files, Seams seams)
            throws IOException {
        return new InProcess(Proxy.start(config, plan, files, seams, null, new CountDownLatch(1)));
    }

    /** Returns the sidecar, for tests of its parts. */
    public Proxy proxy() {
        return proxy;
    }

    @Override
    public InetSocketAddress listener(String name) {
        return proxy.address(name);
    }

    @Override
    public InetSocketAddress health() {
        return Objects.requireNonNull(proxy.healthAddress());
    }

    @Override
    public InetSocketAddress admin() {
        return proxy.adminAddress();
    }

    @Override
    public void stall(Action action) throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        for (Executor loop : loops()) {
            CountDownLatch begun = new CountDownLatch(1);
            loop.execute(() -> {
                begun.countDown();
                await(end);
            });
            await(begun);
        }
        try {
            action.run();
        } finally {
            end.countDown();
        }
    }

    /** The sidecar's event loops. */
    List<Executor> loops() {
        List<Executor> all = new ArrayList<>();
        for (Loop loop : proxy.path().shared().loops()) {
            all.add(loop.eventLoop());
        }
        return all;
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(LONGEST_STALL_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("stalled for too long");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public long finished(String listener) {
        return proxy.stats().listeners().stream()
                .filter(stats -> stats.listener.equals(listener))
                .mapToLong(stats -> stats.value(ListenerMetric.EXCHANGES_FINISHED))
                .sum();
    }

    @Override
    public void end() {
        proxy.close();
    }

    @Override
    public Metrics counted() {
        return Metrics.parse(Exposed.text(new Exposition(proxy.stats(), new LatencyTotals(proxy.stats()))));
    }
}
