package io.remora.transport;

/**
 * One moment by which its owner wants something to have happened; setting it is a field write.
 *
 * <p>Owner: its event loop.
 */
public final class Deadline {
    static final long NEVER = Long.MAX_VALUE;

    private final Deadlines deadlines;
    final Expirable owner;
    long atNs = NEVER;
    /** Set where it expires at its own time, and not at that of the others. */
    boolean single;

    int slot = -1;

    Deadline(Deadlines deadlines, Expirable owner) {
        this.deadlines = deadlines;
        this.owner = owner;
    }

    /** Expires {@code afterNs} from now, instead of the time set before; {@link Long#MAX_VALUE} is never. */
    public void set(long afterNs) {
        atNs = afterNs == NEVER ? NEVER : deadlines.after(afterNs);
        single = false;
    }

    /** Expires {@code afterNs} from now, a time that says nothing of later ones, such as the rest of a longer one. */
    public void setOnce(long afterNs) {
        atNs = deadlines.once(afterNs);
        single = true;
    }

    /** Does the same for a caller that has just read the clock. */
    public void setOnce(long afterNs, long nowNs) {
        atNs = deadlines.once(afterNs, nowNs);
        single = true;
    }

    /** Expires {@code afterNs} from now at the latest; returns whether that is sooner than it would have. */
    public boolean hurry(long afterNs) {
        long latestNs = deadlines.once(afterNs);
        boolean sooner = latestNs < atNs;
        if (sooner) {
            atNs = latestNs;
            single = true;
        }
        return sooner;
    }

    /** Returns the time at which it expires, {@link Long#MAX_VALUE} for never. */
    public long atNs() {
        return atNs;
    }

    public void clear() {
        atNs = NEVER;
    }

    /** Removes it for good: the owner is gone. */
    public void cancel() {
        deadlines.remove(this);
    }

    /** Owner of a deadline. */
    public interface Expirable {
        /** The deadline has passed and is cleared; set it again to be called again. */
        void onDeadline();
    }
}
