package io.remora.reload;

import io.remora.config.model.ProxyConfig;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.ConfigState;
import java.io.IOException;

/** The running sidecar, as a reload sees it. Thread safe. */
public interface Reloadable {
    /** The configuration that holds now. */
    ProxyConfig config();

    ConfigState configState();

    /** Returns the division of the memory that was made at the start. */
    MemoryPlan plan();

    boolean isDraining();

    /**
     * Replaces the configuration, as far as that can be done live.
     *
     * @throws IOException where a cluster or a listener cannot be obtained; nothing has changed then
     */
    void replace(ProxyConfig next) throws IOException;

    /** Records how an attempt to replace the configuration has ended. */
    void attempted(boolean good, String text);
}
