package io.remora.log;

/** Where finished exchanges are written. */
public interface AccessLog extends AutoCloseable {
    /** Never blocks and never throws: an entry that finds the queue full is dropped and counted. Any thread. */
    void log(AccessEntry entry);

    /** Entries dropped since the start. */
    long dropped();

    /** Writes out what is queued, for at most a second, and stops. */
    @Override
    void close();
}
