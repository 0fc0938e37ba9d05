package io.remora.log;

/** A log of finished exchanges. */
public interface AccessLog extends AutoCloseable {
    /** Never blocks and never throws: if the queue is full, the entry is dropped and counted. Called by any thread. */
    void log(AccessEntry entry);

    /**
     * Tells if an exchange has a line; called once, before its entry is made. Called by any thread.
     *
     * @param failed whether it did not end well
     */
    default boolean takes(boolean failed) {
        return true;
    }

    /** The number of exchanges left out as not in the sample since the start, -1 where all have a line. */
    default long skipped() {
        return -1;
    }

    /** The number of entries dropped since the start. */
    long dropped();

    /** Spends at most a second writing out what is queued, then stops. */
    @Override
    void close();
}
