package io.remora.advise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.inject.ProfileTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The profile, the code cache and the limit that follow from peaks. */
final class AdviceTest {
    private static final String OPTIONS =
            " common -XX:MaxDirectMemorySize=64m -XX:ReservedCodeCacheSize=8m -Xms8m -Xmx";
    private static final String TABLE = "# a table\n"
            + "small rps-100 100 20000000 22000000 8388608 33554432" + OPTIONS + "32m\n"
            + "small rps-1000 1000 26000000 28600000 8388608 67108864" + OPTIONS + "64m\n"
            + "small rps-10000 10000 30000000 33000000 8388608 134217728" + OPTIONS + "128m\n"
            + "small - 999999999 0 0 0 0 - too many\n"
            + "small rps-40000 40000 0 0 0 0" + OPTIONS + "256m\n";
    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;

    private ProfileTable table;

    @BeforeEach
    void write() throws IOException {
        table = ProfileTable.read(Files.writeString(directory.resolve("table"), TABLE));
    }

    private static PeaksPage page(long rate, long heapMib, long directMib, long codeKib, long usageKib, long limitMib)
            throws IOException {
        return PeaksPage.of("image small\nprofile rps-1000\nheap_max_bytes 1\nrss_peak_bytes " + 31 * MIB
                + "\ncode_cache_peak_bytes " + (codeKib << 10) + "\n"
                + "hour rate connections exchanges usage_bytes heap_bytes direct_bytes limit_bytes\n"
                + "3600 1 1 1 1 1 1 0\n"
                + "7200 " + rate + " 5 4 " + (usageKib << 10) + ' ' + (heapMib << 20) + ' ' + (directMib << 20) + ' '
                + (limitMib << 20) + '\n');
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # rate, heap, direct, profile
            0, 1, 1, rps-100
            100, 25, 51, rps-100
            101, 1, 1, rps-1000
            50, 26, 1, rps-1000
            1000, 51, 1, rps-1000
            1000, 52, 1, rps-10000
            10000, 1, 1, rps-10000
            """)
    void takesTheSmallestProfileThatHolds(long rate, long heapMib, long directMib, String profile) throws IOException {
        Advice advice = Advice.of(page(rate, heapMib, directMib, 2_000, 20_000, 64), table, List.of());
        assertThat(advice.text()).contains("\nprofile         " + profile);
        assertThat(advice.patch()).isEqualTo("""
                spec:
                  template:
                    metadata:
                      annotations:
                        remora.io/profile: "%s"
                        remora.io/rps: "%d"
                """.formatted(profile, Math.max(1, rate)));
    }

    @Test
    void hasNoneForARateThatTheImageWasNotMeasuredAt() throws IOException {
        for (PeaksPage page :
                List.of(page(10_001, 1, 1, 1, 1, 64), page(1, 110, 1, 1, 1, 64), page(1, 1, 52, 1, 1, 64))) {
            Advice advice = Advice.of(page, table, List.of());
            assertThat(advice.text()).contains("no profile of this image would have held");
            assertThat(advice.patch()).isEmpty();
        }
    }

    @Test
    void raisesACodeCacheThatWasNearlyFull() throws IOException {
        assertThat(Advice.of(page(1, 1, 1, 6_553, 1, 64), table, List.of()).patch())
                .doesNotContain("jvm-options");
        Advice full = Advice.of(page(1, 1, 1, 6_560, 1, 64), table, List.of());
        assertThat(full.patch()).endsWith("        remora.io/jvm-options: \"-XX:ReservedCodeCacheSize=9m\"\n");
        assertThat(full.text()).contains("code cache      -XX:ReservedCodeCacheSize=9m");
    }

    @ParameterizedTest
    @CsvSource({
        // charged of a limit, in KiB, and the advice in MiB; never below the profile's own need
        "40000, 64, 43",
        "30720, 64, 33",
        "1, 64, 21",
        // without a limit, the resident memory counts
        "1, 0, 35"
    })
    void aLimitIsThePeakAndATenth(long usageKib, long limitMib, long adviceMib) throws IOException {
        assertThat(Advice.of(page(1, 1, 1, 1, usageKib, limitMib), table, List.of())
                        .text())
                .contains("\nmemory limit    " + adviceMib + " MiB, ");
    }

    @Test
    void saysHowMuchItHasSeenAndWhatIsUnused() throws IOException {
        String text = Advice.of(page(3, 1, 1, 1, 1, 64), table, List.of("cluster b made no connection"))
                .text();
        assertThat(text)
                .contains("hours seen      2 with traffic; a peak may be missing")
                .contains("rate            3 exchanges/s\n")
                .contains("profile         rps-100, now rps-1000\n")
                .contains("  cluster b made no connection\n")
                .contains("remora.io/profile: \"rps-100\"");
    }

    @Test
    void refusesAPageOfAnother() {
        assertThatThrownBy(() -> PeaksPage.of("image x\n")).hasMessageContaining("keeps no peaks");
        assertThatThrownBy(() -> PeaksPage.of("image x\nhour rate\n3600 many\n"))
                .hasMessageContaining("no number: many");
    }

    @Test
    void findsWhatNothingUses() {
        assertThat(Unused.of("""
                        # TYPE a counter
                        remora_exchanges_started_total{listener="in"} 5
                        remora_exchanges_started_total{listener="out"} 0
                        remora_backend_connects_total{cluster="a",endpoint="10.0.0.1:80"} 0
                        remora_backend_connections_reused_total{cluster="a",endpoint="10.0.0.1:80"} 2
                        remora_backend_connects_total{cluster="b",endpoint="10.0.0.2:80"} 0
                        remora_hedges_total{cluster="a",outcome="won"} 0
                        remora_hedges_total{cluster="a",outcome="lost"} 1
                        remora_cluster_retries_total{cluster="a",reason="connect"} 0
                        remora_cluster_retries_total{cluster="a",reason="reset"} 0
                        remora_grpc_method_calls_total{listener="in",grpc_method="/a.B/C",grpc_status="ok"} 0
                        remora_process_open_fds 3
                        """, List.of("a", "b", "c")))
                .containsExactly(
                        "listener out received no request",
                        "method /a.B/C was not called",
                        "cluster a made no retry by its policy",
                        "cluster b made no connection",
                        "cluster c made no connection");
    }
}
