package io.remora.admin;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Control of the flight recorder, for its admin pages. Thread safe; a method but {@link #state} may take a second. */
public interface Recorder {
    /**
     * Memory that a recording may take: 8 MiB of complete chunks and 12 MiB of another one where their directory is in
     * memory, and 10 MiB of buffers, with some room for code.
     */
    long ROOM_BYTES = 32 << 20;

    /** Returns the state of the recording, one value per line. Waits for no lock. */
    String state();

    /**
     * Starts a recording, which replaces the one before.
     *
     * @param settings name of the settings: {@code remora}, {@code default} or {@code profile}
     * @param durationMs after which it stops
     * @param slowMs the bound above which exchanges are recorded
     * @throws IllegalArgumentException if there are no such settings
     * @throws IllegalStateException if a recording is running
     * @throws IOException if the directory of the recorder cannot be written
     */
    void start(String settings, long durationMs, long slowMs) throws IOException;

    /** Stops the recording, which can still be dumped; returns false if none is running. */
    boolean stop();

    /** Stops the recording and deletes its data; returns false if there is none. */
    boolean discard();

    /**
     * Returns the recording so far in the format of JFR files. Its chunks are kept until the stream is closed.
     *
     * @throws IllegalStateException if there is no recording
     */
    InputStream dump() throws IOException;

    /**
     * Begins to read the events of the running recording as they are flushed; the result has to be closed.
     *
     * @param events names of their types; empty for those of the sidecar
     * @throws IllegalArgumentException if there is no such type, or it may hold credentials
     * @throws IllegalStateException if no recording is running
     * @throws IOException if the directory of the recorder cannot be read
     */
    EventLines follow(List<String> events) throws IOException;
}
