package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.ConfigReader;
import io.remora.config.ProxyConfig;
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
