package io.remora.serving;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.log.Log;
import io.remora.route.Router;
import io.remora.transport.Acceptor;
import io.remora.transport.Chore;
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
final class Replacement {
    private final DataPath path;
    private final ProxyConfig next;
    private final long number;
    private final Clusters before;
    private final Clusters after;
    private final List<Change> changes = new ArrayList<>();
    private final Map<String, BoundListener> old;

    /**
     * @param after the clusters of the next configuration, which end where it fails
     */
    Replacement(DataPath path, ProxyConfig next, Clusters after, long number) {
        this.path = path;
        this.next = next;
        this.number = number;
        this.before = path.clusters();
        this.after = after;
        this.old = path.listeners().bound();
    }

    /** What becomes of one listener of the next configuration. */
    static final class Change {
        final ListenerConfig config;
        final Router router;
        final ListenerSnapshot[] snapshots;
        /** Whose connections and loops stay, null for new ones. */
        final @Nullable BoundListener kept;
        /** Whose socket it is on, null for a new one. */
        final @Nullable BoundListener socket;

        final List<ListenerLoop> onLoops;
        final Handshake handshake;

        /** Made before anything changes; what is accepted is led by it from then on. */
        @Nullable
        Acceptor acceptor;

        @Nullable
        BoundListener bound;

        Change(
                ListenerConfig config,
                @Nullable BoundListener kept,
                @Nullable BoundListener socket,
                List<ListenerLoop> onLoops,
                Handshake handshake) {
            this.config = config;
            this.router = new Router(config.routes(), config.path());
            this.kept = kept;
            this.socket = socket;
            this.onLoops = onLoops;
            this.handshake = handshake;
            this.snapshots = new ListenerSnapshot[onLoops.size()];
        }
    }

    void apply() throws IOException {
        Set<String> names = new HashSet<>();
        for (ListenerConfig listener : next.listeners()) {
            names.add(listener.name());
        }
        // made here and not on a loop, and one for all loops
        List<?> shared = path.assembly().features().prepare(next.listeners());
        path.listeners().claim(names);
        try {
            change();
        } finally {
            Reference.reachabilityFence(shared);
            path.listeners().claim(Set.of());
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
        List<Retirement> retirements = settle();
        Map<String, BoundListener> all = new HashMap<>();
        for (Change change : changes) {
            all.put(change.config.name(), boundOf(change));
        }
        path.hold(after, number, all, retirements);
        for (Retirement one : retirements) {
            one.begin();
        }
        // no exchange that begins from now on knows them
        before.drainAllBut(after);
        finishChores();
    }

    /** Returns when each loop has done what was handed in, so that reloads in a row hand in no more than the loops can do. */
    private void finishChores() {
        CountDownLatch done = new CountDownLatch(path.loops().size());
        for (Loop loop : path.loops()) {
            loop.chore(new Chore() {
                @Override
                public boolean step() {
                    done.countDown();
                    return false;
                }
            });
        }
        await(done);
    }

    private static BoundListener boundOf(Change change) {
        BoundListener bound = change.bound;
        if (bound == null) {
            throw new IllegalStateException("not bound");
        }
        return bound;
    }

    private Change change(ListenerConfig listener) throws IOException {
        BoundListener named = old.get(listener.name());
        BoundListener socket = null;
        for (BoundListener one : old.values()) {
            if (one.isBoundAs(listener)) {
                socket = one;
            }
        }
        if (named != null && named == socket && named.speaksAs(listener)) {
            return new Change(listener, named, named, named.onLoops(), named.handshake());
        }
        BoundListener like = like(listener.name());
        Handshake handshake = path.assembly().handshake(listener, path.stats());
        return new Change(listener, null, socket, path.setup().onLoops(listener, like), handshake);
    }

    // whose counters one of this name goes on with, null for none
    private @Nullable BoundListener like(String name) {
        BoundListener named = old.get(name);
        return named == null ? path.listeners().retiredAs(name) : named;
    }

    /** Each loop makes its snapshots, a little at a time. */
    private void prepare() throws IOException {
        List<Preparation> all = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(path.loops().size());
        for (int i = 0; i < path.loops().size(); i++) {
            Preparation one = new Preparation(path, i, changes, after, number, ready);
            all.add(one);
            path.loops().get(i).chore(one);
        }
        await(ready);
        for (Preparation one : all) {
            one.throwIfFailed();
        }
    }

    /** What is to stand on sockets that stay. */
    private void takeSockets() {
        for (Change change : changes) {
            BoundListener socket = change.socket;
            if (socket != null) {
                List<Acceptor.Protocol> protocols = change.kept != null
                        ? change.kept.protocols()
                        : path.setup().protocols(change.onLoops);
                change.acceptor = path.setup().acceptor(change.config, change.handshake, protocols);
                change.bound = new BoundListener(
                        change.config, socket.listener(), change.handshake, protocols, change.onLoops);
            }
        }
    }

    private void bindNew() throws IOException {
        for (Change change : changes) {
            if (change.socket == null) {
                if (like(change.config.name()) == null) {
                    // else one that still holds, or is on its way out, would go by it
                    path.setup().adapt(change.onLoops.get(0).admission(), change.config);
                }
                change.bound = path.setup().bind(change.config, change.handshake, change.onLoops);
            }
        }
    }

    private void undo() {
        for (Change change : changes) {
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
        for (Change change : changes) {
            path.setup().adapt(change.onLoops.get(0).admission(), change.config);
        }
        CountDownLatch swapped = new CountDownLatch(path.loops().size());
        for (int i = 0; i < path.loops().size(); i++) {
            int loop = i;
            path.loops().get(i).eventLoop().execute(new Runnable() {
                @Override
                public void run() {
                    for (Change change : changes) {
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

    /** Has sockets that stay go by the next configuration; tells whose connections are to end. */
    private List<Retirement> settle() {
        List<Retirement> retirements = new ArrayList<>();
        for (Change change : changes) {
            Acceptor acceptor = change.acceptor;
            if (acceptor != null) {
                boundOf(change).listener().settle(change.config, acceptor);
            }
        }
        for (BoundListener one : old.values()) {
            if (!isKept(one)) {
                boolean goes = !isTaken(one);
                Log.info("listener " + one.config().name() + ": draining" + (goes ? ", and bound no more" : ""));
                retirements.add(new Retirement(path.listeners(), one, goes, next));
            }
        }
        return retirements;
    }

    private boolean isKept(BoundListener one) {
        for (Change change : changes) {
            if (change.kept == one) {
                return true;
            }
        }
        return false;
    }

    private boolean isTaken(BoundListener one) {
        for (Change change : changes) {
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
