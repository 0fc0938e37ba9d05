package io.remora.source;

import io.netty.channel.EventLoop;
import io.remora.config.model.Address;
import io.remora.discovery.SourceCluster;
import io.remora.discovery.SourceServer;
import io.remora.discovery.TokenFile;
import io.remora.engine.Engine;
import io.remora.engine.EngineCluster;
import io.remora.stream.Target;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the servers of one source, as one more cluster of the proxy's own engine, on one event loop.
 *
 * <p>Owner: the source's thread, but for what says otherwise. Bounds: one call at a time.
 */
final class SourceClient implements AutoCloseable {
    /** Beyond what any question is given. */
    private static final long LONGEST_NS = TimeUnit.HOURS.toNanos(2);

    private final String name;
    private final SourceServer server;
    private final List<Address> addresses;
    private final String tokenField;
    private final String tokenPrefix;
    private final Engine engine;
    private final Loop loop;
    /** Below: under the lock. */
    private @Nullable EngineCluster opened;

    private @Nullable Target tried;
    /** Endpoint of the latest failure: calls go to another one as long as that goes well. */
    private @Nullable Target avoided;

    private @Nullable Call current;
    private boolean closed;

    /**
     * @param name of the cluster that the servers are
     * @param addresses of the server, from wherever they are known
     * @param tokenPrefix what stands before the token in its field
     */
    SourceClient(
            String name,
            SourceServer server,
            List<Address> addresses,
            String tokenField,
            String tokenPrefix,
            Engine engine,
            Loop loop) {
        this.name = name;
        this.server = server;
        this.addresses = addresses;
        this.tokenField = tokenField;
        this.tokenPrefix = tokenPrefix;
        this.engine = engine;
        this.loop = loop;
    }

    /**
     * Asks, another server where one cannot be reached.
     *
     * @return once the head of the response is there; to be closed
     */
    CallBody get(String target, long headNs) throws IOException {
        String file = server.tokenFile();
        String token = file == null ? null : tokenPrefix + TokenFile.read(file);
        SourceRequest request = new SourceRequest(target, addresses.get(0).toString(), tokenField, token);
        EngineCluster cluster = cluster();
        for (int further = addresses.size(); ; further--) {
            Call call = new Call(this, request);
            begin(cluster, call, request);
            try {
                call.body().awaitHead(headNs);
                return call.body();
            } catch (SourceException e) {
                call.body().close();
                failed();
                // a connection that was kept may have been closed by the server just now, hence one time more than
                // servers
                if (!e.isUnanswered() || further == 0) {
                    throw e;
                }
            }
        }
    }

    private synchronized EngineCluster cluster() throws IOException {
        if (closed) {
            throw new SourceException("closed");
        }
        EngineCluster known = opened;
        if (known == null) {
            known = engine.open(SourceCluster.of(server, name, addresses, LONGEST_NS));
            opened = known;
        }
        return known;
    }

    private void begin(EngineCluster cluster, Call call, SourceRequest request) throws IOException {
        Target before;
        synchronized (this) {
            if (closed) {
                throw new SourceException("closed");
            }
            current = call;
            before = avoided;
        }
        onLoop(new Runnable() {
            @Override
            public void run() {
                if (!call.isGone()) {
                    cluster.on(loop).newStream(request.head(), before, call);
                }
            }
        });
    }

    /** Avoids the latest server from now on, as its call has failed. */
    synchronized void failed() {
        avoided = tried;
    }

    /** Runs it on the event loop, unless that has ended. */
    void onLoop(Runnable task) {
        EventLoop eventLoop = loop.eventLoop();
        if (!eventLoop.isShuttingDown()) {
            eventLoop.execute(task);
        }
    }

    /** Called on the event loop. */
    synchronized void picked(Target endpoint) {
        tried = endpoint;
    }

    /** Ends a call's wait for a stream of the server that was picked for it. Called on the event loop. */
    void left(@Nullable Target target, Call call) {
        EngineCluster cluster;
        synchronized (this) {
            cluster = opened;
        }
        if (cluster != null) {
            cluster.on(loop).left(target, call);
        }
    }

    /** Ends a call that is under way; on any thread. */
    @Override
    public void close() {
        Call call;
        EngineCluster cluster;
        synchronized (this) {
            closed = true;
            call = current;
            cluster = opened;
        }
        if (call != null) {
            call.body().fail(new SourceException("closed"));
            call.onLoop(true);
        }
        if (cluster != null) {
            // after a call that is about to begin, so that nothing of the cluster comes up after its end
            onLoop(new Runnable() {
                @Override
                public void run() {
                    cluster.drain();
                }
            });
        }
    }
}
