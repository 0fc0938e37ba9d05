package io.remora.feature;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.FeaturePart;
import io.remora.exchange.ListenerLoop;
import io.remora.metrics.Stats;
import java.util.List;

/**
 * An optional part of the sidecar, a listener, a route or a cluster, whose classes stand in one package: its keys and rules, the stages and filters that it adds to the path of a request,
 * its table of counters, its heap, and the work that outlives a request. {@link FeatureList} lists each once. A sidecar without it loads
 * nothing of its package; this is an interface because the verifier loads no implementation of one.
 *
 * <p>Immutable: what a feature keeps is a {@link Keeper.Kept} for the process, or a {@link io.remora.exchange.LoopPart} for one listener on
 * one event loop. Its counters are rows that it adds to {@link Stats}.
 */
public interface Feature extends FeaturePart {
    /** Adds its stages for one listener on one event loop, each at a slot. */
    default void add(ListenerConfig listener, Keeper keeper, StagePath path) {}

    /** Makes the part that it keeps of a listener on one event loop, before the stages that need it. */
    default void join(ListenerConfig listener, ListenerLoop onLoop, Stats stats) {}

    /** Makes what the event loops share of a listener, before the first of them asks for it; the caller holds it until each has. */
    default void prepare(ListenerConfig listener, Keeper keeper, List<Object> held) {}

    /** Returns the heap that a listener takes as long as it is configured, in bytes. */
    default long heapBytes(ListenerConfig listener) {
        return 0;
    }

    /** Returns the part of it that a running listener goes on to take, though the next configuration does not count it. */
    default long heapBytesBeside(ListenerConfig listener, ProxyConfig next) {
        return heapBytes(listener);
    }
}
