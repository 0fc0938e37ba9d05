package io.remora.admin;

import io.remora.config.model.ProxyConfig;
import io.remora.log.AccessLog;
import io.remora.metrics.ConfigState;
import io.remora.metrics.MemoryState;
import io.remora.metrics.Stats;
import org.jspecify.annotations.Nullable;

/** Controls of the running proxy for the admin listener. Thread safe; no method waits for an event loop. */
public interface ProxyControl {
    ProxyConfig config();

    /** Returns the configuration that holds now as YAML. */
    String configText();

    Stats stats();

    @Nullable
    AccessLog accessLog();

    /** Returns the state of the memory that it may take. */
    MemoryState memory();

    /** Returns the bytes that the kernel charges to the memory limit now; negative where it does not tell. */
    default long memoryUsageBytes() {
        return -1;
    }

    /** Appends the peaks of the last hours, a line each below one of names; nothing before there are any. */
    default void appendPeaks(StringBuilder text) {}

    /** Returns why the memory limit, as it is now, is too low for the configuration; null where it is not. */
    default @Nullable String memoryNotice() {
        return null;
    }

    /** Tells if every listener is bound and no drain has begun. */
    boolean ready();

    /** Stops accepting and lets exchanges in progress finish; the process stays up. Returns immediately. */
    void drain();

    /**
     * Drains inbound listeners alone, while outbound ones serve on. The sidecar is not ready from the first moment on.
     *
     * @param delayMs time before inbound listeners close, for clients that still find them; the caller waits for it
     * @return false if the sidecar is not ready yet; nothing has changed then
     */
    boolean drainInbound(long delayMs) throws InterruptedException;

    /** Returns the progress of a drain of all listeners, or of the inbound ones alone; null before that has begun. */
    @Nullable
    DrainProgress drainProgress(boolean inboundOnly);

    /** Reads the configuration file again, checks it, and applies it if it is good. Returns immediately. */
    void reload(ReloadOutcome then);

    /** Returns the flight recorder, null in images without one. */
    default @Nullable Recorder recorder() {
        return null;
    }

    /** Returns the state of its configuration. */
    ConfigState configState();

    /** Drains, then ends the process with status 0. Returns immediately. */
    void shutdown();
}
