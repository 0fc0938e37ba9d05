package io.remora.admin;

/** Events of a recording as lines of JSON, which wait for a client. Thread safe. */
public interface EventLines extends AutoCloseable {
    /** Returns the lines that have come since the last call, and forgets them; empty for none. */
    byte[] take();

    /** Returns whether no further events are recorded. The last ones may still come within a second or two. */
    boolean isOver();

    /** Returns whether the reader has ended although events are still recorded. */
    boolean isBroken();

    /** Returns the number of lines that were taken. */
    long taken();

    /** Returns the number of events that were dropped, as too many lines waited or they were too old. */
    long dropped();

    @Override
    void close();
}
