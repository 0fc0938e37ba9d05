package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.engine.Cluster;
import io.remora.engine.Engine;
import io.remora.engine.EngineCluster;
import io.remora.engine.RetryGate;
import io.remora.exchange.AttemptView;
import io.remora.exchange.Filter;
import io.remora.exchange.RequestView;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.RequestIds;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.log.LogThrottle;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.stream.BackendStream;
import io.remora.stream.RequestAttributes;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Seams as they are shipped, with a fault in the exchange of each request whose path names a callback. For the path {@code
 * /writable}, the callback for room in a stream throws an exception, and for {@code /writable-error} an error.
 */
public final class FaultySeams extends Seams {
    private static final String ERROR = "-error";

    /** Ends of exchanges that a filter has seen, which joins ahead of the one that throws. */
    public final AtomicInteger ended = new AtomicInteger();

    private static void at(String event, String path) {
        if (path.equals("/" + event)) {
            throw new IllegalStateException("of this test");
        }
        if (path.equals("/" + event + ERROR)) {
            throw new StackOverflowError("of this test");
        }
    }

    // ---- the filters of an exchange

    @Override
    public Stage[] stages(ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing, Shared shared) {
        Stage[] shipped = super.stages(listener, requestIds, tracing, shared);
        Stage[] all = new Stage[shipped.length + 2];
        all[0] = new Joining();
        all[1] = new Resumed();
        System.arraycopy(shipped, 0, all, 2, shipped.length);
        return all;
    }

    private final class Joining extends Stage {
        @Override
        public boolean pass(StagedRequest exchange) {
            exchange.join(new Filter() {
                @Override
                public void ended(RequestView over) {
                    ended.incrementAndGet();
                }
            });
            String path = exchange.head().path();
            exchange.join(new Throwing(path));
            boolean waits = path.startsWith("/resumed");
            if (waits) {
                exchange.listener().loop().later(exchange::resume);
            }
            return !waits;
        }
    }

    private static final class Resumed extends Stage {
        @Override
        public boolean pass(StagedRequest exchange) {
            at("resumed", exchange.head().path());
            return true;
        }
    }

    private static final class Throwing extends Filter {
        private final String path;

        Throwing(String path) {
            this.path = path;
        }

        @Override
        public void attempt(RequestHead head, AttemptView attempt) {
            if (attempt.number() == 2) {
                at("second", path);
            }
        }

        @Override
        public void picked(AttemptView attempt) {
            at("picked", path);
        }

        @Override
        public void responseHead(ResponseHead head) {
            at("response", path);
        }

        @Override
        public void attemptEnded(AttemptView attempt) {
            at("attempt", path);
        }

        @Override
        public void ended(RequestView exchange) {
            at("ended", path);
        }
    }

    // ---- what streams and endpoints call

    @Override
    public Engine engine(ProxyConfig config, Shared shared) throws IOException {
        Engine shipped = super.engine(config, shared);
        return new Engine() {
            @Override
            public EngineCluster open(ClusterConfig cluster, @Nullable LogThrottle warnings) throws IOException {
                return new FaultyCluster(shipped.open(cluster, warnings));
            }

            @Override
            public void close() {
                shipped.close();
            }
        };
    }

    private static final class FaultyCluster implements EngineCluster {
        private final EngineCluster shipped;
        private final Map<Loop, Cluster> onLoops = new IdentityHashMap<>();

        FaultyCluster(EngineCluster shipped) {
            this.shipped = shipped;
        }

        @Override
        public synchronized Cluster on(Loop loop) {
            return onLoops.computeIfAbsent(loop, key -> new OnLoop(shipped.on(key)));
        }

        @Override
        public void drain() {
            shipped.drain();
        }

        @Override
        public void close() {
            shipped.close();
        }
    }

    private static final class OnLoop extends Cluster {
        private final Cluster shipped;
        private final Map<StreamClient, FaultyClient> clients = new IdentityHashMap<>();

        OnLoop(Cluster shipped) {
            this.shipped = shipped;
        }

        @Override
        public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
            FaultyClient faulty = new FaultyClient(client, head.path());
            clients.put(client, faulty);
            shipped.newStream(head, tried == null ? null : ((FaultyTarget) tried).shipped, faulty);
        }

        @Override
        public void newStreamAgain(Target target, StreamClient client) {
            FaultyTarget faulty = (FaultyTarget) target;
            FaultyClient again = new FaultyClient(client, faulty.path);
            clients.put(client, again);
            shipped.newStreamAgain(faulty.shipped, again);
        }

        @Override
        public void left(@Nullable Target target, StreamClient client) {
            FaultyClient faulty = clients.get(client);
            if (faulty != null) {
                shipped.left(target == null ? null : ((FaultyTarget) target).shipped, faulty);
                at("left", faulty.path);
            }
        }

        @Override
        public @Nullable String name() {
            return shipped.name();
        }

        @Override
        public String scheme() {
            return shipped.scheme();
        }

        @Override
        public boolean hasAnswered() {
            return shipped.hasAnswered();
        }

        @Override
        public boolean hasOther(Target tried) {
            return shipped.hasOther(((FaultyTarget) tried).shipped);
        }

        @Override
        public boolean hasOtherInUse(Target tried) {
            return shipped.hasOtherInUse(((FaultyTarget) tried).shipped);
        }

        @Override
        public boolean repeatsByItself() {
            return shipped.repeatsByItself();
        }

        @Override
        public @Nullable RetryGate retries() {
            return shipped.retries();
        }
    }

    private static final class FaultyTarget implements Target {
        private final Target shipped;
        private final String path;

        FaultyTarget(Target shipped, String path) {
            this.shipped = shipped;
            this.path = path;
        }

        @Override
        public String name() {
            return shipped.name();
        }

        @Override
        public boolean isInUse() {
            return shipped.isInUse();
        }

        @Override
        public void answered(Verdict verdict) {
            shipped.answered(verdict);
        }

        @Override
        public void ended(Verdict verdict, long latencyNs) {
            shipped.ended(verdict, latencyNs);
            at("verdict", path);
        }
    }

    private static final class FaultyClient extends StreamClient {
        private final StreamClient shipped;
        private final String path;

        FaultyClient(StreamClient shipped, String path) {
            this.shipped = shipped;
            this.path = path;
        }

        @Override
        public void picked(Target endpoint) {
            shipped.picked(new FaultyTarget(endpoint, path));
        }

        @Override
        public void repeated(boolean written) {
            shipped.repeated(written);
        }

        @Override
        public Verdict verdictOf(int status) {
            return shipped.verdictOf(status);
        }

        @Override
        public void ready(BackendStream stream) {
            shipped.ready(stream);
        }

        @Override
        public void refused(Failure failure) {
            shipped.refused(failure);
        }

        @Override
        public long bodyIdleNs() {
            at("idle", path);
            return shipped.bodyIdleNs();
        }

        @Override
        public long silenceNs() {
            return shipped.silenceNs();
        }

        @Override
        public RequestAttributes attributes() {
            return shipped.attributes();
        }

        @Override
        public boolean makeRoom() {
            return shipped.makeRoom();
        }

        @Override
        public boolean isGone() {
            return shipped.isGone();
        }

        @Override
        public boolean endsConnection() {
            return shipped.endsConnection();
        }

        @Override
        public void response(ResponseHead head, long readyNs) {
            shipped.response(head, readyNs);
        }

        @Override
        public void content(ByteBuf content) {
            shipped.content(content);
        }

        @Override
        public void end(@Nullable Fields trailers) {
            shipped.end(trailers);
        }

        @Override
        public void readComplete() {
            shipped.readComplete();
        }

        @Override
        public void writable(boolean writable) {
            at("writable", path);
            shipped.writable(writable);
        }

        @Override
        public void ruleBroken(Rule rule) {
            shipped.ruleBroken(rule);
        }

        @Override
        public void resetBy(long code) {
            shipped.resetBy(code);
        }

        @Override
        public void broken(Failure failure, boolean anyByte) {
            shipped.broken(failure, anyByte);
            at("broken", path);
        }
    }
}
