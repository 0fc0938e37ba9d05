package io.remora;

import io.remora.engine.Cluster;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes one loop's share of the clusters and the snapshots of a next configuration, while the loop carries traffic.
 *
 * <p>Owner: the event loop. Bounds: a turn ends behind the first cluster or snapshot after {@value #TURN_NS} ns.
 */
final class Preparation implements Runnable {
    private static final long TURN_NS = 1_000_000;
    private static final long REST_MS = 1;

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
    public void run() {
        boolean more;
        try {
            more = work(System.nanoTime());
        } catch (RuntimeException | Error e) {
            failure = e;
            more = false;
        }
        if (more) {
            // a task that is executed anew would come before what is readable
            loop().eventLoop().schedule(this, REST_MS, TimeUnit.MILLISECONDS);
        } else {
            ready.countDown();
        }
    }

    private Loop loop() {
        return path.loops().get(index);
    }

    /** Tells whether there is more to do. */
    private boolean work(long beganNs) {
        while (names.hasNext()) {
            String name = names.next();
            byName.put(name, after.on(name, loop()));
            if (System.nanoTime() - beganNs >= TURN_NS) {
                return true;
            }
        }
        while (changes.hasNext()) {
            prepare(changes.next());
            if (System.nanoTime() - beganNs >= TURN_NS) {
                return true;
            }
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
