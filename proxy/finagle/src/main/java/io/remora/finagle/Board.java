package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Addrs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Records each cluster's current endpoints, for the names that lead to it.
 *
 * <p>Thread safe. Bounds: the clusters that are there, or watched.
 */
final class Board {
    private final Map<String, Told> all = new HashMap<>();

    /** The answers for one cluster, and their watchers. */
    private static final class Told {
        /**
         * The owners of the endpoints, oldest first, with their last answers. The newest answer counts: a new owner's
         * once it gives one, and the old owner's again where the new one ends without one.
         */
        final Map<Object, Addr> owners = new LinkedHashMap<>(2);

        final List<Runnable> watchers = new ArrayList<>(1);

        Addr last() {
            Addr last = owners.isEmpty() ? Addrs.negAddr() : Addrs.pendingAddr();
            for (Addr told : owners.values()) {
                last = told instanceof Addr.Pending$ ? last : told;
            }
            return last;
        }
    }

    /** Adds an owner of the endpoints. Its answers count from now on; until it gives one, the last one before holds. */
    synchronized void own(String name, Object owner) {
        all.computeIfAbsent(name, absent -> new Told()).owners.put(owner, Addrs.pendingAddr());
    }

    /** Takes an owner's answer with its endpoints. */
    void tell(String name, Object owner, Addr addr) {
        List<Runnable> watchers;
        synchronized (this) {
            Told told = all.get(name);
            if (told == null || told.owners.replace(owner, addr) == null) {
                return;
            }
            watchers = List.copyOf(told.watchers);
        }
        watchers.forEach(Runnable::run);
    }

    /** Removes an owner that has ended, and with it its endpoints, unless there is another one. */
    void end(String name, Object owner) {
        List<Runnable> watchers;
        synchronized (this) {
            Told told = all.get(name);
            if (told == null || told.owners.remove(owner) == null) {
                return;
            }
            watchers = List.copyOf(told.watchers);
            removeIfUnused(name, told);
        }
        watchers.forEach(Runnable::run);
    }

    /** Returns the endpoints that hold now: none where no cluster has the name. */
    synchronized Addr last(String name) {
        Told told = all.get(name);
        return told == null ? Addrs.negAddr() : told.last();
    }

    /**
     * Tells {@code watcher}, on any thread, whenever it is to look again.
     *
     * @return ends it
     */
    synchronized Runnable watch(String name, Runnable watcher) {
        all.computeIfAbsent(name, absent -> new Told()).watchers.add(watcher);
        return () -> leave(name, watcher);
    }

    private synchronized void leave(String name, Runnable watcher) {
        Told told = all.get(name);
        if (told != null) {
            told.watchers.remove(watcher);
            removeIfUnused(name, told);
        }
    }

    private void removeIfUnused(String name, Told told) {
        if (told.owners.isEmpty() && told.watchers.isEmpty()) {
            all.remove(name);
        }
    }
}
