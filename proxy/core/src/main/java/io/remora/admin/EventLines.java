package io.remora.admin;

/** Events of a recording as lines of JSON, which wait for a client. Thread safe. */
public interface EventLines extends AutoCloseable {
    /** Returns the lines that have come since the last call, and forgets them; empty for none. */
    byte[] take();

    /** Returns whether no further events are recorded. The last ones may still come within a second or two. */
    boolean isOver();

    /** Returns the number of events that became lines. */
    long count();

    /** Returns the number of events that were dropped, as too many lines waited. */
    long dropped();

    @Override
    void close();
}
