package io.remora.exchange;

import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.log.AccessLog;
import io.remora.memory.Claim;
import io.remora.memory.LoopBudget;
import io.remora.memory.Pressure;
import io.remora.metrics.DetectStats;
import io.remora.metrics.GrpcStats;
import io.remora.metrics.Http2Stats;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import io.remora.transport.Connections;
import io.remora.transport.Drainable;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A listener on one event loop: its state, which outlives any configuration, and the current snapshot.
 *
 * <p>Owner: the event loop.
 */
public final class ListenerLoop {
    private static final int SERVING = 0;
    /** A drain is announced, and its delay runs. */
    private static final int RETIRING = 1;

    private static final int DRAINING = 2;

    private final Loop loop;
    private final ListenerStats stats;
    private final Admission admission;
    private final Via via;
    private final @Nullable AccessLog accessLog;
    private final Connections connections;
    private final RequestIds requestIds;
    private @Nullable ListenerSnapshot snapshot;
    private @Nullable GrpcStats grpc;
    /** The parts that features keep, by feature; null where none keeps anything. */
    private @Nullable Map<String, LoopPart> parts;

    private @Nullable Http2Stats http2;
    private @Nullable DetectStats detect;
    private @Nullable RefusalLog refusals;
    private @Nullable Cuts cuts;
    /** Null where every connection carries the same. */
    private @Nullable ListenerLoop tunnels;
    /** The loop for requests; null unless this one is for connections that carry none. */
    private final @Nullable ListenerLoop requests;
    /**
     * Set by the thread that begins a drain, so that a response that follows is the last, no matter what the loop does
     * first. Only rises.
     */
    private volatile int step = SERVING;
    /** Time for which a connection at rest waits for a last request. Written before {@link #step}. */
    private volatile long lastWaitNs;
    /** Set if connections end at once that carry no exchange. */
    private volatile boolean endingIdle;

    public ListenerLoop(
            Loop loop,
            ListenerStats stats,
            Admission admission,
            Via via,
            @Nullable AccessLog accessLog,
            RequestIds requestIds) {
        this.loop = loop;
        this.stats = stats;
        this.admission = admission;
        this.via = via;
        this.accessLog = accessLog;
        this.requestIds = requestIds;
        this.connections = new Connections();
        this.requests = null;
    }

    private ListenerLoop(ListenerLoop same) {
        this.loop = same.loop;
        this.stats = same.stats;
        this.admission = same.admission;
        this.via = same.via;
        this.accessLog = same.accessLog;
        this.requestIds = same.requestIds;
        this.connections = same.connections;
        this.refusals = same.refusals;
        this.cuts = same.cuts;
        this.requests = same;
    }

    /**
     * Returns the same listener for connections that carry no requests, with a snapshot of their own. Made on first
     * use.
     */
    public ListenerLoop tunnels() {
        ListenerLoop made = tunnels;
        if (made == null) {
            made = new ListenerLoop(this);
            tunnels = made;
        }
        return made;
    }

    /**
     * Returns this listener with no connections; its counts and its admission are shared. The caller need not be on its
     * loop.
     */
    public ListenerLoop renewed() {
        ListenerLoop next = new ListenerLoop(loop, stats, admission, via, accessLog, requestIds);
        next.grpc = grpc;
        next.http2 = http2;
        next.detect = detect;
        next.refusals = refusals;
        if (parts != null) {
            for (Map.Entry<String, LoopPart> each : parts.entrySet()) {
                next.keep(each.getKey(), each.getValue().renewed());
            }
        }
        return next;
    }

    public Loop loop() {
        return loop;
    }

    /** Log of refused messages, in the sidecar's own log; null without one. */
    public @Nullable RefusalLog refusals() {
        return refusals;
    }

    public void refusals(RefusalLog log) {
        refusals = log;
    }

    /** Counts of cuts, together with the listener's other loops; null without them. */
    public @Nullable Cuts cuts() {
        return cuts;
    }

    public void cuts(Cuts counts) {
        cuts = counts;
    }

    /** Counts an exchange that the end of the listener or of the sidecar cuts. */
    void cut(Cuts.Kind kind) {
        if (cuts != null) {
            cuts.add(kind);
        }
    }

    /** Returns whether an exchange that is cut gets no response. */
    boolean cutsMutely() {
        return cuts != null && cuts.isMute();
    }

    /** Counts the cut of an exchange that is over, but whose client has not taken all of the response. */
    public void cutUnread() {
        stats.increment(ListenerMetric.EXCHANGES_CUT);
        cut(Cuts.Kind.UNREAD);
    }

    public ListenerStats stats() {
        return stats;
    }

    /** In-flight exchanges of the listener, over all loops. */
    public Admission admission() {
        return admission;
    }

    public Via via() {
        return via;
    }

    public RequestIds requestIds() {
        return requestIds;
    }

    /** Metrics of gRPC calls; null where none are looked for. */
    public @Nullable GrpcStats grpc() {
        return grpc;
    }

    public void grpc(GrpcStats stats) {
        grpc = stats;
    }

    /** Returns what a feature keeps of this listener here; null where it keeps nothing. */
    public @Nullable LoopPart part(String feature) {
        return parts == null ? null : parts.get(feature);
    }

    /** Adds a feature's part. */
    public void keep(String feature, LoopPart part) {
        if (parts == null) {
            parts = new HashMap<>();
        }
        parts.put(feature, part);
    }

    /** Returns whether no feature has work under way that goes with no client's connection. */
    public boolean partsAreIdle() {
        if (parts != null) {
            for (LoopPart each : parts.values()) {
                if (!each.isIdle()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Ends such work. */
    public void cutParts() {
        if (parts != null) {
            for (LoopPart each : parts.values()) {
                each.cut();
            }
        }
    }

    /** Metrics of HTTP/2; null where it is not spoken. */
    public @Nullable Http2Stats http2() {
        return http2;
    }

    public void http2(Http2Stats stats) {
        http2 = stats;
    }

    /** Metrics of protocol detection; null where nothing is detected. */
    public @Nullable DetectStats detect() {
        return detect;
    }

    public void detect(DetectStats stats) {
        detect = stats;
    }

    @Nullable
    AccessLog accessLog() {
        return accessLog;
    }

    /** The connections that its clients have open on this loop. */
    public Connections connections() {
        return connections;
    }

    /**
     * Hands a client's connection to {@code connection}, and counts it as open unless it has before. Where there is no
     * room for it, others are closed. The last owner of the connection calls {@link LoopBudget#closed} and counts the
     * close.
     */
    public void opened(Link link, Drainable connection) {
        if (link.enter()) {
            if (!loop.memory().open()) {
                shed();
            }
            stats.increment(ListenerMetric.FRONTEND_ACCEPTED);
        }
        connections.add(connection);
    }

    /** Ends connections that have been idle for longest, of clients with more than their share first, to make room for another one. */
    public void shed() {
        LoopBudget memory = loop.memory();
        memory.shed(connections.shed(memory.leaving(), memory.mostThatStay()));
    }

    /** Adds the claims of its connections. */
    public void claims(List<Claim> into) {
        connections.claims(into);
    }

    /** Relieves pressure where memory is short. */
    public void relieve(Pressure pressure) {
        LoopBudget memory = loop.memory();
        if (pressure.isAtLeast(Pressure.SHRINK)) {
            connections.shrink(pressure.isAtLeast(Pressure.PAUSE));
        } else {
            connections.grow();
        }
        if (pressure.isAtLeast(Pressure.PAUSE)) {
            // before anything is to be cut it only learns how each moves
            connections.cutSlowest(pressure.isAtLeast(Pressure.CUT) ? memory.cutBytes() : 0, loop.nowNs());
        }
        if (pressure.isAtLeast(Pressure.CLOSE)) {
            shed();
        }
    }

    /** Returns the snapshot for exchanges that begin now. */
    public ListenerSnapshot snapshot() {
        if (requests != null && requests.snapshot().tunnels() != null) {
            snapshot = requests.snapshot().tunnels();
        }
        ListenerSnapshot current = snapshot;
        if (current == null) {
            throw new IllegalStateException("no configuration yet");
        }
        return current;
    }

    /** Returns whether connections carry no further requests. Any thread. */
    public boolean isDraining() {
        return requests == null ? step == DRAINING : requests.isDraining();
    }

    /** Returns whether a connection without streams may carry another request after the one that it carries. Any thread. */
    public boolean keepsConnections() {
        return requests == null ? step == SERVING : requests.keepsConnections();
    }

    /** Makes each response over HTTP/1 that begins from now on its connection's last, while the port stays open. Any thread. */
    public void retire() {
        if (step == SERVING) {
            step = RETIRING;
        }
    }

    /**
     * Returns for how long a connection without an exchange waits for a last one, from when it learns of the drain. Any
     * thread.
     */
    public long lastWaitNs() {
        return requests == null ? lastWaitNs : requests.lastWaitNs;
    }

    /** Returns whether a connection that carries no exchange ends without waiting for a last one. Any thread. */
    public boolean endsIdle() {
        return requests == null ? endingIdle : requests.endingIdle;
    }

    /** The drain's time is over: from now on connections end that carry no exchange. Any thread. */
    public void endIdle() {
        endingIdle = true;
    }

    /**
     * Makes each response that begins from now on its connection's last. Any thread.
     *
     * @param idleNs how long a connection at rest waits for a last request
     */
    public void beginDrain(long idleNs) {
        lastWaitNs = idleNs;
        step = DRAINING;
    }

    /** Replaces the snapshot for exchanges that begin from now on. */
    public void replace(ListenerSnapshot next) {
        snapshot = next;
    }
}
