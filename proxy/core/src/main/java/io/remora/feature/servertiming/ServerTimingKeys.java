package io.remora.feature.servertiming;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;

/** The key of listeners that switches Server-Timing on. */
public final class ServerTimingKeys {
    /**
     * Adds to the Server-Timing field of responses the time in the proxy so far and the wait for the backend. The times
     * are in milliseconds, behind those of the backend itself. It is off because clients see it. See
     * [logs.md](logs.md#server-timing).
     */
    public static final Key SERVER_TIMING = Key.text(ListenerKeys.LISTENERS, ServerTiming.NAME, "switch", "false");

    private ServerTimingKeys() {}
}
