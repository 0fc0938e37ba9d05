package io.remora.metrics;

import static io.remora.metrics.Family.counter;

/** The metrics of gRPC for each listener with HTTP/2, one line per family. */
public enum GrpcMetric implements Metric {
    CALLS(counter("remora_grpc_calls_total", "gRPC calls that ended, by status; none for responses without one.")
            .by("grpc_status"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    GrpcMetric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
