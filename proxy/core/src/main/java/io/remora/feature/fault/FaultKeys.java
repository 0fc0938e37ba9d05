package io.remora.feature.fault;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;

/** The keys of a route's {@code fault}, in the order of the page. Loaded only where a route has one. */
public final class FaultKeys {
    public static final String NAME = "fault";

    /**
     * Injects faults into the requests of this route: delays some of them, and answers some instead of an endpoint. For
     * tests of clients, never for production traffic. See [fault.md](fault.md).
     */
    public static final Key FAULT = Key.mappingOrOff(ListenerKeys.ROUTES, NAME);

    /** Time that a delayed request is held before it goes on; at most {@code max-delay}. */
    public static final ValueKey<Long> DELAY = Key.durationOrOffNs(FAULT, "delay");

    /** Per cent of the route's requests that are delayed. */
    public static final ValueKey<Integer> DELAY_PERCENT = Key.count(FAULT, "delay-percent", 0, 100, 100);

    /**
     * The status of the response that an aborted request gets instead of an endpoint's. A call of gRPC gets the status
     * that belongs to it.
     */
    public static final Key ABORT = Key.text(FAULT, "abort", "200 to 599, or off", Key.OFF);

    /** The status that an aborted call of gRPC gets instead of the one that belongs to {@code abort}. */
    public static final Key ABORT_GRPC = Key.text(FAULT, "abort-grpc", "name, such as `unavailable`, or off", Key.OFF);

    /** Per cent of the route's requests that are aborted. A request may be aborted after its delay. */
    public static final ValueKey<Integer> ABORT_PERCENT = Key.count(FAULT, "abort-percent", 0, 100, 100);

    /**
     * Lets requests select their own faults by the fields of Envoy, such as {@code x-envoy-fault-delay-request}. Any
     * client that reaches the route may do so then.
     */
    public static final Choice<Boolean> HEADERS = Key.flag(FAULT, "headers", false);

    /** The longest delay. A request that wants a longer one is delayed for this long. */
    public static final ValueKey<Long> MAX_DELAY = Key.durationNs(FAULT, "max-delay", 10_000_000_000L);

    /**
     * Delays under way for each listener on each event loop. Beyond it requests are not delayed. Each holds a request
     * and its connection.
     */
    public static final ValueKey<Integer> MAX_ACTIVE = Key.count(FAULT, "max-active", 1, Key.MAX_COUNT, 100);

    private FaultKeys() {}
}
