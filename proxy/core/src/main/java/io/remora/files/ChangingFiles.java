package io.remora.files;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Files whose content is in use: looks whether they have changed, reads them all when they have come to rest, and has what
 * they say used from then on, or what is in use kept where that cannot be used.
 *
 * <p>Owner: who makes it, then the thread that looks. Cost: a system call for each file and look.
 *
 * @param <T> what is read from them
 */
public abstract class ChangingFiles<T> implements Watched {
    /** Time in which files that do not match may become a whole, since some writers write one after the other. */
    private static final long PATIENCE_NS = 2_000_000_000L;

    /** Time between further tries, as the problem may have been none of the files. */
    private static final long RETRY_NS = 60_000_000_000L;

    private final Path[] files;
    /** Of what is in use. */
    private FileStamp[] taken;

    /** Of what is there now, where that is something else, and since when; null where it is not. */
    private FileStamp @Nullable [] changed;

    private long changedNs;
    private long nextTryNs;
    /** Whether it has been counted that they cannot be used. */
    private boolean refused;

    /** What has been told of that last. */
    private String why = "";

    /**
     * @param stamps of the files, from before they were read
     */
    protected ChangingFiles(Path[] files, FileStamp[] stamps) {
        this.files = files.clone();
        this.taken = stamps.clone();
    }

    /**
     * Reads all of them.
     *
     * @throws IOException where what they say cannot be used; the message is for a log line
     */
    protected abstract T read(long nowMs) throws IOException;

    /** Goes by what was read from now on. */
    protected abstract void use(T read, long nowMs);

    /** Another change came in between, so that what was read may be half of each. */
    protected abstract void drop(T read);

    /** What is there now cannot be used; called once for each change. */
    protected abstract void refused(IOException why);

    /** The log is to have this line; called where it is another one than the last. */
    protected abstract void tell(String problem);

    @Override
    public long look(long nowNs, long nowMs) {
        FileStamp[] now = FileStamp.of(files);
        FileStamp[] before = changed;
        if (FileStamp.areSame(now, taken)) {
            if (changed != null) {
                changed = null;
                restored();
            }
            why = "";
            return LOOK_NS;
        }
        if (before == null || !FileStamp.areSame(now, before)) {
            changed = now;
            changedNs = nowNs;
            nextTryNs = nowNs + FileStamp.QUIET_NS;
            refused = false;
        } else if (nowNs - nextTryNs >= 0) {
            tryThem(now, nowNs, nowMs);
        }
        return refused || changed == null ? LOOK_NS : FileStamp.QUIET_NS;
    }

    /** What is in use is there again. */
    protected void restored() {}

    private void tryThem(FileStamp[] now, long nowNs, long nowMs) {
        IOException problem;
        try {
            take(now, nowMs);
            return;
        } catch (IOException e) {
            problem = e;
        } catch (RuntimeException | Error e) {
            problem = new IOException(name() + ": " + e, e);
        }
        if (nowNs - changedNs < PATIENCE_NS) {
            nextTryNs = changedNs + PATIENCE_NS;
            return;
        }
        nextTryNs = nowNs + RETRY_NS;
        if (!refused) {
            refused = true;
            refused(problem);
        }
        String message = String.valueOf(problem.getMessage());
        if (!message.equals(why)) {
            why = message;
            tell(message);
        }
    }

    private void take(FileStamp[] now, long nowMs) throws IOException {
        T read = read(nowMs);
        if (FileStamp.areSame(now, FileStamp.of(files))) {
            taken = now;
            changed = null;
            why = "";
            use(read, nowMs);
        } else {
            drop(read);
        }
    }
}
