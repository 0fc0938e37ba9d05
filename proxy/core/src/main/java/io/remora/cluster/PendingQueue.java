package io.remora.cluster;

import io.remora.discovery.ResolverConfig;
import io.remora.engine.Cluster;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.metrics.NamingStats;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import io.remora.transport.Loop;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Requests at a cluster whose endpoints are not known yet: they wait for the first answer instead of failing.
 *
 * <p>Owner: the event loop. Bounds: as configured, in number and time; a request whose client goes leaves at once.
 */
public final class PendingQueue implements Deadline.Expirable, Runnable {
    /** Served in a turn of the loop, as each may open a connection. */
    private static final int BATCH = 32;

    private final Cluster cluster;
    private final Loop loop;
    private final ResolverConfig config;
    private final NamingStats stats;
    private final Runnable nobodyWaits;
    /** The waiting requests; the one that has waited longest is the first. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /** The deadline, once a request has waited; the loop need not be the thread that makes the queue. */
    private @Nullable Deadline deadline;

    /**
     * @param cluster which gets the requests again once there is an answer
     * @param nobodyWaits runs once there is an answer and all requests have been served
     */
    public PendingQueue(Cluster cluster, Loop loop, ResolverConfig config, NamingStats stats, Runnable nobodyWaits) {
        this.cluster = cluster;
        this.loop = loop;
        this.nobodyWaits = nobodyWaits;
        this.config = config;
        this.stats = stats;
    }

    /** Takes one more, or refuses it. */
    public void add(RequestHead head, StreamClient client) {
        if (waiting.size() >= config.pending()) {
            stats.pendingEnded(0, NamingStats.OVERFLOW);
            client.refused(Failure.NOT_RESOLVED);
            return;
        }
        waiting.addLast(new Waiting(head, client, loop.nowNs() + config.pendingTimeoutNs()));
        stats.waits();
        if (waiting.size() == 1) {
            setDeadline(config.pendingTimeoutNs());
        }
    }

    private void setDeadline(long afterNs) {
        if (deadline == null) {
            deadline = loop.deadlines().add(this);
        }
        deadline.setOnce(afterNs);
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    /** Removes a client that has gone. */
    public void left(StreamClient client) {
        for (Iterator<Waiting> each = waiting.iterator(); each.hasNext(); ) {
            if (each.next().client == client) {
                each.remove();
                stats.pendingEnded(1, NamingStats.GONE);
                return;
            }
        }
    }

    @Override
    public void onDeadline() {
        long nowNs = loop.nowNs();
        for (Waiting first = waiting.peekFirst(); first != null; first = waiting.peekFirst()) {
            if (first.untilNs - nowNs > 0) {
                setDeadline(first.untilNs - nowNs);
                return;
            }
            refuseFirst();
        }
    }

    private void refuseFirst() {
        Waiting first = waiting.removeFirst();
        stats.pendingEnded(1, NamingStats.TIMEOUT);
        first.client.refused(Failure.NOT_RESOLVED);
    }

    /** Serves all requests, some in each turn, because there is an answer. */
    @Override
    public void run() {
        for (int left = BATCH; left > 0 && !waiting.isEmpty(); left--) {
            Waiting first = waiting.removeFirst();
            stats.pendingEnded(1, NamingStats.SERVED);
            serve(first);
        }
        if (waiting.isEmpty()) {
            cancelDeadline();
            nobodyWaits.run();
        } else {
            loop.eventLoop().schedule(this, 0, TimeUnit.NANOSECONDS);
        }
    }

    // a balancer may throw, and the others wait for this turn
    private void serve(Waiting one) {
        try {
            cluster.newStream(one.head, null, one.client);
        } catch (RuntimeException | Error e) {
            loop.report("cluster: a waiting request failed; answering it with 500: ", e);
            if (!one.client.isGone()) {
                one.client.refused(Failure.INTERNAL);
            }
        }
    }

    /** Refuses all requests, because no answer will come. */
    public void end() {
        while (!waiting.isEmpty()) {
            refuseFirst();
        }
        cancelDeadline();
    }

    /** A waiting request, and its time limit. */
    private static final class Waiting {
        final RequestHead head;
        final StreamClient client;
        final long untilNs;

        Waiting(RequestHead head, StreamClient client, long untilNs) {
            this.head = head;
            this.client = client;
            this.untilNs = untilNs;
        }
    }
}
