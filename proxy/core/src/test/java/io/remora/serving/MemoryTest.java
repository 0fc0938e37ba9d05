package io.remora.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Limits;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.feature.Features;
import io.remora.memory.MemoryLimit;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.Exemplars;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The profiles' heaps hold what the default limits may come to, and a configuration that needs more is told apart. */
class MemoryTest {
    private static final long MIB = 1_024 * 1_024;

    private static Stream<String> profiles() {
        return Stream.of("rps-100", "rps-1000", "rps-10000", "rps-40000", "finagle-rps-1000", "finagle-rps-10000");
    }

    private static MemoryPlan plan(long heapBytes) {
        return MemoryPlan.of(new MemoryLimit(0, "", 0, 8 * MIB, heapBytes, 64 * MIB, 0), 1);
    }

    /** Its heap, less the part that a collector never fills, as {@code Runtime.maxMemory} has it. */
    private static MemoryPlan planOf(String profile) throws IOException {
        return plan(heapMib(profile) * MIB - 2 * MIB);
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void everyProfilesHeapHoldsTheDefaultLimitsOfItsListeners(String profile) throws Exception {
        MemoryPlan plan = planOf(profile);
        for (int listeners = 1; listeners <= 16; listeners++) {
            ProxyConfig config = config(listeners, "{}");
            assertThat(Memory.warning(plan, config))
                    .as(profile + " x " + listeners)
                    .isNull();
            assertThat(Memory.problem(plan, config))
                    .as(profile + " x " + listeners)
                    .isNull();
        }
        // what they share is no less than the default of one
        assertThat(plan.connections()).isGreaterThan(Limits.CONNECTIONS_BY_DEFAULT * 95 / 100);
        assertThat(plan.exchanges()).isGreaterThanOrEqualTo(Limits.IN_FLIGHT_BY_DEFAULT);
        long heapBytes = (long) plan.connections() * plan.connectionHeapBytes()
                + (long) plan.exchanges() * plan.exchangeHeapBytes();
        assertThat(heapBytes).isLessThanOrEqualTo(plan.limit().heapMaxBytes() - MemoryPlan.BASE_HEAP_BYTES);
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void limitsThatTheHeapHasNoRoomForAreToldApart(String profile) throws Exception {
        for (int listeners : new int[] {1, 2, 16}) {
            for (String limits : new String[] {"{connections: 100000}", "{in-flight: 50000}"}) {
                assertThat(Memory.warning(planOf(profile), config(listeners, limits)))
                        .as(profile + " x " + listeners)
                        .contains("MiB of heap", "lower limits.connections");
            }
        }
    }

    /** The part of one listener is given, and the others share the rest. */
    @Test
    void aListenersOwnLimitLeavesTheOthersTheirDefault() throws Exception {
        ProxyConfig config = config(4, "{connections: 100}");
        assertThat(Memory.warning(planOf("rps-1000"), config)).isNull();
        MemoryLimit limit = new MemoryLimit(96 * MIB, "test", 24 * MIB, 8 * MIB, 32 * MIB, 64 * MIB, 0);
        assertThat(Memory.problem(MemoryPlan.of(limit, 1), config)).isNull();
        assertThat(Memory.problem(MemoryPlan.of(limit, 1), config(1, "{connections: 20000}")))
                .contains("enough for connections: ", "asks for 20000");
    }

    /** Whether or not something bounds the process: the tables are there from the start, and twice while a reload goes on. */
    @Test
    void tablesOfRateLimitsAreCounted() throws Exception {
        ProxyConfig few = config("{}\n    rate-limits: [{ rate: 1/s, by: client }]");
        ProxyConfig many = config("{}\n    rate-limits: [{ rate: 1/s, by: client, keys: 1000000 }]");
        MemoryPlan plan = MemoryPlan.of(new MemoryLimit(0, "", 0, 8 * MIB, 64 * MIB, 64 * MIB, 0), 1);
        assertThat(Features.heapBytes(config("{}"))).isZero();
        assertThat(Features.heapBytes(few)).isEqualTo(2 * 33 * 2_000);
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
        assertThat(Memory.costs(few, new ProcessFiles()).baseHeapBytes()).isEqualTo(Memory.spansBytes(few));
        assertThat(Memory.problem(plan, few)).isNull();
        assertThat(Memory.problem(plan, many)).contains("for spans", "ask for 16");
    }

    private static long heapMib(String profile) throws IOException {
        List<String> options = Files.readAllLines(Path.of("..", "..", "jvm-profiles", profile));
        String heap = options.stream()
                .filter(line -> line.startsWith("-Xmx"))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(heap.substring("-Xmx".length(), heap.length() - 1));
    }

    private static ProxyConfig config(String limits) throws Exception {
        return config(1, limits);
    }

    /** With limits of the first listener. */
    private static ProxyConfig config(int listeners, String limits) throws Exception {
        String others = "  - { address: \"127.0.0.1:0\", cluster: app }\n".repeat(listeners - 1);
        String yaml = """
                listeners:
                  - address: "127.0.0.1:0"
                    cluster: app
                    limits: LIMITS
                OTHERSclusters:
                  app: { endpoints: [ "127.0.0.1:1" ] }
                """.replace("LIMITS", limits).replace("OTHERS", others);
        return ConfigReader.read(
                "test.yaml",
                new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                new FeatureList());
    }
}
