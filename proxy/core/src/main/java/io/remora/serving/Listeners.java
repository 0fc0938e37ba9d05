package io.remora.serving;

import io.remora.exchange.Cuts;
import io.remora.exchange.ListenerLoop;
import io.remora.metrics.Stats;
import io.remora.takeover.Predecessor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of a data path: those that are bound, by name, and those that are on their way out.
 *
 * <p>Thread safe. Order: what changes them is called under the data path's lock, what a loop calls takes one of its own, as a change
 * waits for the loops.
 */
public final class Listeners {
    private final Stats stats;
    /** Bound listeners by name. Never changed: a reload replaces the map whole. */
    private volatile Map<String, BoundListener> bound = Map.of();

    /** Listeners that are on their way out. Bounds: those that reloads have replaced within a drain's time. */
    private final List<ListenerDrain> retired = new CopyOnWriteArrayList<>();

    /** Names of listeners that a change under way may have; under the lock of {@link #retired}. */
    private Set<String> claimed = Set.of();

    private final Peaks peaks;

    /** @param stats where what is counted for a listener ends with it */
    Listeners(Stats stats) {
        this.stats = stats;
        this.peaks = new Peaks(stats);
    }

    /** Returns the peaks of their traffic, and of the memory. */
    public Peaks peaks() {
        return peaks;
    }

    /** Returns the bound listeners, by name. */
    Map<String, BoundListener> bound() {
        return bound;
    }

    List<ListenerDrain> retired() {
        return retired;
    }

    // ---- who is among them

    void add(BoundListener one) {
        Map<String, BoundListener> all = new HashMap<>(bound);
        all.put(one.config().name(), one);
        bound = all;
    }

    /** Sets the bound listeners, and adds those on their way out. */
    void hold(Map<String, BoundListener> all, List<ListenerDrain> leaving) {
        bound = all;
        retired.addAll(leaving);
    }

    /** Keeps the counts of these listeners from now on, instead of those claimed before; an empty set ends that. */
    void claim(Set<String> names) {
        synchronized (retired) {
            Set<String> before = claimed;
            claimed = names;
            for (String name : before) {
                endCounts(name);
            }
        }
    }

    /**
     * Removes a listener that no configuration has any more, or the connections of one that another configuration has.
     * Called on an event loop, so that it must not wait for a change.
     *
     * @return false where it is to be called again later
     */
    boolean ended(ListenerDrain one) {
        synchronized (retired) {
            String name = one.listener().config().name();
            if (claimed.contains(name)) {
                return false;
            }
            retired.remove(one);
            endCounts(name);
            return true;
        }
    }

    private void endCounts(String name) {
        if (!claimed.contains(name) && !bound.containsKey(name) && retiredAs(name) == null) {
            stats.removeListener(name);
        }
    }

    /** One of this name that is on its way out. */
    @Nullable
    BoundListener retiredAs(String name) {
        for (ListenerDrain one : retired) {
            if (one.listener().config().name().equals(name)) {
                return one.listener();
            }
        }
        return null;
    }

    // ---- what they do

    /** Returns the address that a listener is bound to. */
    public InetSocketAddress address(String name) {
        BoundListener one = bound.get(name);
        if (one == null) {
            throw new IllegalArgumentException("no listener " + name);
        }
        InetSocketAddress at = one.listener().address();
        if (at == null) {
            throw new IllegalArgumentException("listener " + name + " is on no port");
        }
        return at;
    }

    /** Returns the exchanges in progress, on all listeners or on the inbound ones alone. */
    public int inFlight(boolean inboundOnly) {
        int sum = 0;
        for (BoundListener one : bound.values()) {
            sum += one.isIn(inboundOnly) ? one.admission().inFlight() : 0;
        }
        for (ListenerDrain one : retired) {
            // else it is counted there
            if (one.listener().isIn(inboundOnly)
                    && !bound.containsKey(one.listener().config().name())) {
                sum += one.listener().admission().inFlight();
            }
        }
        return sum;
    }

    /** Cuts of those that are bound, and of those on their way out: what has ended has told its own. */
    public Cuts cuts() {
        Cuts sum = new Cuts();
        for (BoundListener one : bound.values()) {
            one.cuts().addTo(sum);
        }
        for (ListenerDrain one : retired) {
            one.listener().cuts().addTo(sum);
        }
        return sum;
    }

    /** Denies a response to exchanges that are cut from now on. */
    public void cutMutely() {
        for (BoundListener one : bound.values()) {
            one.cuts().mute();
        }
        for (ListenerDrain one : retired) {
            one.listener().cuts().mute();
        }
    }

    /** Returns the connections of clients that are open, on all listeners or on the inbound ones alone. */
    public int openConnections(boolean inboundOnly) {
        int sum = 0;
        for (BoundListener one : bound.values()) {
            sum += one.isIn(inboundOnly) ? one.listener().open() : 0;
        }
        for (ListenerDrain one : retired) {
            if (one.hasSocket() && one.listener().isIn(inboundOnly)) {
                sum += one.listener().listener().open();
            }
        }
        return sum;
    }

    /**
     * Makes each response that begins from now on its connection's last.
     *
     * @param idleNs how long a connection at rest waits for a last request
     */
    void beginDrain(long idleNs, boolean inboundOnly) {
        for (BoundListener one : bound.values()) {
            for (ListenerLoop onLoop : one.isIn(inboundOnly) ? one.onLoops() : List.<ListenerLoop>of()) {
                onLoop.beginDrain(idleNs);
            }
        }
    }

    /** Makes each response over HTTP/1 of an inbound listener that begins from now on its connection's last; ports stay open. */
    void retireInbound() {
        for (BoundListener one : bound.values()) {
            for (ListenerLoop onLoop : one.isIn(true) ? one.onLoops() : List.<ListenerLoop>of()) {
                onLoop.retire();
            }
        }
    }

    /** Stops accepting; what was accepted stays. Returns when the ports are free. */
    void closePorts(boolean inboundOnly) {
        for (BoundListener one : bound.values()) {
            if (one.isIn(inboundOnly)) {
                one.listener().close();
            }
        }
    }

    // ---- from one process to another

    /** Begins to accept on the sockets that another process has answered on until now. */
    public void begin() {
        for (BoundListener one : bound.values()) {
            one.listener().begin();
        }
    }

    /** The files of Unix sockets that another process has left to this one go with the listeners from now on. */
    public void adopt() throws IOException {
        for (BoundListener one : bound.values()) {
            one.listener().adopt();
        }
    }

    /** The sockets that are listened on, each with its listener's name. */
    public void sockets(List<Predecessor.Socket> into) {
        for (Map.Entry<String, BoundListener> one : bound.entrySet()) {
            into.add(new Predecessor.Socket(
                    one.getKey(), one.getValue().listener().socket()));
        }
    }

    /** Leaves the sockets' files in place, as another process goes on with the sockets when they are closed here. */
    public void handOver() {
        for (BoundListener one : bound.values()) {
            one.listener().handOver();
        }
    }
}
