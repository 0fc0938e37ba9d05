package io.remora.admin;

import io.netty.util.concurrent.ScheduledFuture;
import io.remora.dashboard.LivePage;
import io.remora.log.Log;
import io.remora.metrics.LatencyTotals;
import io.remora.metrics.RunState;
import io.remora.metrics.Stats;
import io.remora.transport.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The viewers of the dashboard, which share one reading of its numbers every {@value LivePage#PERIOD} seconds. Without a
 * viewer, no timer runs.
 *
 * <p>Owner: the admin thread. Bounds: {@value #MOST} viewers.
 */
final class Viewers implements Runnable {
    static final int MOST = 4;
    /** Time between two readings. */
    static final long PERIOD_NS = LivePage.PERIOD * 1_000_000_000L;

    private final Stats stats;
    private final LatencyTotals totals;
    private final Supplier<RunState> state;
    private final long stepNs;
    private final long periodNs;
    private final List<Viewer> open = new ArrayList<>(MOST);
    private @Nullable LivePage page;
    private @Nullable ScheduledFuture<?> timer;

    /**
     * @param stepNs that a viewer has to read an event
     * @param periodNs from one reading to the next
     */
    Viewers(Stats stats, LatencyTotals totals, Supplier<RunState> state, long stepNs, long periodNs) {
        this.stats = stats;
        this.totals = totals;
        this.state = state;
        this.stepNs = stepNs;
        this.periodNs = periodNs;
    }

    /** Returns whether a further viewer has no place. */
    boolean isFull() {
        dropClosed();
        return open.size() >= MOST;
    }

    /** Adds a viewer on a connection. Order: only where there is room. */
    void add(Link link, long leftNs) {
        LivePage shown = page;
        if (shown == null) {
            shown = new LivePage(stats, totals, state.get(), System.nanoTime(), System.currentTimeMillis());
            page = shown;
            timer = link.channel().eventLoop().scheduleWithFixedDelay(this, periodNs, periodNs, TimeUnit.NANOSECONDS);
        }
        Viewer viewer = new Viewer(link, stepNs, leftNs);
        link.channel().pipeline().addLast(viewer);
        viewer.begin(shown.whole(System.currentTimeMillis()));
        open.add(viewer);
    }

    /** Sends what has changed; ends the readings with the last viewer. */
    @Override
    public void run() {
        LivePage shown = page;
        if (shown == null) {
            return;
        }
        dropClosed();
        if (open.isEmpty()) {
            end(shown);
            return;
        }
        try {
            send(shown);
        } catch (RuntimeException | Error e) {
            // a timer that throws does not run again, and the watch would go on
            Log.warn("dashboard: reading failed; closing its viewers: " + e);
            for (Viewer each : open) {
                each.close();
            }
            end(shown);
        }
    }

    private void send(LivePage shown) {
        shown.read(state.get(), System.nanoTime());
        long nowMs = System.currentTimeMillis();
        String changes = shown.changes(nowMs);
        for (Viewer each : open) {
            each.send(each.isBehind() ? shown.whole(nowMs) : changes);
        }
    }

    private void dropClosed() {
        for (int i = open.size() - 1; i >= 0; i--) {
            if (!open.get(i).isOpen()) {
                open.remove(i);
            }
        }
    }

    private void end(LivePage shown) {
        shown.end();
        page = null;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
