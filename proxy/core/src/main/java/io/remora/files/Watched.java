package io.remora.files;

/** Files that {@link FileWatch} looks after. Owner: the thread that looks. */
public interface Watched {
    /** Time between looks at files that stay as they are. */
    long LOOK_NS = 1_000_000_000L;

    /**
     * Looks at the files, and does what is due; may block.
     *
     * @return how soon to look again
     */
    long look(long nowNs, long nowMs);

    /** Returns the owner of the files, for a log line. */
    String name();
}
