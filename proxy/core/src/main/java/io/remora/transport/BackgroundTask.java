package io.remora.transport;

/** Work of an event loop that can wait; see {@link Loop#background}. */
public interface BackgroundTask {
    /** Does a little of it, on the loop; tells whether there is more. */
    boolean step();
}
