package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Addrs;
import com.twitter.finagle.Service;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.util.ReadWriteVar;
import io.remora.cluster.PendingQueue;
import io.remora.config.model.ClusterConfig;
import io.remora.engine.Cluster;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.metrics.EngineStats;
import io.remora.metrics.Stats;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.transport.Connector;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's way to a cluster: a client of Finagle's whose connections and timers are on that loop.
 *
 * <p>Owner: the event loop.
 */
final class LoopClient extends Cluster {
    /**
     * The time in which exchanges that know the cluster may still begin an attempt, on top of two attempts' connects.
     */
    private static final long LINGER_NS = 1_000_000_000L;

    private final ClusterConfig config;
    private final Loop loop;
    private final ReadWriteVar<Addr> endpoints = new ReadWriteVar<>(Addrs.pendingAddr());
    private final EndpointCounts counts;
    private final Stats stats;
    private final EngineStats words;
    private final Service<Request, Response> service;
    /** Streams that have not ended. */
    private int streams;

    /** True once a response has begun. */
    private boolean answered;

    private boolean resolved;
    /** The requests that wait for the first answer, where there is one to wait for. */
    private @Nullable PendingQueue pending;

    /** True once no configuration names the cluster any longer. */
    private boolean leaving;
    /** True once no exchange begins a stream any more either. */
    private boolean draining;
    /** True once the process ends. */
    private boolean ending;

    private boolean closed;
    /** Runs once nothing of a cluster that is drained is left; null while it is not drained, and afterwards. */
    private @Nullable Runnable drained;

    private final boolean filters;
    private final boolean named;

    /**
     * @param users their filters, around each request; null for none
     * @param names that bind the cluster's own; null where it has none, and gets its endpoints
     */
    LoopClient(
            ClusterConfig config,
            Loop loop,
            Connector connector,
            Stats stats,
            @Nullable UserFilters users,
            @Nullable FinagleNames names) {
        this.config = config;
        this.loop = loop;
        this.counts = new EndpointCounts(config.name(), stats, () -> ending);
        this.stats = stats;
        this.words = stats.add(new EngineStats(config.name()));
        ClientStack stack = new ClientStack(config, loop, connector, counts, words);
        Service<Request, Response> client =
                names == null ? stack.client(endpoints) : stack.named(names.on(loop, counts));
        // a request waits for its name within Finagle, as long as it may wait for a response
        this.named = names != null;
        this.resolved = named;
        this.filters = users != null;
        this.service = users == null ? client : users.around(client, loop);
    }

    @Override
    public boolean hasAnswered() {
        return answered;
    }

    Loop loop() {
        return loop;
    }

    ClusterConfig config() {
        return config;
    }

    /** Returns whether a name says where its endpoints are. */
    boolean isNamed() {
        return named;
    }

    boolean hasFilters() {
        return filters;
    }

    Service<Request, Response> service() {
        return service;
    }

    @Override
    public String name() {
        return config.name();
    }

    @Override
    public String scheme() {
        return !config.has(ClusterConfig.TLS) ? super.scheme() : "https";
    }

    @Override
    public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
        if (!resolved) {
            refuse(head, client);
            return;
        }
        // until Finagle has picked one
        Picked somewhere = new Picked(config.name(), null);
        client.picked(somewhere);
        if (!client.isGone()) {
            streams++;
            client.ready(new FinagleStream(this, client, somewhere));
        }
    }

    private void refuse(RequestHead head, StreamClient client) {
        if (pending == null) {
            client.refused(Failure.NOT_RESOLVED);
        } else {
            pending.add(head, client);
        }
    }

    @Override
    public void left(@Nullable Target told, StreamClient client) {
        if (told == null && pending != null) {
            pending.left(client);
        }
    }

    /** Applies an answer with the cluster's endpoints. */
    void apply(Addr answer) {
        if (leaving) {
            return;
        }
        counts.apply(this, answer);
        endpoints.update(answer);
        resolved = true;
        if (pending != null) {
            pending.run();
        }
    }

    /** Sets the queue in which requests wait for the first answer. */
    void pending(PendingQueue queue) {
        pending = queue;
    }

    void nobodyWaits() {
        pending = null;
    }

    @Override
    public void newStreamAgain(Target again, StreamClient client) {
        throw new IllegalStateException("what repeats by itself is not asked to repeat");
    }

    // which of them are left to try, Finagle knows
    @Override
    public boolean hasOther(Target tried) {
        return false;
    }

    @Override
    public boolean repeatsByItself() {
        return true;
    }

    /**
     * A stream has ended.
     *
     * @param answered whether its response had begun
     */
    void ended(boolean answered) {
        streams--;
        this.answered |= answered;
        if (leaving) {
            counts.closeIdle();
            endWordsIfUnused();
        }
        closeIfDrained();
    }

    /** Drains it, since no configuration names it any longer; exchanges that know it are its last. */
    void drain(Runnable whenDone) {
        if (pending != null) {
            pending.end();
            pending = null;
        }
        leaving = true;
        counts.leave();
        endWordsIfUnused();
        loop.after(
                () -> {
                    draining = true;
                    drained = whenDone;
                    closeIfDrained();
                },
                LINGER_NS + 2 * config.connectTimeoutNs());
    }

    // as with the series of its endpoints: exchanges that still know the cluster no longer count in Finagle's words
    private void endWordsIfUnused() {
        if (streams == 0) {
            stats.remove(words);
        }
    }

    private void closeIfDrained() {
        if (draining && streams == 0) {
            end();
            Runnable told = drained;
            if (told != null) {
                drained = null;
                told.run();
            }
        }
    }

    /** Closes every connection that carries nothing, now or later: the process ends. */
    void close() {
        ending = true;
        end();
    }

    private void end() {
        if (!closed) {
            closed = true;
            service.close();
        }
    }
}
