package io.remora.feature.servertiming;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;

/** The key of listeners that switches Server-Timing on. */
public final class ServerTimingKeys {
    /**
     * Adds the time spent in the proxy and the time waiting for the backend to the Server-Timing field of responses, in
     * milliseconds. They follow the entries of the backend. Off by default because clients can see them. See
     * [logs.md](logs.md#server-timing).
     */
    public static final Choice<Boolean> SERVER_TIMING = Key.flag(ListenerKeys.LISTENERS, ServerTiming.NAME, false);

    private ServerTimingKeys() {}
}
