package io.remora.files;

import io.remora.log.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the files of listeners and clusters, on a thread of its own. A file system may be slow, or hang, and
 * neither an event loop nor the admin thread, which answers probes, may wait for one. A watch service of the JDK would
 * take a thread as well, and does not report a link that is turned elsewhere further up.
 *
 * <p>Thread safe. Cost: a thread where there are such files, one wake-up a second.
 */
public final class FileWatch implements Runnable, AutoCloseable {
    private static final long CLOSE_MS = 1_000;

    /** Below: under the lock. */
    private final List<Watched> watched = new ArrayList<>();

    private @Nullable Thread thread;
    private boolean closed;

    public synchronized void add(Watched one) {
        if (closed) {
            return;
        }
        watched.add(one);
        if (thread == null) {
            Thread looking = new Thread(this, "remora-files");
            looking.setDaemon(true);
            looking.start();
            thread = looking;
        }
    }

    public synchronized void remove(Watched one) {
        watched.remove(one);
        if (watched.isEmpty() && thread != null) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        for (List<Watched> all = all(); !all.isEmpty(); all = all()) {
            long restNs = Watched.LOOK_NS;
            for (Watched one : all) {
                restNs = Math.min(restNs, look(one));
            }
            LockSupport.parkNanos(this, restNs);
        }
    }

    /** Returns all watched files; none where the thread is to end. */
    private synchronized List<Watched> all() {
        if (watched.isEmpty()) {
            thread = null;
        }
        return List.copyOf(watched);
    }

    private static long look(Watched one) {
        try {
            return one.look(System.nanoTime(), System.currentTimeMillis());
        } catch (RuntimeException | Error e) {
            // one's fault must not stop the others
            Log.error(one.name() + ": failed to look at its files; trying again: " + e);
            return Watched.LOOK_NS;
        }
    }

    /** Looks no more, and returns once that is so, or soon if a file system hangs. */
    @Override
    public void close() {
        Thread looking;
        synchronized (this) {
            closed = true;
            watched.clear();
            looking = thread;
        }
        if (looking != null) {
            LockSupport.unpark(looking);
            try {
                looking.join(CLOSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
