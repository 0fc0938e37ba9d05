package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Addrs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where it stands what each cluster's endpoints are, for the names that lead to it.
 *
 * <p>Thread safe. Bounds: the clusters that are there, or watched.
 */
final class Board {
    private final Map<String, Told> all = new HashMap<>();

    /** What is known of one of them. */
    private static final class Told {
        /** Whose word counts: what has changed takes over from what was before. Null where there is none. */
        @Nullable
        Object owner;

        Addr last = Addrs.negAddr();
        final List<Runnable> watchers = new ArrayList<>(1);
    }

    /** From now on it is this one that says what its endpoints are; until it does, what was known before holds. */
    synchronized void own(String name, Object owner) {
        Told told = all.computeIfAbsent(name, absent -> new Told());
        if (told.owner == null) {
            told.last = Addrs.pendingAddr();
        }
        told.owner = owner;
    }

    /** What its owner says of its endpoints. */
    void tell(String name, Object owner, Addr addr) {
        List<Runnable> watchers;
        synchronized (this) {
            Told told = all.get(name);
            if (told == null || told.owner != owner) {
                return;
            }
            told.last = addr;
            watchers = List.copyOf(told.watchers);
        }
        watchers.forEach(Runnable::run);
    }

    /** It has ended, and with it its endpoints, unless another one has taken over. */
    void end(String name, Object owner) {
        tell(name, owner, Addrs.negAddr());
        synchronized (this) {
            Told told = all.get(name);
            if (told != null && told.owner == owner) {
                told.owner = null;
                removeIfUnused(name, told);
            }
        }
    }

    /** What holds now: no endpoint where nobody is of that name. */
    synchronized Addr last(String name) {
        Told told = all.get(name);
        return told == null ? Addrs.negAddr() : told.last;
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
        if (told.owner == null && told.watchers.isEmpty()) {
            all.remove(name);
        }
    }
}
