package io.remora.feature.tracing;

import io.remora.engine.Cluster;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/** Receiver of spans. Thread safe. */
public interface Collector {
    /** The loop's way to the cluster of this name as the configuration has it now; null where it has none. */
    @Nullable
    Cluster cluster(String name, Loop loop);
}
