package io.remora.serving;

import io.remora.engine.Cluster;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.transport.BackgroundTask;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Makes one loop's share of the clusters and the snapshots of a next configuration, while the loop carries traffic.
 *
 * <p>Owner: the event loop. Bounds: a step makes one cluster or one snapshot.
 */
final class SnapshotBuilder implements BackgroundTask {
    private final ListenerSetup setup;
    private final Loop loop;
    private final int index;
    private final Iterator<ListenerChange> changes;
    private final Generation after;
    private final @Nullable TraceSetup traced;
    private final Iterator<String> names;
    private final CountDownLatch ready;
    private final Map<String, Cluster> byName = new HashMap<>();
    private @Nullable Throwable failure;

    /**
     * @param index of the loop
     * @param ready counted down when this loop's share is made, or has failed
     */
    SnapshotBuilder(
            ListenerSetup setup,
            Loop loop,
            int index,
            List<ListenerChange> changes,
            Generation after,
            @Nullable TraceSetup traced,
            CountDownLatch ready) {
        this.setup = setup;
        this.loop = loop;
        this.index = index;
        this.changes = changes.iterator();
        this.after = after;
        this.traced = traced;
        this.names = after.names().iterator();
        this.ready = ready;
    }

    @Override
    public boolean step() {
        boolean more;
        try {
            more = makeOne();
        } catch (RuntimeException | Error e) {
            failure = e;
            more = false;
        }
        if (!more) {
            ready.countDown();
        }
        return more;
    }

    /** Returns whether there is more to do. */
    private boolean makeOne() {
        if (names.hasNext()) {
            String name = names.next();
            byName.put(name, after.on(name, loop));
            return true;
        }
        if (changes.hasNext()) {
            prepare(changes.next());
            return true;
        }
        return false;
    }

    private void prepare(ListenerChange change) {
        ListenerLoop onLoop = change.onLoops.get(index);
        ListenerSnapshot made = setup.snapshot(change.config, change.router, byName, onLoop, after.number(), traced);
        change.snapshots[index] = made;
        if (change.kept == null) {
            // no exchange uses it yet
            onLoop.replace(made);
        }
    }

    /** Called when it is ready. */
    void throwIfFailed() throws IOException {
        Throwable cause = failure;
        if (cause != null) {
            throw new IOException("internal error: " + cause, cause);
        }
    }
}
