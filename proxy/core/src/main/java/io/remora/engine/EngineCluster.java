package io.remora.engine;

import io.remora.transport.Loop;

/**
 * A cluster that an engine has taken on, for all event loops.
 *
 * <p>Thread safe. Its statistics are the engine's to register and to take out again.
 */
public interface EngineCluster extends AutoCloseable {
    /** The loop's own way to it; always the same for a loop. Called on the loop's thread or before it runs. */
    Cluster on(Loop loop);

    /**
     * Drains it, since no configuration names it any longer: exchanges in progress finish, then nothing of it is left.
     */
    void drain();

    /** Ends at once all that no exchange uses. */
    @Override
    void close();
}
