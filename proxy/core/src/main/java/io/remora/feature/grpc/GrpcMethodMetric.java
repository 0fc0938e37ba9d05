package io.remora.feature.grpc;

import static io.remora.metrics.Family.counter;

import io.remora.metrics.Family;
import io.remora.metrics.Metric;

/** The metrics of gRPC calls for each configured method, one line per family. */
enum GrpcMethodMetric implements Metric {
    CALLS(counter("remora_grpc_method_calls_total", "gRPC calls that ended, by method and status.")
            .by("grpc_status"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    GrpcMethodMetric(Family family) {
        this.family = family.within("listener", "grpc_method");
    }

    @Override
    public Family family() {
        return family;
    }
}
