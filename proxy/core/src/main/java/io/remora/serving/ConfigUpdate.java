package io.remora.serving;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.exchange.ListenerLoop;
import io.remora.log.Log;
import io.remora.transport.Acceptor;
import io.remora.transport.BackgroundTask;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import java.io.IOException;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * One change of the configuration under traffic. All that can fail is done before anything changes: clusters and key material are
 * had, snapshots are made, addresses are bound.
 *
 * <p>Owner: who applies it, under the data path's lock; not an event loop, as loops are waited for. A listener is matched by its
 * name, its socket by the address: one that another listener takes over accepts without a gap.
 */
final class ConfigUpdate {
    private final Shared shared;
    private final ListenerSetup setup;
    private final Listeners listeners;
    private final MemoryRelief relief;
    private final List<Loop> loops;
    private final ProxyConfig next;
    private final Generation before;
    private final Generation after;
    private final @Nullable TraceSetup traced;
    private final List<ListenerChange> changes = new ArrayList<>();
    private final Map<String, BoundListener> old;

    /**
     * @param after the next configuration, whose clusters end where it fails
     * @param traced how it is traced, null where it is not
     */
    ConfigUpdate(
            Shared shared,
            ListenerSetup setup,
            Listeners listeners,
            MemoryRelief relief,
            Generation after,
            @Nullable TraceSetup traced) {
        this.shared = shared;
        this.setup = setup;
        this.listeners = listeners;
        this.relief = relief;
        this.loops = shared.loops();
        this.next = after.config();
        this.before = shared.current();
        this.after = after;
        this.traced = traced;
        this.old = listeners.bound();
    }

    void apply() throws IOException {
        Set<String> names = new HashSet<>();
        for (ListenerConfig listener : next.listeners()) {
            names.add(listener.name());
        }
        // made here and not on a loop, and one for all loops
        List<?> held = shared.features().prepare(next.listeners());
        listeners.claim(names);
        try {
            change();
        } finally {
            Reference.reachabilityFence(held);
            listeners.claim(Set.of());
        }
    }

    private void change() throws IOException {
        try {
            for (ListenerConfig listener : next.listeners()) {
                changes.add(change(listener));
            }
            prepare();
            takeSockets();
            bindNew();
        } catch (IOException | RuntimeException | Error e) {
            // an error as well, such as of a class that an image has not
            undo();
            throw e;
        }
        swap();
        List<ListenerDrain> retirements = settle();
        Map<String, BoundListener> all = new HashMap<>();
        for (ListenerChange change : changes) {
            all.put(change.config.name(), boundOf(change));
        }
        shared.hold(after);
        listeners.hold(all, retirements);
        relief.meet(all);
        for (ListenerDrain one : retirements) {
            one.begin();
        }
        // no exchange that begins from now on knows them
        before.drainAllBut(after);
        finishTasks();
    }

    /** Returns when each loop has done what was handed in, so that reloads in a row hand in no more than the loops can do. */
    private void finishTasks() {
        CountDownLatch done = new CountDownLatch(loops.size());
        for (Loop loop : loops) {
            loop.background(new BackgroundTask() {
                @Override
                public boolean step() {
                    done.countDown();
                    return false;
                }
            });
        }
        await(done);
    }

    private static BoundListener boundOf(ListenerChange change) {
        BoundListener bound = change.bound;
        if (bound == null) {
            throw new IllegalStateException("not bound");
        }
        return bound;
    }

    private ListenerChange change(ListenerConfig listener) throws IOException {
        BoundListener named = old.get(listener.name());
        BoundListener socket = null;
        for (BoundListener one : old.values()) {
            if (one.isBoundAs(listener)) {
                socket = one;
            }
        }
        if (named != null && named == socket && named.speaksAs(listener)) {
            return new ListenerChange(listener, named, named, named.onLoops(), named.handshake());
        }
        BoundListener like = like(listener.name());
        Handshake handshake = setup.handshake(listener);
        return new ListenerChange(listener, null, socket, setup.onLoops(listener, like), handshake);
    }

    // whose counters one of this name goes on with, null for none
    private @Nullable BoundListener like(String name) {
        BoundListener named = old.get(name);
        return named == null ? listeners.retiredAs(name) : named;
    }

    /** Each loop makes its snapshots, a little at a time. */
    private void prepare() throws IOException {
        List<SnapshotBuilder> all = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(loops.size());
        for (int i = 0; i < loops.size(); i++) {
            SnapshotBuilder one = new SnapshotBuilder(setup, loops.get(i), i, changes, after, traced, ready);
            all.add(one);
            loops.get(i).background(one);
        }
        await(ready);
        for (SnapshotBuilder one : all) {
            one.throwIfFailed();
        }
    }

    /** Prepares the listeners for sockets that stay. */
    private void takeSockets() {
        for (ListenerChange change : changes) {
            BoundListener socket = change.socket;
            if (socket != null) {
                List<Acceptor.Protocol> protocols =
                        change.kept != null ? change.kept.protocols() : setup.protocols(change.onLoops);
                change.acceptor = setup.acceptor(change.config, change.handshake, protocols);
                change.bound = new BoundListener(
                        change.config, socket.listener(), change.handshake, protocols, change.onLoops);
            }
        }
    }

    private void bindNew() throws IOException {
        for (ListenerChange change : changes) {
            if (change.socket == null) {
                if (like(change.config.name()) == null) {
                    // else one that still holds, or is on its way out, would use it
                    setup.adapt(change.onLoops.get(0).admission(), change.config);
                }
                change.bound = setup.bind(change.config, change.handshake, change.onLoops);
            }
        }
    }

    private void undo() {
        for (ListenerChange change : changes) {
            BoundListener bound = change.bound;
            if (bound != null && change.socket == null) {
                bound.listener().close();
                for (ListenerLoop onLoop : change.onLoops) {
                    onLoop.beginDrain(0);
                    onLoop.loop().eventLoop().execute(onLoop.connections()::cut);
                }
            }
            if (change.kept == null) {
                change.handshake.end();
                change.handshake.release();
            }
        }
        after.drainAllBut(before);
    }

    private void swap() {
        for (ListenerChange change : changes) {
            setup.adapt(change.onLoops.get(0).admission(), change.config);
        }
        CountDownLatch swapped = new CountDownLatch(loops.size());
        for (int i = 0; i < loops.size(); i++) {
            int loop = i;
            loops.get(i).eventLoop().execute(new Runnable() {
                @Override
                public void run() {
                    for (ListenerChange change : changes) {
                        if (change.kept != null) {
                            change.onLoops.get(loop).replace(change.snapshots[loop]);
                        }
                    }
                    swapped.countDown();
                }
            });
        }
        await(swapped);
    }

    /** Applies the next configuration to sockets that stay; returns the listeners whose connections are to end. */
    private List<ListenerDrain> settle() {
        List<ListenerDrain> retirements = new ArrayList<>();
        for (ListenerChange change : changes) {
            Acceptor acceptor = change.acceptor;
            if (acceptor != null) {
                boundOf(change).listener().settle(change.config, acceptor);
            }
        }
        for (BoundListener one : old.values()) {
            if (!isKept(one)) {
                boolean goes = !isTaken(one);
                Log.info("listener " + one.config().name() + ": draining" + (goes ? "; closing its socket" : ""));
                retirements.add(new ListenerDrain(listeners::ended, one, goes, next));
            }
        }
        return retirements;
    }

    private boolean isKept(BoundListener one) {
        for (ListenerChange change : changes) {
            if (change.kept == one) {
                return true;
            }
        }
        return false;
    }

    private boolean isTaken(BoundListener one) {
        for (ListenerChange change : changes) {
            if (change.socket == one) {
                return true;
            }
        }
        return false;
    }

    private static void await(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
