package io.remora.feature.mirror;

import io.netty.buffer.ByteBuf;
import io.remora.engine.Cluster;
import io.remora.exchange.Replay;
import io.remora.exchange.StagedRequest;
import io.remora.grpc.GrpcAnswer;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.memory.LoopBudget;
import io.remora.stream.BackendStream;
import io.remora.stream.RequestAttributes;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.transport.Deadline;
import io.remora.transport.Loop;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a request on its way to an endpoint that nobody waits for. It is sent in a turn of the loop of its own, once all of it is
 * there, and once only; the response is read and dropped.
 *
 * <p>Owner: the event loop; it outlives its exchange. Bounds: a body that is kept, a time, and what is read of a response.
 */
final class MirroredRequest extends StreamClient implements Deadline.Expirable, Runnable {
    /** Octets of a response that are read at most: reading a longer one to its end costs more than the connection. */
    private static final long MAX_READ = 1 << 20;

    private final Mirrors mirrors;
    private final Loop loop;
    private final Cluster cluster;
    private final int headOctets;
    private final Replay body;
    private final long timeoutNs;
    private final long bodyIdleNs;
    private final String client;
    private final @Nullable InetSocketAddress destination;
    /** Null until somebody asks for them. */
    private @Nullable RequestAttributes attributes;

    /** Null until the original is sent. */
    private @Nullable MirroredHead head;

    private @Nullable Deadline deadline;
    private @Nullable Target target;
    private @Nullable BackendStream stream;
    /** Set while it waits for a stream. */
    private boolean waiting;

    /** Index among the copies that are under way. */
    private int place;

    private boolean ended;
    private boolean responded;
    private boolean reused;
    private int status;
    /** Null where the response is none of gRPC, to a call. */
    private @Nullable GrpcAnswer grpc;

    private long sentNs;
    private long latencyNs = -1;
    private long read;

    MirroredRequest(
            Mirrors mirrors, StagedRequest exchange, Cluster cluster, int headOctets, Replay body, long timeoutNs) {
        this.mirrors = mirrors;
        this.loop = exchange.listener().loop();
        this.cluster = cluster;
        this.headOctets = headOctets;
        this.body = body;
        this.timeoutNs = timeoutNs;
        this.bodyIdleNs = exchange.snapshot().config().timeouts().bodyIdleNs();
        this.client = exchange.client();
        this.destination = exchange.originalDestination();
    }

    int place() {
        return place;
    }

    void place(int at) {
        place = at;
    }

    // ---- on its way

    /** Sets the head, as the original is sent. */
    void head(MirroredHead own) {
        head = own;
    }

    /** All of it is there. It goes after what the loop is doing now, which is the original. */
    void whole() {
        if (ended) {
            return;
        }
        deadline = loop.deadlines().add(this);
        deadline.setOnce(timeoutNs);
        loop.execute(this);
    }

    @Override
    public void run() {
        MirroredHead own = head;
        if (own == null) {
            giveUp("incomplete");
        } else if (!ended) {
            waiting = true;
            cluster.newStream(own, null, this);
        }
    }

    /** Gives the copy up before anything of it is sent. */
    void giveUp(String reason) {
        if (!ended) {
            mirrors.dropped(reason);
        }
        end(Verdict.IGNORED, false, false);
    }

    @Override
    public void picked(Target endpoint) {
        target = endpoint;
    }

    @Override
    public void ready(BackendStream ready) {
        MirroredHead own = head;
        waiting = false;
        if (ended || own == null) {
            ready.release();
            return;
        }
        stream = ready;
        reused = ready.isReused();
        sentNs = loop.readyNs();
        ready.bound(LoopBudget.LEAST);
        ready.send(own);
        if (own.bodyLength() != BodyLength.NONE && !ended) {
            ByteBuf content = body.content();
            if (content.isReadable()) {
                ready.content(content);
            }
            if (!ended) {
                ready.end(null);
            }
        }
        if (!ended) {
            ready.flush();
        }
    }

    @Override
    public void refused(Failure failure) {
        waiting = false;
        end(Verdict.ofFailure(failure), true, false);
    }

    // ---- as a client of its stream

    @Override
    public Verdict verdictOf(int code) {
        return Verdict.ofStatus(code);
    }

    @Override
    public long bodyIdleNs() {
        return bodyIdleNs;
    }

    @Override
    public RequestAttributes attributes() {
        RequestAttributes known = attributes;
        if (known == null) {
            boolean multiplexed = head != null && head.isMultiplexed();
            // a copy follows no delegations
            known = new RequestAttributes(multiplexed, client, destination, "", null);
            attributes = known;
        }
        return known;
    }

    @Override
    public boolean isGone() {
        return ended;
    }

    // ---- what comes back

    @Override
    public void response(ResponseHead response, long readyNs) {
        if (!response.isInterim()) {
            status = response.status;
            latencyNs = Math.max(0, readyNs - sentNs);
            if (head != null && head.isGrpc()) {
                grpc = GrpcAnswer.of(response);
            }
            if (target != null) {
                target.answered(answer());
            }
        }
    }

    @Override
    public void content(ByteBuf content) {
        read += content.readableBytes();
        content.release();
        if (read > MAX_READ) {
            end(answer(), false, false);
        }
    }

    @Override
    public void end(@Nullable Fields trailers) {
        if (grpc != null) {
            grpc.ended(trailers);
        }
        responded = true;
    }

    @Override
    public void readComplete() {
        if (responded) {
            end(answer(), false, true);
        }
    }

    private Verdict answer() {
        return grpc == null ? Verdict.ofStatus(status) : grpc.verdict();
    }

    @Override
    public void writable(boolean writable) {}

    @Override
    public void broken(Failure failure, boolean anyByte) {
        stream = null;
        // an endpoint may close a connection that rests
        boolean early = loop.readyNs() - sentNs <= BackendStream.STALE_NS;
        boolean stale = reused && early && !anyByte && failure.repeat() == Failure.Repeat.UNANSWERED;
        end(stale ? Verdict.IGNORED : Verdict.ofFailure(failure), true, false);
    }

    @Override
    public void onDeadline() {
        end(Verdict.ofFailure(Failure.TOTAL_TIMEOUT), true, false);
    }

    // ---- the end

    /** The sidecar stops. */
    void cut() {
        end(Verdict.IGNORED, true, false);
    }

    private void end(Verdict verdict, boolean failed, boolean inOrder) {
        if (ended) {
            return;
        }
        ended = true;
        if (deadline != null) {
            deadline.cancel();
        }
        BackendStream from = stream;
        stream = null;
        if (target != null) {
            target.ended(verdict, latencyNs);
        }
        if (waiting) {
            cluster.left(target, this);
        }
        if (from != null && inOrder) {
            from.release();
        } else if (from != null) {
            from.reset();
        }
        body.giveUp();
        LoopBudget memory = loop.memory();
        memory.hold(-headOctets);
        memory.giveBackSecond();
        mirrors.ended(this, failed);
    }
}
