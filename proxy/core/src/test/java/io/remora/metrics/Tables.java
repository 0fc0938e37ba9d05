package io.remora.metrics;

import io.remora.feature.fault.FaultTable;
import io.remora.feature.grpc.GrpcMethodTable;
import io.remora.feature.mirror.MirrorTable;
import io.remora.feature.ratelimit.RateLimitTable;
import java.util.ArrayList;
import java.util.List;

/** Every line of every table, in the order of docs/metrics.md. */
final class Tables {
    private Tables() {}

    static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        all.addAll(List.of(ListenerMetric.values()));
        all.addAll(List.of(LoopMetric.values()));
        all.addAll(List.of(EndpointMetric.values()));
        all.addAll(List.of(ClusterMetric.values()));
        all.addAll(List.of(AdmissionMetric.values()));
        all.addAll(RateLimitTable.lines());
        all.addAll(List.of(TlsMetric.values()));
        all.addAll(List.of(NamingMetric.values()));
        all.addAll(List.of(HostMetric.values()));
        all.addAll(List.of(EngineMetric.values()));
        all.addAll(List.of(AnnounceMetric.values()));
        all.addAll(List.of(ProxyHeaderMetric.values()));
        all.addAll(List.of(Http2Metric.values()));
        all.addAll(List.of(DetectMetric.values()));
        all.addAll(List.of(GrpcMetric.values()));
        all.addAll(GrpcMethodTable.lines());
        all.addAll(MirrorTable.lines());
        all.addAll(List.of(BackendHttp2Metric.values()));
        all.addAll(List.of(TraceMetric.values()));
        all.addAll(List.of(TlsTimeMetric.values()));
        all.addAll(FaultTable.lines());
        all.addAll(List.of(ProcessMetric.values()));
        return all;
    }
}
