package io.remora.log;

/** A log of finished exchanges. */
public interface AccessLog extends AutoCloseable {
    /** Never blocks and never throws: if the queue is full, the entry is dropped and counted. Called by any thread. */
    void log(AccessEntry entry);

    /** The number of entries dropped since the start. */
    long dropped();

    /** Spends at most a second writing out what is queued, then stops. */
    @Override
    void close();
}
