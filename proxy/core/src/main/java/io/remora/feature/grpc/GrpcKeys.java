package io.remora.feature.grpc;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;

/** The keys of a listener's {@code grpc}, in the order of the page. Loaded only where a listener has one. */
public final class GrpcKeys {
    public static final String NAME = "grpc";

    /**
     * Separate metrics for gRPC calls. Requires {@code protocol: http2} or {@code auto}. See
     * [grpc.md](grpc.md#metrics).
     */
    public static final Key GRPC = Key.mappingOrOff(ListenerKeys.LISTENERS, NAME);

    /**
     * Methods with separate metrics. All other methods are counted together as {@code other}. At most 100, because each
     * method has 18 series.
     */
    public static final Key METHODS = Key.required(GRPC, "methods", "list of paths, such as `/a.B/C`");

    private GrpcKeys() {}
}
