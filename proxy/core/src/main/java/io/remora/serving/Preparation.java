package io.remora.serving;

import io.remora.engine.Cluster;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.transport.Chore;
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
final class Preparation implements Chore {
    private final DataPath path;
    private final int index;
    private final Iterator<Replacement.Change> changes;
    private final Clusters after;
    private final Iterator<String> names;
    private final long number;
    private final CountDownLatch ready;
    private final Map<String, Cluster> byName = new HashMap<>();
    private @Nullable Throwable failure;

    Preparation(
            DataPath path,
            int index,
            List<Replacement.Change> changes,
            Clusters after,
            long number,
            CountDownLatch ready) {
        this.path = path;
        this.index = index;
        this.changes = changes.iterator();
        this.after = after;
        this.names = after.names().iterator();
        this.number = number;
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

    /** Tells whether there is more to do. */
    private boolean makeOne() {
        if (names.hasNext()) {
            String name = names.next();
            byName.put(name, after.on(name, path.loops().get(index)));
            return true;
        }
        if (changes.hasNext()) {
            prepare(changes.next());
            return true;
        }
        return false;
    }

    private void prepare(Replacement.Change change) {
        ListenerLoop onLoop = change.onLoops.get(index);
        ListenerSnapshot made = path.snapshot(change.config, change.router, byName, onLoop, number);
        change.snapshots[index] = made;
        if (change.kept == null) {
            // nobody goes by it yet
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
