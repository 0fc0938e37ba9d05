package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.ConfigReader;
import io.remora.config.ProxyConfig;
import io.remora.memory.MemoryLimit;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.Exemplars;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The profiles' heaps hold what the default limits may come to, and a configuration that needs more is told apart. */
class MemoryTest {
    private static final long MIB = 1_024 * 1_024;

    @Test
    void everyProfilesHeapHoldsTheDefaultLimits() throws Exception {
        for (String profile : new String[] {"rps-100", "rps-1000", "rps-10000", "rps-40000"}) {
            assertThat(Memory.heapBytes(config("{}"))).as(profile).isLessThanOrEqualTo(heapMib(profile) * MIB);
        }
    }

    @Test
    void moreConnectionsNeedMore() throws Exception {
        assertThat(Memory.heapBytes(config("{ connections: 100000 }"))).isGreaterThan(heapMib("rps-1000") * MIB);
    }

    /** Whether or not something bounds the process: the tables are there from the start, and twice while a reload goes on. */
    @Test
    void tablesOfRateLimitsAreCounted() throws Exception {
        ProxyConfig few = config("{}\n    rate-limits: [{ rate: 1/s, by: client }]");
        ProxyConfig many = config("{}\n    rate-limits: [{ rate: 1/s, by: client, keys: 1000000 }]");
        MemoryPlan plan = MemoryPlan.of(new MemoryLimit(0, "", 0, 8 * MIB, 64 * MIB, 64 * MIB, 0), 1);
        assertThat(Memory.tablesBytes(config("{}"))).isZero();
        assertThat(Memory.tablesBytes(few)).isEqualTo(2 * 33 * 2_000);
        assertThat(Memory.problem(plan, few)).isNull();
        assertThat(Memory.problem(plan, many)).contains("the tables of rate limits", "ask for 66000000");
    }

    /** Two arrays a loop, half of one while it grows, and all of that again for the configuration before a reload. */
    @Test
    void spansThatWaitAreCounted() throws Exception {
        String traced = "{}\ntracing: {export: {cluster: app, queue: QUEUE}}\nworkers: 2";
        ProxyConfig few = config(traced.replace("QUEUE", "64KiB"));
        ProxyConfig many = config(traced.replace("QUEUE", "16MiB"));
        MemoryPlan plan = MemoryPlan.of(new MemoryLimit(0, "", 0, 8 * MIB, 64 * MIB, 64 * MIB, 0), 2);
        assertThat(Memory.spansBytes(config("{}"))).isZero();
        assertThat(Memory.spansBytes(few)).isEqualTo(2 * (5 * (64 << 10) + Exemplars.MOST_BYTES));
        assertThat(new Assembly().costs(few).baseHeapBytes()).isEqualTo(Memory.spansBytes(few));
        assertThat(Memory.problem(plan, few)).isNull();
        assertThat(Memory.problem(plan, many)).contains("for spans", "ask for 16");
    }

    private static long heapMib(String profile) throws Exception {
        List<String> options = Files.readAllLines(Path.of("..", "..", "jvm-profiles", profile));
        String heap = options.stream()
                .filter(line -> line.startsWith("-Xmx"))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(heap.substring("-Xmx".length(), heap.length() - 1));
    }

    private static ProxyConfig config(String limits) throws Exception {
        String yaml = """
                listeners:
                  - address: "127.0.0.1:0"
                    cluster: app
                    limits: LIMITS
                clusters:
                  app: { endpoints: [ "127.0.0.1:1" ] }
                """.replace("LIMITS", limits);
        return ConfigReader.read(
                "test.yaml", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)), Map.of());
    }
}
