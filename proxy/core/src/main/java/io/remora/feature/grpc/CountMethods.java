package io.remora.feature.grpc;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.GrpcStatus;
import io.remora.metrics.Stats;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Has calls of gRPC counted by their methods: each that the listener names by itself, and all others together, which clients invent. */
final class CountMethods extends Stage {
    private static final String OTHER = "other";

    private final Map<String, GrpcMethodStats> byPath = new HashMap<>();
    private final GrpcMethodStats other;

    CountMethods(String listener, List<String> methods, Stats stats) {
        for (String method : methods) {
            byPath.put(method, stats.add(new GrpcMethodStats(listener, method, GrpcStatus.labels())));
        }
        other = stats.add(new GrpcMethodStats(listener, OTHER, GrpcStatus.labels()));
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        if (exchange.isGrpcCall()) {
            GrpcMethodStats known = byPath.get(exchange.head().path());
            exchange.countCall(known == null ? other : known);
        }
        return true;
    }
}
