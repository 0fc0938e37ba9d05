package io.remora.metrics;

import io.remora.feature.fault.FaultTable;
import io.remora.feature.grpc.GrpcMethodTable;
import io.remora.feature.mirror.MirrorTable;
import io.remora.feature.ratelimit.RateLimitTable;
import io.remora.http.Failure;
import io.remora.http.GrpcStatus;
import io.remora.http2.Http2FrontendProtocol;
import io.remora.tls.TlsFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Every line of every table, in the order of docs/metrics.md. */
final class Tables {
    private static final String LISTENERS = "listeners[].";
    private static final String ROUTES = LISTENERS + "routes[].";
    private static final String CLUSTERS = "clusters.NAME.";
    private static final List<String> SPEAK_HTTP2 =
            List.of(LISTENERS + "protocol: http2", LISTENERS + "protocol: auto", LISTENERS + "protocol: detect");

    /** The library that the JVM of a unit test does not find; CompilerStateIT has its metrics. */
    private static final String LIBRARY = "`libremora.so` and JDK 17";

    /** The lines that need more than their table, and that. */
    static final Map<ProcessMetric, String> NEEDS = Map.of(
            ProcessMetric.ACCESS_LOG_DROPPED,
            "`access-log`",
            ProcessMetric.ACCESS_LOG_SKIPPED,
            "`access-log`",
            ProcessMetric.MEMORY_USAGE,
            "a memory limit",
            ProcessMetric.COMPILER_ON,
            LIBRARY,
            ProcessMetric.COMPILER_STOPS,
            LIBRARY,
            ProcessMetric.CODE_CACHE_FAILURES,
            LIBRARY,
            ProcessMetric.COMPILED_METHODS,
            LIBRARY);

    private Tables() {}

    /**
     * A table as the page has it.
     *
     * @param source the file of its enum, whose comment says what it is of
     * @param keys any of which, with its value if one is given, makes a row of it; none for a table that each sidecar has
     * @param values of the label that its counting class alone knows
     */
    record Group(String title, String source, List<String> keys, List<? extends Metric> lines, String... values) {}

    static List<Group> groups() {
        return List.of(
                group("Listeners", ListenerMetric.values(), List.of(), Failure.labels()),
                group("Event loops", LoopMetric.values(), List.of()),
                group("Endpoints", EndpointMetric.values(), List.of()),
                group(
                        "Retries, hedges and ejection",
                        ClusterMetric.values(),
                        List.of(
                                CLUSTERS + "retries",
                                ROUTES + "retries",
                                ROUTES + "hedge",
                                CLUSTERS + "accrual",
                                CLUSTERS + "health-check")),
                group("Adaptive admission", AdmissionMetric.values(), List.of(LISTENERS + "admission.adaptive")),
                new Group(
                        "Rate limits",
                        "feature/ratelimit/RateLimitMetric.java",
                        List.of(LISTENERS + "rate-limits", ROUTES + "rate-limits"),
                        RateLimitTable.lines()),
                group(
                        "TLS",
                        TlsMetric.values(),
                        List.of(LISTENERS + "tls", CLUSTERS + "tls", "admin.tls"),
                        Arrays.stream(TlsFailure.values())
                                .map(TlsFailure::label)
                                .toArray(String[]::new)),
                group("Endpoint sources", NamingMetric.values(), List.of(CLUSTERS + "resolver", CLUSTERS + "dest")),
                group("Templates", HostMetric.values(), List.of(CLUSTERS + "template")),
                group("Engine of Finagle", EngineMetric.values(), List.of("engine: finagle")),
                group("Announcements", AnnounceMetric.values(), List.of(LISTENERS + "announce")),
                group("PROXY protocol", ProxyHeaderMetric.values(), List.of(LISTENERS + "proxy-protocol")),
                group("HTTP/2 of clients", Http2Metric.values(), SPEAK_HTTP2, Http2FrontendProtocol.reasons()),
                group("Protocol detection", DetectMetric.values(), List.of(LISTENERS + "detect")),
                group("gRPC", GrpcMetric.values(), SPEAK_HTTP2, GrpcStatus.labels()),
                new Group(
                        "gRPC methods",
                        "feature/grpc/GrpcMethodMetric.java",
                        List.of(LISTENERS + "grpc"),
                        GrpcMethodTable.lines(),
                        GrpcStatus.labels()),
                new Group(
                        "Mirrors", "feature/mirror/MirrorMetric.java", List.of(ROUTES + "mirror"), MirrorTable.lines()),
                group(
                        "HTTP/2 to endpoints",
                        BackendHttp2Metric.values(),
                        List.of(
                                CLUSTERS + "protocol: http2",
                                CLUSTERS + "protocol: auto",
                                CLUSTERS + "protocol: client")),
                group("Traces", TraceMetric.values(), List.of("tracing")),
                group(
                        "TLS handshake times",
                        TlsTimeMetric.values(),
                        List.of(LISTENERS + "tls", CLUSTERS + "tls", "admin.tls")),
                new Group(
                        "Fault injection",
                        "feature/fault/FaultMetric.java",
                        List.of(ROUTES + "fault"),
                        FaultTable.lines()),
                group("Process and JVM", ProcessMetric.values(), List.of()));
    }

    private static Group group(String title, Metric[] lines, List<String> keys, String... values) {
        String source = "metrics/" + lines[0].getClass().getSimpleName() + ".java";
        return new Group(title, source, keys, List.of(lines), values);
    }

    /** True for a metric that a JVM without the native library lacks. */
    static boolean needsLibrary(Metric metric) {
        return metric instanceof ProcessMetric own && LIBRARY.equals(NEEDS.get(own));
    }

    static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        groups().forEach(group -> all.addAll(group.lines()));
        return all;
    }
}
