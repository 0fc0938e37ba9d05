package io.remora.tls;

import io.remora.log.Log;
import io.remora.metrics.TlsStats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The material of one listener or cluster as it goes with its files: looks whether they have changed, reads them all when
 * they have come to rest, and takes what they say for handshakes from then on, or keeps what it has where that cannot be
 * used.
 *
 * <p>Owner: who makes it, then the thread that looks. Cost: a system call for each file and look.
 */
final class Rotation {
    /** Between looks at files that stay as they are. With what follows, a new certificate is shown in two seconds. */
    static final long LOOK_NS = 1_000_000_000L;

    /** So long must nothing change before files are read: what is half written is not for judging. */
    private static final long QUIET_NS = 500_000_000L;

    /** So long may files that do not fit together become a whole, since some writers write one after the other. */
    private static final long PATIENCE_NS = 2_000_000_000L;

    /** Between further tries, as what went wrong may have been no fault of the files. */
    private static final long RETRY_NS = 60_000_000_000L;

    private final TlsMaterial.Source source;
    private final TlsHandshake handshake;
    private final TlsStats stats;
    private final Path[] files;
    /** Of what is in use. */
    private FileStamp[] taken;

    /** Of what is there now, where that is something else, and since when; null where it is not. */
    private FileStamp @Nullable [] changed;

    private long changedNs;
    private long nextTryNs;
    /** Whether it has been counted that they cannot be used. */
    private boolean refused;

    /** What the log has been told of that last. */
    private String why = "";

    private TlsMaterial used;

    /**
     * @param files as {@link #files} has them
     * @param stamps of the files, from before they were read
     * @param used what was read then
     */
    Rotation(
            TlsMaterial.Source source,
            Path[] files,
            FileStamp[] stamps,
            TlsMaterial used,
            TlsHandshake handshake,
            TlsStats stats) {
        this.source = source;
        this.files = files.clone();
        this.taken = stamps.clone();
        this.used = used;
        this.handshake = handshake;
        this.stats = stats;
    }

    static Path[] files(TlsMaterial.Source source) {
        List<String> paths = source.paths();
        Path[] files = new Path[paths.size()];
        for (int i = 0; i < files.length; i++) {
            files[i] = Path.of(paths.get(i));
        }
        return files;
    }

    /**
     * Looks at the files, and does what is due; may block.
     *
     * @return how soon to look again
     */
    long look(long nowNs, long nowMs) {
        used.warn(nowMs);
        FileStamp[] now = FileStamp.of(files);
        FileStamp[] before = changed;
        if (FileStamp.areSame(now, taken)) {
            changed = null;
            why = "";
            return LOOK_NS;
        }
        if (before == null || !FileStamp.areSame(now, before)) {
            changed = now;
            changedNs = nowNs;
            nextTryNs = nowNs + QUIET_NS;
            refused = false;
        } else if (nowNs - nextTryNs >= 0) {
            tryThem(now, nowNs, nowMs);
        }
        return refused || changed == null ? LOOK_NS : QUIET_NS;
    }

    private void tryThem(FileStamp[] now, long nowNs, long nowMs) {
        String problem;
        try {
            take(now, nowMs);
            return;
        } catch (IOException e) {
            problem = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error e) {
            problem = source.name() + ": " + e;
        }
        if (nowNs - changedNs < PATIENCE_NS) {
            nextTryNs = changedNs + PATIENCE_NS;
            return;
        }
        nextTryNs = nowNs + RETRY_NS;
        if (!refused) {
            refused = true;
            stats.reloaded(false);
        }
        if (!problem.equals(why)) {
            why = problem;
            Log.warn(problem + "; its changed files are refused, and those before stay in use");
        }
    }

    private void take(FileStamp[] now, long nowMs) throws IOException {
        TlsMaterial next = source.read();
        String worse = next.worseThan(used, nowMs);
        if (worse != null) {
            next.context().release();
            throw new MaterialException(worse);
        }
        if (FileStamp.areSame(now, FileStamp.of(files))) {
            taken = now;
            changed = null;
            why = "";
            use(next, nowMs);
        } else {
            // some may have been read before the change, and others behind it
            next.context().release();
        }
    }

    private void use(TlsMaterial next, long nowMs) {
        handshake.replace(next.context());
        used = next;
        stats.expires(next.expiresSeconds());
        stats.tellLists(next.listsExpireSeconds());
        stats.reloaded(true);
        Log.info(source.name() + ": goes by its changed files from now on");
        next.tell(nowMs);
    }

    String name() {
        return source.name();
    }
}
