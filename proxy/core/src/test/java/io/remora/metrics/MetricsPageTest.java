package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.feature.fault.FaultTable;
import io.remora.feature.grpc.GrpcMethodTable;
import io.remora.feature.mirror.MirrorTable;
import io.remora.feature.ratelimit.RateLimitTable;
import io.remora.testkit.ReferencePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds docs/metrics.md against the tables of the code, in its order. */
final class MetricsPageTest {
    /** The first sentence of an enum's comment. */
    private static final Pattern SENTENCE =
            Pattern.compile("(?s)/\\*\\*\\s+(?:\\* )?([^.]*(?:\\{@[^}]*\\}[^.]*)?\\.)\\s.*?enum ");

    /** With {@code -Dremora.page=write} (make docs) it writes the tables instead of judging them. */
    @Test
    void theTablesAreThoseOfTheCode() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Tables.Group group : Tables.groups()) {
            lines.addAll(List.of(lines.isEmpty() ? "### " + group.title() : "\n### " + group.title(), ""));
            lines.add(sentence(group) + ' ' + switchedOnBy(group.keys()));
            lines.addAll(List.of("", "| metric | type | labels | unit | meaning |", "|---|---|---|---|---|"));
            for (Metric metric : group.lines()) {
                lines.add(row(group, metric));
            }
        }
        ReferencePage.holds(
                "metrics.md", "metrics", String.join("\n", lines).lines().toList());
    }

    @Test
    void theKeysThatSwitchATableOnAreKeysOfTheConfiguration() throws IOException {
        List<String> keys = Files.readAllLines(Path.of("../../docs/configuration.md"));
        for (Tables.Group group : Tables.groups()) {
            for (String key : group.keys()) {
                String[] words = key.split(": ");
                assertThat(keys)
                        .as(key)
                        .anyMatch(line -> line.startsWith("| `" + words[0] + "` |")
                                && (words.length == 1 || line.contains(words[1])));
            }
        }
    }

    private static String sentence(Tables.Group group) throws IOException {
        String source = Files.readString(Path.of("src/main/java/io/remora", group.source()));
        Matcher comment = SENTENCE.matcher(source);
        assertThat(comment.find()).as(group.source()).isTrue();
        return comment.group(1).replaceAll("\\s*\\n \\* ?", " ").replace(", one line per family", "");
    }

    private static String switchedOnBy(List<String> keys) {
        return keys.isEmpty()
                ? "Always on."
                : "Switched on by " + keys.stream().map(key -> '`' + key + '`').collect(Collectors.joining(", ")) + '.';
    }

    private static String row(Tables.Group group, Metric metric) {
        Family family = metric.family();
        String needs = metric instanceof ProcessMetric own ? Tables.NEEDS.get(own) : null;
        return String.join(
                " | ",
                "| `" + family.name + '`',
                family.type,
                labels(group, family),
                unit(family),
                family.help + (needs == null ? "" : " Needs " + needs + '.') + " |");
    }

    private static String labels(Tables.Group group, Family family) {
        String[] values = family.values();
        String[] known = values == null || values.length > 0 ? values : group.values();
        String names = String.join(", ", family.labels());
        if (names.endsWith("failure")) {
            return names + ": [label](failures.md#labels)";
        }
        return known == null ? names : names + ": `" + String.join("`, `", known) + '`';
    }

    /** By the end of the name, as OpenMetrics has it. */
    private static String unit(Family family) {
        String name = family.name.replaceFirst("_total$", "");
        if (name.endsWith("_seconds")) {
            return family.help.contains("since 1970") ? "s since 1970" : "s";
        }
        return name.endsWith("_bytes") ? "bytes" : "";
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
                new MemoryState(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1),
                new ConfigState(1, 2_000, 3, 4, 0, ""));
        String text = Exposed.text(new Exposition(stats, new LatencyTotals(stats)).metrics(state));
        for (Metric metric : Tables.all()) {
            Family family = metric.family();
            boolean hasLibrary = text.contains(ProcessMetric.COMPILER_ON.family().name);
            if (!hasLibrary && Tables.needsLibrary(metric)) {
                continue;
            }
            assertThat(labels(text, family.name)).as(family.name).isEqualTo(String.join(", ", family.labels()));
        }
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
