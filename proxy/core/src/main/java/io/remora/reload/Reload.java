package io.remora.reload;

import io.remora.admin.ReloadOutcome;
import io.remora.check.Overrides;
import io.remora.serving.ProcessFiles;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reloads of the configuration on request, and whenever its file changes if that is watched.
 *
 * <p>Thread safe: one attempt at a time, on a thread of its own that ends with the last of them. A request during an attempt
 * gets the outcome of the next, as the file may have changed since this one read it. Bounds: those who wait are connections to the admin
 * listener, which are bounded. Cost: loaded by the first reload.
 */
public final class Reload implements Runnable {
    private final ReloadAttempts attempts;
    private final WatchedConfig watched;

    /** Below: under the lock. */
    private List<ReloadOutcome> waiting = new ArrayList<>();

    private boolean asked;
    private boolean running;

    /**
     * @param file as the command line names it
     * @param chosen by the command line, null for nothing
     */
    public Reload(Reloadable proxy, ProcessFiles files, String file, @Nullable Overrides chosen) {
        this.attempts = new ReloadAttempts(proxy, files, file, chosen);
        this.watched = new WatchedConfig(attempts, files, file);
    }

    /** Watches the file if the configuration wants that. */
    public void watch() {
        watched.follow();
    }

    /** Asks for an attempt; returns at once. */
    public synchronized void ask(@Nullable ReloadOutcome then) {
        if (!running) {
            Thread thread = new Thread(this, "remora-reload");
            thread.setDaemon(true);
            // it waits for this lock; where there can be no thread, the next who asks tries again
            thread.start();
            running = true;
        }
        asked = true;
        if (then != null) {
            waiting.add(then);
        }
    }

    @Override
    public void run() {
        boolean ended = false;
        try {
            for (List<ReloadOutcome> askers = take(); askers != null; askers = take()) {
                ReloadAttempts.Result told = attempts.attempt();
                watched.follow();
                for (ReloadOutcome one : askers) {
                    one.told(told.status(), told.text());
                }
            }
            ended = true;
        } finally {
            if (!ended) {
                // else no other attempt would ever begin
                fallen();
            }
        }
    }

    private synchronized void fallen() {
        running = false;
    }

    /** Null where nobody has asked since the last one, and the thread is to end. */
    private synchronized @Nullable List<ReloadOutcome> take() {
        if (!asked) {
            running = false;
            return null;
        }
        asked = false;
        List<ReloadOutcome> askers = waiting;
        waiting = new ArrayList<>();
        return askers;
    }
}
