package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.feature.fault.FaultTable;
import io.remora.feature.grpc.GrpcMethodTable;
import io.remora.feature.mirror.MirrorTable;
import io.remora.feature.ratelimit.RateLimitTable;
import io.remora.process.PerfData;
import io.remora.process.ProcFile;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

final class ExpositionTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String[] LABELS = {"bad-request", "no-route"};
    private static final RunState STATE = new RunState(
            true,
            3,
            5,
            7,
            4_096,
            8_192,
            new MemoryState(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1),
            new ConfigState(1, 2_000, 3, 4, 0, ""));

    private final Stats stats = new Stats();
    private final Exposition exposition = new Exposition(stats, new LatencyTotals(stats));

    private final DoubleSupplier held = () -> 3;

    @Test
    void everyMetricIsThereAndPassesTheLinter() {
        fill();
        PrometheusLint lint = scrape();
        assertThat(lint.problems()).isEmpty();
        boolean library = lint.types().containsKey(ProcessMetric.COMPILER_ON.family().name);
        for (Metric metric : Tables.all()) {
            if (metric != ProcessMetric.COMPILATIONS && (library || !Tables.needsLibrary(metric))) {
                assertThat(lint.types()).containsEntry(metric.family().name, metric.family().type);
            }
        }
    }

    /** The order in which the owners of the tables came up does not matter. */
    @Test
    void tablesHaveOneOrderOnThePage() {
        fill();
        String text = Exposed.text(exposition.metrics(STATE));
        assertThat(text)
                .containsSubsequence(
                        family(ListenerMetric.values()[0]),
                        family(EndpointMetric.values()[0]),
                        family(LoopMetric.values()[0]),
                        family(TlsMetric.values()[0]),
                        family(TlsTimeMetric.values()[0]),
                        family(ClusterMetric.values()[0]),
                        family(AdmissionMetric.values()[0]),
                        family(RateLimitTable.lines().get(0)),
                        family(NamingMetric.values()[0]),
                        family(HostMetric.values()[0]),
                        family(EngineMetric.values()[0]),
                        family(AnnounceMetric.values()[0]),
                        family(ProxyHeaderMetric.values()[0]),
                        family(Http2Metric.values()[0]),
                        family(DetectMetric.values()[0]),
                        family(GrpcMetric.values()[0]),
                        family(GrpcMethodTable.lines().get(0)),
                        family(MirrorTable.lines().get(0)),
                        family(BackendHttp2Metric.values()[0]),
                        family(TraceMetric.values()[0]),
                        family(FaultTable.lines().get(0)),
                        "# HELP remora_proxy_time_seconds ");
    }

    private static String family(Metric metric) {
        return "# HELP " + metric.family().name + ' ';
    }

    @Test
    void nothingCountedYetPassesToo() {
        assertThat(scrape().problems()).isEmpty();
    }

    @Test
    void loopsAddUpByListenerAndByEndpoint() {
        fill();
        assertThat(scrape().samples())
                .containsEntry("remora_exchanges_started_total{listener=\"in\"}", 15.0)
                .containsEntry("remora_exchanges_finished_total{listener=\"in\"}", 12.0)
                .containsEntry("remora_exchanges_in_flight{listener=\"in\"}", 3.0)
                .containsEntry("remora_exchanges_started_total{listener=\"out \\\"x\\\\y\\\"\\n\"}", 0.0)
                .containsEntry("remora_frontend_connections_active{listener=\"in\"}", 4.0)
                .containsEntry("remora_responses_total{listener=\"in\",class=\"2xx\"}", 11.0)
                .containsEntry("remora_responses_total{listener=\"in\",class=\"1xx\"}", 0.0)
                .containsEntry("remora_failures_total{listener=\"in\",failure=\"no-route\"}", 2.0)
                .containsEntry("remora_failures_total{listener=\"in\",failure=\"bad-request\"}", 0.0)
                .containsEntry("remora_backend_connections_active{cluster=\"app\",endpoint=\"[::1]:80\"}", 3.0)
                .containsEntry("remora_backend_connections_idle{cluster=\"app\",endpoint=\"[::1]:80\"}", 2.0)
                .containsEntry("remora_backend_pool_exhausted_total{cluster=\"app\",endpoint=\"[::1]:80\"}", 1.0)
                .containsEntry(outcome("success"), 1.0)
                .containsEntry(outcome("failure"), 0.0)
                .containsEntry(outcome("ignored"), 1.0)
                .containsEntry("remora_tls_handshakes_total{side=\"listener\",name=\"in\"}", 1.0)
                .containsEntry(failure("alert"), 1.0)
                .containsEntry(failure("protocol"), 0.0)
                .containsEntry("remora_tls_reloads_total{side=\"listener\",name=\"in\",outcome=\"taken\"}", 1.0)
                .containsEntry("remora_tls_reloads_total{side=\"listener\",name=\"in\",outcome=\"refused\"}", 2.0)
                .containsEntry("remora_tls_certificate_expires_seconds{side=\"listener\",name=\"in\"}", 2e9)
                .containsEntry("remora_tls_unverified{side=\"listener\",name=\"in\"}", 0.0)
                .containsEntry("remora_tls_unverified{side=\"cluster\",name=\"app\"}", 1.0)
                .containsEntry("remora_resolver_state{cluster=\"app\",source=\"dns\",state=\"bound\"}", 1.0)
                .containsEntry("remora_resolver_state{cluster=\"app\",source=\"dns\",state=\"pending\"}", 0.0)
                .containsEntry("remora_resolver_endpoints{cluster=\"app\",source=\"dns\"}", 3.0)
                .containsEntry("remora_resolver_answered_seconds{cluster=\"app\",source=\"dns\"}", 1_000.999)
                .containsEntry("remora_template_hosts_max{cluster=\"peers\"}", 7.0)
                .containsEntry("remora_engine_events_total{cluster=\"app\",event=\"retries/requeues\"}", 4.0)
                .containsEntry("remora_engine_level{cluster=\"app\",level=\"pool_size\"}", 12.0)
                .containsEntry("remora_engine_level{cluster=\"app\",level=\"pool_cached\"}", 0.0)
                .containsEntry("remora_announced{listener=\"in\"}", 1.0)
                .containsEntry("remora_proxy_headers_total{listener=\"in\",outcome=\"taken\"}", 1.0)
                .containsEntry("remora_announcements_total{listener=\"in\"}", 2.0)
                .containsEntry("remora_access_log_dropped_total", 3.0)
                .containsEntry("remora_jvm_direct_memory_used_bytes", 4_096.0)
                .containsEntry("remora_ready", 1.0);
    }

    @Test
    void handshakesAreMeasuredByListenerAndResumption() {
        TlsStats in = stats.add(new TlsStats("listener", "in", "protocol"));
        in.established(2_000_000, false);
        in.established(2_000_001, false);
        in.established(500_000, true);
        stats.add(new TlsStats("cluster", "app", "protocol")).established(11_000_000_000L, false);
        String full = "{side=\"listener\",name=\"in\",resumed=\"false\"";
        String resumed = "{side=\"listener\",name=\"in\",resumed=\"true\"";
        String cluster = "{side=\"cluster\",name=\"app\",resumed=\"false\"";
        PrometheusLint scrape = scrape();
        assertThat(scrape.problems()).isEmpty();
        assertThat(scrape.samples())
                .containsEntry("remora_tls_handshake_seconds_bucket" + full + ",le=\"0.001\"}", 0.0)
                .containsEntry("remora_tls_handshake_seconds_bucket" + full + ",le=\"0.002\"}", 1.0)
                .containsEntry("remora_tls_handshake_seconds_bucket" + full + ",le=\"0.003\"}", 2.0)
                .containsEntry("remora_tls_handshake_seconds_bucket" + full + ",le=\"+Inf\"}", 2.0)
                .containsEntry("remora_tls_handshake_seconds_sum" + full + "}", 0.004000001)
                .containsEntry("remora_tls_handshake_seconds_count" + full + "}", 2.0)
                .containsEntry("remora_tls_handshake_seconds_bucket" + resumed + ",le=\"0.0005\"}", 1.0)
                .containsEntry("remora_tls_handshake_seconds_count" + resumed + "}", 1.0)
                .containsEntry("remora_tls_handshake_seconds_bucket" + cluster + ",le=\"10\"}", 0.0)
                .containsEntry("remora_tls_handshake_seconds_sum" + cluster + "}", 11.0);
        in.established(1, true);
        assertThat(scrape().samples())
                .containsEntry("remora_tls_handshake_seconds_count" + resumed + "}", 2.0)
                .containsEntry("remora_tls_handshake_seconds_count" + full + "}", 2.0);
    }

    @Test
    void histogramsAreCumulativeFromScrapeToScrape() {
        ListenerStats listener = stats.add(new ListenerStats("in", LABELS));
        listener.record(ListenerMetric.PROXY_TIME, 49_000);
        listener.record(ListenerMetric.PROXY_TIME, 50_000);
        listener.record(ListenerMetric.PROXY_TIME, 60_000);
        listener.record(ListenerMetric.PROXY_TIME, 2_000_000_000);
        listener.record(ListenerMetric.PROXY_TIME, 70_000_000_000L);
        assertThat(scrape().samples())
                .containsEntry("remora_proxy_time_seconds_bucket{listener=\"in\",le=\"0.00005\"}", 2.0)
                .containsEntry("remora_proxy_time_seconds_bucket{listener=\"in\",le=\"0.0001\"}", 3.0)
                .containsEntry("remora_proxy_time_seconds_bucket{listener=\"in\",le=\"1\"}", 3.0)
                .containsEntry("remora_proxy_time_seconds_bucket{listener=\"in\",le=\"3\"}", 4.0)
                .containsEntry("remora_proxy_time_seconds_bucket{listener=\"in\",le=\"+Inf\"}", 5.0)
                .containsEntry("remora_backend_time_seconds_count{listener=\"in\"}", 0.0);
        listener.record(ListenerMetric.PROXY_TIME, 60_000);
        Map<String, Double> second = scrape().samples();
        assertThat(second).containsEntry("remora_proxy_time_seconds_count{listener=\"in\"}", 6.0);
        assertThat(second.get("remora_proxy_time_seconds_sum{listener=\"in\"}")).isBetween(61.5, 62.5);
    }

    @Test
    void everyBoundIsWhereItsLabelSays() {
        ListenerStats listener = stats.add(new ListenerStats("in", LABELS));
        String[] bounds = {
            "0.00005", "0.0001", "0.0002", "0.0003", "0.0005", "0.00075", "0.001", "0.002", "0.003", "0.005", "0.0075",
            "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "3", "10"
        };
        for (String bound : bounds) {
            long ns = Math.round(Double.parseDouble(bound) * 1e9);
            listener.record(ListenerMetric.TOTAL_TIME, ns);
            listener.record(ListenerMetric.TOTAL_TIME, ns + ns / 50);
        }
        Map<String, Double> samples = scrape().samples();
        for (int i = 0; i < bounds.length; i++) {
            assertThat(samples)
                    .containsEntry(
                            "remora_total_time_seconds_bucket{listener=\"in\",le=\"" + bounds[i] + "\"}", 1.0 + 2 * i);
        }
    }

    @Test
    void theProcessIsThisOne() {
        Map<String, Double> samples = scrape().samples();
        assertThat(samples.get("remora_process_resident_memory_bytes")).isBetween(20e6, 4e9);
        assertThat(samples.get("remora_process_resident_memory_peak_bytes"))
                .isGreaterThanOrEqualTo(samples.get("remora_process_resident_anonymous_bytes"));
        assertThat(samples.get("remora_process_cpu_seconds_total")).isBetween(0.1, 1e5);
        long startMs =
                ProcessHandle.current().info().startInstant().orElseThrow().toEpochMilli();
        assertThat(samples.get("remora_process_start_time_seconds") * 1_000).isBetween(startMs - 3e3, startMs + 3e3);
        assertThat(samples.get("remora_process_open_fds")).isBetween(5.0, 1e5);
        assertThat(samples.get("remora_process_max_fds"))
                .isGreaterThanOrEqualTo(samples.get("remora_process_open_fds"));
        assertThat(samples.get("remora_process_threads")).isGreaterThan(samples.get("remora_jvm_threads"));
        assertThat(samples.get("remora_jvm_classes_loaded")).isGreaterThan(500);
        assertThat(samples.get("remora_jvm_metaspace_used_bytes")).isGreaterThan(1e6);
        assertThat(samples.get("remora_jvm_compile_seconds_total")).isPositive();
        assertThat(samples.keySet())
                .anyMatch(series -> series.startsWith("remora_jvm_code_cache_reserved_bytes{segment="))
                .contains("remora_jvm_gc_pause_seconds_total{collector=\"Copy\"}");
    }

    @Test
    void theCpuTimeOfTheCompilersIsAPartOfTheProcesss() {
        Map<String, Double> samples = scrape().samples();
        double c1 = samples.get("remora_jvm_compiler_cpu_seconds_total{compiler=\"c1\"}");
        assertThat(c1).isPositive().isLessThan(samples.get("remora_process_cpu_seconds_total"));
        assertThat(scrape().samples().get("remora_jvm_compiler_cpu_seconds_total{compiler=\"c1\"}"))
                .isGreaterThanOrEqualTo(c1);
    }

    @Test
    void compilationsAreCountedWhereTheJvmKeepsItsStatistics() {
        double before = scrape().samples().get("remora_jvm_compilations_total");
        assertThat(before).isGreaterThan(10);
        assertThat(scrape().samples().get("remora_jvm_compilations_total")).isGreaterThanOrEqualTo(before);
        assertThat(PerfData.read("sun.ci.totalCompile")).isEqualTo(ProcFile.UNKNOWN);
    }

    @Test
    void memoryNamesEveryKind() {
        StringBuilder text = new StringBuilder();
        exposition.appendMemory(text, STATE);
        assertThat(text.toString().lines()).allMatch(line -> line.matches("[a-z0-9_]+_bytes \\d+"));
        assertThat(text)
                .contains("\nrss_anon_bytes ", "\nrss_file_bytes ", "\nrss_peak_bytes ", "\nheap_used_bytes ")
                .contains("\nmetaspace_used_bytes ", "\nmetaspace_committed_bytes ", "\ncode_cache_")
                .contains("\ndirect_used_bytes 4096\n", "\ndirect_limit_bytes 8192\n")
                .startsWith("rss_bytes ");
    }

    private static String outcome(String outcome) {
        return "remora_endpoint_outcomes_total{cluster=\"app\",endpoint=\"[::1]:80\",outcome=\"" + outcome + "\"}";
    }

    private PrometheusLint scrape() {
        return PrometheusLint.of(Exposed.text(exposition.metrics(STATE)));
    }

    /** Two loops, two listeners, an endpoint. */
    private static String failure(String reason) {
        return "remora_tls_handshake_failures_total{side=\"listener\",name=\"in\",reason=\"" + reason + "\"}";
    }

    /** All there is in the other format, with an exemplar. */
    String openMetrics() {
        fill();
        stats.listeners()
                .get(0)
                .exemplars()
                .keep(ListenerMetric.PROXY_TIME, 0x0af7651916cd43ddL, 0x8448eb211c80319cL, 100_000, 1_700_000_000_023L);
        return Exposed.text(exposition.openMetrics(STATE));
    }

    /** Names and labels of all samples, bounds as this format has them. */
    private static Set<String> series(String text) {
        Set<String> series = new TreeSet<>();
        for (String line : text.lines().toList()) {
            if (!line.startsWith("#")) {
                String sample = line.contains(" # ") ? line.substring(0, line.indexOf(" # ")) : line;
                series.add(sample.substring(0, sample.lastIndexOf(' '))
                        .replace("le=\"5e-05\"", "le=\"0.00005\"")
                        .replaceAll("le=\"([0-9]+)\\.0\"", "le=\"$1\""));
            }
        }
        return series;
    }

    @Test
    void openMetricsHasTheSameSeriesInItsOwnFamilies() {
        String open = openMetrics();
        assertThat(series(open)).isEqualTo(series(Exposed.text(exposition.metrics(STATE))));
        assertThat(open)
                .endsWith("\n# EOF\n")
                .contains("# TYPE remora_exchanges_started counter\n# HELP remora_exchanges_started Requests")
                .contains("# TYPE remora_request_body_bytes counter\n# UNIT remora_request_body_bytes bytes\n")
                .contains("# TYPE remora_proxy_time_seconds histogram\n# UNIT remora_proxy_time_seconds seconds\n")
                .contains("# TYPE remora_build info\n# HELP remora_build ")
                .contains("\nremora_proxy_time_seconds_bucket{listener=\"in\",le=\"0.0001\"} 2 # {trace_id=\"" + TRACE
                        + "\"} 1.0E-4 1700000000.023\n")
                .contains("le=\"5e-05\"", "le=\"1.0\"", "le=\"+Inf\"");
        assertThat(open.lines().filter(line -> line.contains(" # "))).hasSize(1);
    }

    private void fill() {
        for (int loop = 0; loop < 2; loop++) {
            EngineStats engine = stats.add(new EngineStats("app"));
            engine.add(EngineMetric.EVENTS, "retries/requeues", 2);
            engine.level("pool_size", held);
            engine.level("pool_size", held);
            engine.level("pool_cached", held);
            engine.remove("pool_cached", held);
        }
        stats.add(new HostStats("peers", "peers@")).max(7);
        TlsStats tls = stats.add(new TlsStats("listener", "in", "protocol", "alert"));
        stats.add(new ClusterStats("app")).count(ClusterMetric.RETRIES, "reset");
        tls.established(3_000_000, false);
        tls.failed("alert");
        tls.reloaded(true);
        tls.reloaded(false);
        tls.reloaded(false);
        // the same listener once more, which goes on with these
        assertThat(stats.add(new TlsStats("listener", "in", "protocol", "alert")))
                .isSameAs(tls);
        tls.tell(2_000_000_000L, true);
        stats.add(new TlsStats("cluster", "app", "protocol", "alert")).tell(0, false);
        stats.add(new AdmissionStats("in")).tell(7);
        stats.add(RateLimitTable.row("in", "each"));
        stats.add(new ProxyHeaderStats("in")).taken(true);
        stats.add(GrpcMethodTable.row("in", "OK"));
        stats.add(new GrpcStats("in", "OK")).increment(GrpcMetric.CALLS, "OK");
        Http2Stats http2 = stats.add(new Http2Stats("in", "resets"));
        http2.increment(Http2Metric.CONNECTIONS);
        http2.increment(Http2Metric.STREAMS);
        http2.increment(Http2Metric.ABUSE, "resets");
        stats.add(new BackendHttp2Stats("app", "http2")).reset(true);
        stats.add(new TraceStats()).count(TraceStats.EXPORTED, 3);
        stats.add(MirrorTable.row("in"));
        stats.add(FaultTable.row("in"));
        stats.add(new DetectStats("in"));
        AnnounceStats announced = stats.add(new AnnounceStats("in"));
        announced.entered();
        announced.left();
        announced.entered();
        stats.add(new NamingStats("app", "dns", "dns:app:80")).answered(NamingStats.BOUND, 3, 1_000_999);
        for (int loop = 0; loop < 2; loop++) {
            ListenerStats in = stats.add(new ListenerStats("in", LABELS));
            stats.add(new ListenerStats("out \"x\\y\"\n", LABELS));
            in.add(ListenerMetric.EXCHANGES_STARTED, loop == 0 ? 10 : 5);
            in.add(ListenerMetric.EXCHANGES_FINISHED, 6);
            in.add(ListenerMetric.FRONTEND_ACCEPTED, 3);
            in.add(ListenerMetric.FRONTEND_CLOSED, 1);
            for (int i = loop; i < 6; i++) {
                in.responded(200 + i);
            }
            in.increment(ListenerMetric.FAILURES, "no-route");
            in.record(ListenerMetric.PROXY_TIME, 100_000);
            EndpointStats endpoint = stats.add(new EndpointStats("app", "[::1]:80"));
            endpoint.add(EndpointMetric.OPENED, loop == 0 ? 4 : 2);
            endpoint.add(EndpointMetric.CLOSED, loop == 0 ? 1 : 0);
            endpoint.increment(EndpointMetric.IDLE);
            endpoint.add(EndpointMetric.POOL_EXHAUSTED, loop);
            endpoint.increment(EndpointMetric.OUTCOMES, loop == 0 ? "success" : "ignored");
            stats.add(new LoopStats("loop-" + loop)).record(LoopMetric.LAG, 1_000_000);
        }
    }
}
