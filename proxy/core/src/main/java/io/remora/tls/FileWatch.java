package io.remora.tls;

import io.remora.log.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the files of all listeners and clusters with TLS, on a thread of its own: a file system may be slow, or
 * hang, and neither an event loop nor the admin thread, which answers probes, may wait for one. A watch service of the JDK
 * would take a thread as well, and does not tell of a link that is turned elsewhere further up.
 *
 * <p>Thread safe. Cost: a thread where there is TLS, one wake-up a second.
 */
final class FileWatch implements Runnable, AutoCloseable {
    private static final long CLOSE_MS = 1_000;

    /** Below: under the lock. */
    private final List<Rotation> rotations = new ArrayList<>();

    private @Nullable Thread thread;
    private boolean closed;

    synchronized void add(Rotation rotation) {
        if (closed) {
            return;
        }
        rotations.add(rotation);
        if (thread == null) {
            Thread looking = new Thread(this, "remora-tls-files");
            looking.setDaemon(true);
            thread = looking;
            looking.start();
        }
    }

    synchronized void remove(Rotation rotation) {
        rotations.remove(rotation);
        if (rotations.isEmpty() && thread != null) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        for (List<Rotation> all = all(); !all.isEmpty(); all = all()) {
            long restNs = Rotation.LOOK_NS;
            for (Rotation rotation : all) {
                restNs = Math.min(restNs, look(rotation));
            }
            LockSupport.parkNanos(this, restNs);
        }
    }

    /** None where the thread is to end. */
    private synchronized List<Rotation> all() {
        if (rotations.isEmpty()) {
            thread = null;
        }
        return List.copyOf(rotations);
    }

    private static long look(Rotation rotation) {
        try {
            return rotation.look(System.nanoTime(), System.currentTimeMillis());
        } catch (RuntimeException | Error e) {
            // one's fault must not stop the others
            Log.error(rotation.name() + ": its files cannot be looked at: " + e);
            return Rotation.LOOK_NS;
        }
    }

    /** Looks no more, and returns once that is so, or soon if a file system hangs. */
    @Override
    public void close() {
        Thread looking;
        synchronized (this) {
            closed = true;
            rotations.clear();
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
