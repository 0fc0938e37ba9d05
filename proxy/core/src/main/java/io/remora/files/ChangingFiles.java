package io.remora.files;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Files whose content is in use. It looks whether they have changed, reads them all once they rest, and has their
 * content used from then on. Where that cannot be used, the content in use is kept.
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
    /** Stamps of the content in use. */
    private FileStamp[] taken;

    /** Stamps of other content that is there now; null where there is none. */
    private FileStamp @Nullable [] changed;

    private long changedNs;
    private long nextTryNs;
    /** Set once the failure to use them has been counted. */
    private boolean refused;

    /** Text of the latest problem that was logged. */
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

    /** Uses the content that was read from now on. */
    protected abstract void use(T read, long nowMs);

    /** Drops content that was read, as another change came in between and it may be half of each. */
    protected abstract void drop(T read);

    /** Reports that the content there now cannot be used; called once for each change. */
    protected abstract void refused(IOException why);

    /** Logs a problem; called where it is another one than the last. */
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

    /** Reports that the files have the content in use again. */
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
