package io.remora.feature.fault;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;

/** The keys of a route's {@code fault}, in the order of the page. Loaded only where a route has one. */
public final class FaultKeys {
    public static final String NAME = "fault";

    /**
     * Injects delays and errors into the requests of this route. Use it to test clients, never for production traffic.
     * See [fault.md](fault.md).
     */
    public static final Key FAULT = Key.mappingOrOff(ListenerKeys.ROUTES, NAME);

    /** Delay before a request is forwarded, limited by {@code max-delay}. */
    public static final ValueKey<Long> DELAY = Key.durationOrOffNs(FAULT, "delay");

    /** Percentage of the requests of this route to delay. */
    public static final ValueKey<Integer> DELAY_PERCENT = Key.count(FAULT, "delay-percent", 0, 100, 100);

    /**
     * Status of the response for aborted requests, which are not forwarded. gRPC calls get the corresponding gRPC
     * status.
     */
    public static final Key ABORT = Key.text(FAULT, "abort", "200 to 599, or off", Key.OFF);

    /** Status for aborted gRPC calls, instead of the one that corresponds to {@code abort}. */
    public static final Key ABORT_GRPC = Key.text(FAULT, "abort-grpc", "name, such as `unavailable`, or off", Key.OFF);

    /** Percentage of the requests of this route to abort. A request can be delayed before it is aborted. */
    public static final ValueKey<Integer> ABORT_PERCENT = Key.count(FAULT, "abort-percent", 0, 100, 100);

    /**
     * Allows all clients of this route to select faults with Envoy fields, such as {@code x-envoy-fault-delay-request}.
     */
    public static final Choice<Boolean> HEADERS = Key.flag(FAULT, "headers", false);

    /** Maximum delay. Longer requested delays are reduced to this value. */
    public static final ValueKey<Long> MAX_DELAY = Key.durationNs(FAULT, "max-delay", 10_000_000_000L);

    /**
     * Maximum number of concurrent delays per listener and event loop. If it is reached, requests are not delayed. Each
     * delay holds a request and its connection.
     */
    public static final ValueKey<Integer> MAX_ACTIVE = Key.count(FAULT, "max-active", 1, Key.MAX_COUNT, 100);

    private FaultKeys() {}
}
