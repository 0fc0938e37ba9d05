package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.RouteConfig;
import io.remora.engine.Cluster;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestDtab;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.memory.Claim;
import io.remora.metrics.GrpcMethodStats;
import io.remora.metrics.ListenerMetric;
import io.remora.stream.BackendStream;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One request with its response: passes the listener's stages, which answer it or have it attempted, and ends once, in
 * order or with a failure. A relay for each direction carries what passes between its two sides.
 *
 * <p>Owner: one event loop, that of its frontend and of all its attempts.
 */
public final class Exchange {
    /** No code of HTTP/2. */
    public static final long NOT_RESET = -1;

    private final ListenerLoop listener;
    private final ListenerSnapshot snapshot;
    private final Frontend frontend;
    private final RequestHead head;
    private final Timing timing;
    private final Outcome outcome;
    private final RequestBody body;
    private final Filters filters = new Filters();
    private final RequestRelay request;
    private final ResponseRelay response;
    private final Grant grant;
    /** Null where it is no call of gRPC, or nobody looks for calls. */
    private final @Nullable GrpcCall grpc;

    private int nextStage;
    private boolean believed;
    /** Inside {@link #start}: the frontend flushes at the end of its read, head and body together. */
    private boolean starting;

    private boolean finished;

    /**
     * @param startedNs when the request's first bytes were readable
     * @param readyNs when the bytes that completed its head were readable
     * @param carriedNs spent in the proxy on reads before that one
     */
    public Exchange(
            ListenerLoop listener, Frontend frontend, RequestHead head, long startedNs, long readyNs, long carriedNs) {
        this.listener = listener;
        this.snapshot = listener.snapshot();
        this.frontend = frontend;
        this.head = head;
        this.grpc = listener.grpc() != null && head.isGrpc() ? new GrpcCall(listener.grpc()) : null;
        this.timing = new Timing(startedNs, readyNs, carriedNs);
        this.body =
                new RequestBody(head.bodyLength(), snapshot.config().limits().bodyBytes());
        this.outcome = new Outcome(listener, snapshot, frontend, head);
        this.request = new RequestRelay(this, frontend, filters, timing, body);
        this.response = new ResponseRelay(this, frontend, filters, timing, outcome, request);
        this.grant = new Grant(listener.loop().memory(), frontend, request, outcome);
        listener.stats().increment(ListenerMetric.EXCHANGES_STARTED);
        listener.admission().enter();
    }

    /** Takes the request as far as it goes now; the body follows through {@link #requestContent}. */
    public void start() {
        starting = true;
        passStages();
        starting = false;
    }

    /** What it holds of the loop's memory. */
    public Grant grant() {
        return grant;
    }

    /** The claimant: a believed client behind the peer by its address, otherwise the peer by what it has proved to be. */
    public Object claimant() {
        String peer = frontend.client();
        String client = outcome.client();
        return client.equals(peer) ? frontend.claimant() : client;
    }

    /** Its claim on the loop's memory, with the holder that ends it where its client has more than its share. */
    public Claim claim(Claim.Holder holder) {
        return new Claim(claimant(), true, grant.heldBytes(), timing.startedNs(), grant.moved(), holder);
    }

    // ---- what its relays and attempts ask

    /** Covers as {@link Grant#cover} does; where there is no room, a client that has more than its share makes some. */
    boolean cover(Fields section) {
        return grant.cover(section) || makeRoomForHeld();
    }

    /** Has clients that have more than their share make room in the heap; tells if there is room now. */
    boolean makeRoomForHeld() {
        return listener.loop().memory().makeRoomForHeld(claimant());
    }

    RequestRelay request() {
        return request;
    }

    ResponseRelay response() {
        return response;
    }

    Timing timing() {
        return timing;
    }

    boolean isStarting() {
        return starting;
    }

    boolean isFinished() {
        return finished;
    }

    /**
     * The current attempt's endpoint is known.
     *
     * @param stream to it, null where there is none yet
     */
    void picked(String endpoint, @Nullable BackendStream stream) {
        outcome.endpoint(endpoint, stream == null ? null : stream.version());
    }

    /** Attempts are made at this cluster. */
    void dispatched(Cluster cluster) {
        outcome.cluster(cluster);
    }

    /** The current attempt's request goes over this stream. */
    void speaks(BackendStream stream) {
        outcome.backendVersion(stream.version());
    }

    /** One of its attempts has ended. */
    void ended(Attempt attempt) {
        outcome.ended(attempt);
    }

    // ---- what stages and filters ask and do

    public RequestHead head() {
        return head;
    }

    public ListenerLoop listener() {
        return listener;
    }

    /** What this exchange goes by, whatever the configuration has become since it began. */
    public ListenerSnapshot snapshot() {
        return snapshot;
    }

    /** Address of the client without brackets or port: of the peer, or of whom believed hops name. */
    public String client() {
        return outcome.client();
    }

    /** The client is somebody behind the peer. */
    public void client(String address) {
        outcome.client(address);
    }

    /** Address of the other end of the connection, without brackets or port. */
    public String peer() {
        return frontend.client();
    }

    /** Where the connection was to go before it was redirected here, null for nowhere else. */
    public @Nullable InetSocketAddress originalDestination() {
        return frontend.originalDestination();
    }

    /** Who the peer has proved to be, null for nobody. */
    public @Nullable String identity() {
        return frontend.identity();
    }

    /**
     * The peer's certificate as X-Forwarded-Client-Cert tells it, null for none.
     *
     * @param pem whether it has the certificate itself, where that is not too long
     */
    public @Nullable String forwardedCertificate(boolean pem) {
        return frontend.forwardedCertificate(pem);
    }

    /** The scheme by which the client came. */
    public String scheme() {
        return frontend.scheme();
    }

    /** The time as its event loop reads it. */
    public long nowNs() {
        return listener.loop().nowNs();
    }

    /** The request goes on to the next stage; for the stage that held it back. */
    public void resume() {
        if (!finished) {
            passStages();
        }
    }

    /** From now on {@code filter} sees what this exchange brings. */
    public void join(Filter filter) {
        filters.add(filter);
    }

    /** Which route takes the request, for the log. */
    public void route(RouteConfig taken) {
        outcome.route(taken);
    }

    public @Nullable RouteConfig route() {
        return outcome.route();
    }

    /** The id that the request has, for the log. */
    public void requestId(@Nullable String id) {
        outcome.requestId(id);
    }

    /** The id of the trace that it is part of, for the log. */
    public void trace(long high, long low) {
        outcome.trace(high, low);
    }

    /** The spans of its trace are kept, so that it is an example of how long exchanges take. */
    public void recorded() {
        outcome.recorded();
    }

    /** What the peer says of the way that the request has come is believed. */
    public void believe() {
        believed = true;
    }

    /** Whether a stage has believed the peer. */
    public boolean isBelieved() {
        return believed;
    }

    /** When its first bytes were readable. */
    public long startedNs() {
        return timing.startedNs();
    }

    /** Whether its body is announced to be larger than {@code bytes}. */
    public boolean announcesMoreThan(long bytes) {
        return body.isAnnouncedLargerThan(bytes);
    }

    /**
     * Answers in the backend's place. To a call of gRPC, {@code grpc-status} among the fields is what the call comes to.
     *
     * @param text the body, null for none
     */
    public void respond(int status, Fields fields, @Nullable String text) {
        if (!finished) {
            if (grpc != null) {
                grpc.responds(GrpcStatus.in(fields));
            }
            response.own(status, fields, text, head.isHead(), !body.isEnded());
            finish();
        }
    }

    /** The caller waits no longer than that; to be told before an attempt is made. */
    public void callerDeadline(CallerDeadline deadline) {
        request.callerDeadline(deadline);
    }

    /** Where it is a call of gRPC, its client's deadline holds; to be told before an attempt is made. */
    public void grpcDeadline() {
        CallerDeadline deadline = grpc == null ? null : GrpcCall.deadline(head);
        if (deadline != null) {
            callerDeadline(deadline);
        }
    }

    /** The code by which its endpoint has reset the stream, and so ended it; {@link #NOT_RESET} where it has not. */
    public long resetCode() {
        return request.resetCode();
    }

    /** The status by which a client of gRPC learns of its failure. */
    public GrpcStatus statusOf(Failure failure) {
        boolean reset = failure == Failure.STREAM_RESET && resetCode() != NOT_RESET;
        return reset ? GrpcStatus.ofReset(resetCode()) : GrpcStatus.of(failure);
    }

    /** Whether its failure is told as gRPC tells it. */
    public boolean isGrpcCall() {
        return grpc != null;
    }

    /** Has the call that it is counted there as well. */
    public void countCall(GrpcMethodStats ofMethod) {
        if (grpc != null) {
            grpc.countAt(ofMethod);
        }
    }

    @Nullable
    GrpcCall grpc() {
        return grpc;
    }

    /** Where its cluster's name leads, by its own word; to be told before an attempt is made. */
    public void requestDtab(RequestDtab dtab) {
        request.dtab(dtab);
    }

    @Nullable
    RequestDtab requestDtab() {
        return request.dtab();
    }

    /** Has a second attempt beside one that is slow; to be told before an attempt is made. */
    public void hedge(HedgeDelay delay) {
        request.hedge(delay);
    }

    /** Has a first attempt made at {@code cluster}; not where the exchange has ended meanwhile. */
    public void dispatch(Cluster cluster) {
        if (!finished) {
            request.dispatch(cluster);
        }
    }

    /** How often an attempt has been made. */
    public int attempts() {
        return request.attempts();
    }

    /** How long it has been in the proxy so far, as the log will have it. */
    public long proxyNs() {
        return timing.proxyNs(listener.loop().nowNs());
    }

    /** How long the backend has been waited for so far. */
    public long backendNs() {
        return timing.backendNs(listener.loop().nowNs());
    }

    /** The final response's status, 0 where none was sent. */
    public int status() {
        return outcome.status();
    }

    /** The rule that one of its messages has broken, null for none. */
    public @Nullable Rule rule() {
        return outcome.rule();
    }

    /** How it failed; null where it did not, or not yet. */
    public @Nullable Failure failure() {
        return outcome.failure();
    }

    /** Whether it is somebody's failure, by its status, that of gRPC or how it ended. To be asked at its end. */
    public boolean hasFailed() {
        return outcome.hasFailed(grpc);
    }

    /** What its client was told that it came to as a call of gRPC; null where that is nothing, or it is none. */
    public @Nullable GrpcStatus grpcStatus() {
        return grpc == null ? null : grpc.status();
    }

    private void passStages() {
        Stage[] stages = snapshot.stages();
        while (!finished && nextStage < stages.length && stages[nextStage++].pass(this)) {
            // the next one
        }
    }

    // ---- what the frontend tells

    /** Flushes what has been written to the backend; called where a read from the client ends. */
    public void flushRequest() {
        request.flush();
    }

    /** Takes over {@code content}. */
    public void requestContent(ByteBuf content) {
        request.content(content);
    }

    /**
     * The request is whole, or the client's side of a tunnel has ended.
     *
     * @param trailers null or empty for none
     */
    public void requestEnd(@Nullable Fields trailers) {
        request.end(trailers);
    }

    public boolean isRequestEnded() {
        return body.isEnded();
    }

    /** The client's side can take more again, or cannot. */
    public void frontendWritable(boolean writable) {
        response.read(writable);
    }

    // ---- a tunnel

    /** Whether both sides speak raw by now. */
    public boolean isTunnel() {
        return request.isTunnel();
    }

    /**
     * Nothing has moved in a tunnel for {@link IdleTimes#tunnelNs}: it ends, unless its route lets it rest and both sides have taken
     * what there is.
     *
     * @param clientBehind whether something waits for the client
     * @return whether it goes on
     */
    public boolean tunnelIdle(boolean clientBehind) {
        if (!isTunnel() || finished) {
            return false;
        }
        if (IdleTimes.mayRest(this) && !clientBehind && request.isTaken()) {
            return true;
        }
        broke(IdleTimes.tunnelKey(this));
        endTunnel();
        return false;
    }

    /** One of its sides has ended. */
    void endTunnelIfOver() {
        if (isTunnel() && body.isEnded() && response.isEnded() && !finished) {
            endTunnel();
        }
    }

    /** The backend's side of a tunnel broke. */
    void tunnelBroken(Failure failure) {
        // after its end there was nothing more to come from it, and what it does not take any more it has not asked for
        if (frontend.isRaw() && !response.isEnded()) {
            fail(failure);
        } else {
            endTunnel();
        }
    }

    /** No failure: who closes a tunnel says that it is over. */
    private void endTunnel() {
        request.release();
        finish();
    }

    // ---- the end

    /** As {@link #fail(Failure)}, with fields that the response has beside its own. */
    public void fail(Failure failure, Fields told) {
        response.tell(told);
        fail(failure);
    }

    /** One of its messages has broken this rule, null for none; it fails for that. */
    public void broke(@Nullable Rule rule) {
        if (rule != null && !finished) {
            outcome.broke(rule);
        }
    }

    /** Fails it as {@link #fail(Failure)} does, for a rule that one of its messages has broken; null for none. */
    public void fail(Failure failure, @Nullable Rule rule) {
        broke(rule);
        fail(failure);
    }

    /** Ends an exchange that cannot go on: with a response where none has begun, with a cut where one has. */
    public void fail(Failure failure) {
        if (finished) {
            return;
        }
        boolean raw = frontend.isRaw();
        if (failure == Failure.CUT) {
            listener.cut(cutKind(raw));
        }
        if (isTunnel() && failure.withoutResponse() && !raw) {
            endTunnel();
            return;
        }
        if (outcome.rule() == null) {
            broke(IdleTimes.keyOf(failure, this, request.isTaken()));
        }
        if (outcome.failure() == null) {
            // else a reset of the client's side has come back here, and what it was for is known
            outcome.failure(failure);
        }
        request.reset(failure);
        try {
            boolean mute = raw
                    || failure.withoutResponse()
                    || frontend.isGivenUp()
                    // behind what the client does not take, it would keep what there is too little of
                    || failure == Failure.OVERLOADED && !frontend.isWritable()
                    || failure == Failure.CUT && listener.cutsMutely();
            if (!mute && !response.hasBegun()) {
                response.failure(failure, head.isHead(), failure.closesFrontend() || !body.isEnded());
            } else if (mute || resetCode() != NOT_RESET || !response.endEarly(failure)) {
                frontend.abort();
            }
        } finally {
            // whatever became of the response, the exchange must not stay in flight
            finish();
        }
    }

    private Cuts.Kind cutKind(boolean raw) {
        if (raw || isTunnel()) {
            return raw ? Cuts.Kind.TUNNEL : Cuts.Kind.UPGRADED;
        }
        return grpc != null ? Cuts.Kind.CALL : response.hasBegun() ? Cuts.Kind.STREAMING : Cuts.Kind.WAITING;
    }

    /** The response is whole, and is on its way to the client. */
    void complete() {
        if (body.isEnded()) {
            request.release();
        } else {
            // a response before the end of its request leaves the stream in the middle of a message
            request.reset(null);
        }
        finish();
    }

    private void finish() {
        if (finished) {
            // what a failing write reports may have come back here already
            return;
        }
        finished = true;
        request.finish();
        listener.admission().leave();
        if (grpc != null) {
            Failure failure = outcome.failure();
            grpc.ended(failure == null ? null : statusOf(failure));
        }
        timing.ended(listener.loop().nowNs());
        filters.ended(this);
        outcome.report(timing, body.bytes(), request.allAttempts(), grpc);
        grant.giveBack();
        frontend.exchangeDone();
    }
}
