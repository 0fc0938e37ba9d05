package io.remora.feature.servertiming;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;

/** The key of listeners that switches Server-Timing on. */
public final class ServerTimingKeys {
    /**
     * Whether responses say in Server-Timing how long they took in the proxy so far and how long the backend was waited for, in
     * milliseconds, behind what the backend says there itself. It is off because clients see it. See
     * [logs.md](logs.md#server-timing).
     */
    public static final Key SERVER_TIMING = Key.text(ListenerKeys.LISTENERS, ServerTiming.NAME, "switch", "false");

    private ServerTimingKeys() {}
}
