package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.feature.fault.FaultTable;
import io.remora.feature.grpc.GrpcMethodTable;
import io.remora.feature.mirror.MirrorTable;
import io.remora.feature.ratelimit.RateLimitTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds docs/metrics.md against the tables of the code, in its order. */
final class MetricsPageTest {
    @Test
    void theTableOfMetricsIsThatOfTheCode() throws IOException {
        List<String> documented = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("../../docs/metrics.md"))) {
            if (line.startsWith("| `remora_")) {
                String[] cells = line.split("\\|");
                documented.add(cells[1].strip() + " " + cells[2].strip() + " " + cells[4].strip());
            }
        }
        List<String> exposed = new ArrayList<>();
        for (Metric metric : Tables.all()) {
            Family family = metric.family();
            exposed.add("`" + family.name + "` " + family.type + " " + family.help);
        }
        assertThat(documented).containsExactlyElementsOf(exposed);
    }

    @Test
    void theLabelsAreThoseOfAScrape() throws IOException {
        Stats stats = new Stats();
        stats.add(new ListenerStats("in", "no-route"));
        stats.add(new EndpointStats("app", "127.0.0.1:1"));
        stats.add(new LoopStats("loop-0"));
        stats.add(new ClusterStats("app"));
        stats.add(new AdmissionStats("in"));
        stats.add(RateLimitTable.row("in", "each"));
        stats.add(new TlsStats("listener", "in", "protocol"));
        stats.add(new NamingStats("app", "dns", "dns:app:80"));
        stats.add(new HostStats("peers", "peers@"));
        stats.add(new EngineStats("app"));
        stats.add(new AnnounceStats("in"));
        stats.add(new ProxyHeaderStats("in"));
        stats.add(new Http2Stats("in", "resets"));
        stats.add(new DetectStats("in"));
        stats.add(new GrpcStats("in", "ok"));
        stats.add(GrpcMethodTable.row("in", "ok"));
        stats.add(MirrorTable.row("in"));
        stats.add(new BackendHttp2Stats("app", "http2"));
        stats.add(new TraceStats());
        stats.add(FaultTable.row("in"));
        RunState state = new RunState(
                true,
                0,
                0,
                0,
                0,
                0,
                new MemoryState(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
                new ConfigState(1, 2_000, 3, 4, 0, ""));
        String text = Exposed.text(new Exposition(stats, new LatencyTotals(stats)).metrics(state));
        for (String line : Files.readAllLines(Path.of("../../docs/metrics.md"))) {
            if (line.startsWith("| `remora_")) {
                String[] cells = line.split("\\|");
                String name = cells[1].strip().replace("`", "");
                assertThat(labels(text, name)).as(name).isEqualTo(cells[3].strip());
                assertThat(declaredLabels(name)).as(name).isEqualTo(cells[3].strip());
            }
        }
    }

    private static String declaredLabels(String name) {
        for (Metric metric : Tables.all()) {
            if (metric.family().name.equals(name)) {
                return String.join(", ", metric.family().labels());
            }
        }
        return "no such metric";
    }

    private static String labels(String scrape, String name) {
        String sample = scrape.lines()
                .filter(line ->
                        line.startsWith(name + "{") || line.startsWith(name + " ") || line.startsWith(name + "_count"))
                .findFirst()
                .orElseThrow();
        List<String> labels = new ArrayList<>();
        int open = sample.indexOf('{');
        if (open >= 0) {
            for (String label : sample.substring(open + 1, sample.indexOf('}')).split(",")) {
                labels.add(label.substring(0, label.indexOf('=')));
            }
        }
        return String.join(", ", labels);
    }
}
