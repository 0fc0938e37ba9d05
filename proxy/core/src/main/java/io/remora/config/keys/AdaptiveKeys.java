package io.remora.config.keys;

import io.remora.config.model.Limits;

/** The keys of a listener's {@code admission.adaptive}, in the order of the page. Loaded only where they are configured. */
public final class AdaptiveKeys {
    /** The least value of the bound. So few requests at once always pass, however slow the backend is. */
    public static final Key MIN = Key.count(ListenerKeys.ADAPTIVE, "min", 1, Key.MAX_COUNT, 10);

    /** The bound's first and greatest value; by default {@code limits.in-flight}. */
    public static final Key MAX = Key.count(
            ListenerKeys.ADAPTIVE, "max", "`min` to `limits.in-flight`", 1, Key.MAX_COUNT, Limits.IN_FLIGHT_BY_DEFAULT);

    /**
     * Per cent by which responses may be slower than those of a backend without load. At 100, half of a response's time
     * is spent in a queue: a pool of threads is busy and its queue is short. Less costs throughput, and more costs
     * latency.
     */
    public static final Key TOLERANCE = Key.count(ListenerKeys.ADAPTIVE, "tolerance", 10, 1_000, 100);

    private AdaptiveKeys() {}
}
