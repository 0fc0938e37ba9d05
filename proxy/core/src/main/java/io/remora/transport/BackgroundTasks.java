package io.remora.transport;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Work of one event loop besides traffic, such as the release of parts that a reload has replaced. It does one task
 * after the other, and a little at a time, so that they hold no request up however many there are.
 *
 * <p>Owner: the event loop. Bounds: a turn ends after the first step past {@value #TURN_NS} ns. Cost: loaded by the
 * first task.
 */
final class BackgroundTasks implements Runnable {
    private static final long TURN_NS = 1_000_000;
    /**
     * Pause between turns. A task that is executed again would run before readable channels, and a timer runs after
     * them.
     */
    private static final long REST_MS = 1;

    private final Loop loop;
    private final ArrayDeque<BackgroundTask> waiting = new ArrayDeque<>();
    private boolean underWay;

    BackgroundTasks(Loop loop) {
        this.loop = loop;
    }

    /** Adds a task, which runs after the waiting ones and not within this call. */
    void add(BackgroundTask task) {
        waiting.add(task);
        if (!underWay) {
            underWay = true;
            loop.eventLoop().execute(this);
        }
    }

    @Override
    public void run() {
        long beganNs = System.nanoTime();
        while (!waiting.isEmpty()) {
            if (!hasMore(waiting.element())) {
                waiting.remove();
            }
            if (System.nanoTime() - beganNs >= TURN_NS) {
                loop.eventLoop().schedule(this, REST_MS, TimeUnit.MILLISECONDS);
                return;
            }
        }
        underWay = false;
    }

    // one that fails is over, and those after it have their turn
    private boolean hasMore(BackgroundTask task) {
        try {
            return task.step();
        } catch (RuntimeException | Error e) {
            loop.report("a chore of an event loop failed: ", e);
            return false;
        }
    }
}
