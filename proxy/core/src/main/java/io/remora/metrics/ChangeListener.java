package io.remora.metrics;

/** Receiver of the sidecar's rare changes of state, for a recorder. Thread safe; no method blocks. */
public interface ChangeListener {
    /**
     * An endpoint is out of use.
     *
     * @param reason label of the metric
     * @param forNs time until it is tried again, -1 where its checks decide
     */
    void ejected(String cluster, String endpoint, String reason, long forNs);

    /**
     * The stage of memory pressure has changed.
     *
     * @param fillPerMille reserved share of the fullest loop's grants
     * @param usedBytes memory charged to the limit, negative where that is unknown
     */
    void pressed(String before, String now, int fillPerMille, long usedBytes);

    /**
     * A reload has ended.
     *
     * @param generation number of the configuration that holds now
     */
    void reloaded(boolean taken, long generation);
}
