package io.remora.profile;

import java.io.IOException;

/** The way in which a kind of profile gets its samples. Owner: the thread of the profile. */
interface Sampling {
    /**
     * Does what is due.
     *
     * @param elapsedNs time since the profile began
     * @throws IOException if the kernel does not allow it
     */
    void at(long elapsedNs) throws IOException;

    /** Returns the time until the next turn, in which the buffer must not overflow. */
    long stepMs();

    /** Returns what a sample stands for, in nanoseconds or bytes; 0 if that differs between samples. */
    long period();

    /** Returns how the samples are taken, for a reader of the profile. */
    String method();
}
