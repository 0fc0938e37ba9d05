package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.ClientHalfClose;
import io.remora.engine.Cluster;
import io.remora.grpc.GrpcCall;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestDtab;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.memory.Claim;
import io.remora.metrics.ListenerMetric;
import io.remora.stream.BackendStream;
import org.jspecify.annotations.Nullable;

/**
 * One request with its response: passes the listener's stages, which answer it or have it attempted, and ends once, in
 * order or with a failure. A relay for each direction carries what passes between its two sides.
 *
 * <p>Its frontend drives it as a {@link FrontendExchange}. Stages and filters act on it as a {@link StagedRequest} or a
 * {@link RequestView}, and its relays and attempts use the class itself. Code outside the package sees only one of
 * these. The interfaces have the methods that need no more than the request and its outcome. The methods that move the
 * exchange on, or end it, are here.
 *
 * <p>Owner: one event loop, that of its frontend and of all its attempts.
 */
final class Exchange extends StagedRequest implements FrontendExchange {
    private final Filters filters = new Filters();
    private final RequestRelay request;
    private final ResponseRelay response;
    private final Grant grant;

    private int nextStage;
    /** Inside {@link #start}: the frontend flushes at the end of its read, head and body together. */
    private boolean starting;

    private boolean finished;

    /**
     * @param startedNs when the request's first bytes were readable
     * @param readyNs when the bytes that completed its head were readable
     * @param carriedNs spent in the proxy on reads before that one
     */
    Exchange(ListenerLoop listener, Frontend frontend, RequestHead head, long startedNs, long readyNs, long carriedNs) {
        super(listener, frontend, head, new Timing(startedNs, readyNs, carriedNs));
        this.request = new RequestRelay(this, frontend, filters, timing, body);
        this.response = new ResponseRelay(this, frontend, filters, timing, outcome, request);
        this.grant = new Grant(listener.loop().memory(), frontend, request, outcome);
        listener.stats().increment(ListenerMetric.EXCHANGES_STARTED);
        listener.admission().enter();
    }

    @Override
    public void start() {
        starting = true;
        passStages();
        starting = false;
    }

    @Override
    public Grant grant() {
        return grant;
    }

    @Override
    public Claim claim(Claim.Holder holder) {
        return new Claim(claimant(), true, grant.heldBytes(), timing.startedNs(), grant.moved(), holder);
    }

    // ---- what its relays and attempts ask

    /** Covers as {@link Grant#cover} does; where there is no room, a client that has more than its share makes some. */
    boolean cover(Fields section) {
        return grant.cover(section) || makeRoomForHeld();
    }

    /** Has clients that have more than their share make room in the heap; returns whether there is room now. */
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

    @Override
    public void resume() {
        if (!finished) {
            try {
                passStages();
            } catch (RuntimeException | Error e) {
                fault(e);
            }
        }
    }

    @Override
    public void join(Filter filter) {
        filters.add(filter);
    }

    @Override
    public void respond(int status, Fields fields, @Nullable String text) {
        if (!finished) {
            if (grpc != null) {
                grpc.responds(GrpcStatus.in(fields));
            }
            boolean sent = false;
            try {
                response.own(status, fields, text, head.isHead(), !body.isEnded());
                sent = true;
            } finally {
                finish(sent);
            }
        }
    }

    @Override
    public void callerDeadline(CallerDeadline deadline) {
        request.callerDeadline(deadline);
    }

    @Override
    public long resetCode() {
        return request.resetCode();
    }

    @Override
    public GrpcStatus statusOf(Failure failure) {
        boolean reset = failure == Failure.STREAM_RESET && resetCode() != NOT_RESET;
        return reset ? GrpcStatus.ofReset(resetCode()) : GrpcStatus.of(failure);
    }

    @Nullable
    GrpcCall grpc() {
        return grpc;
    }

    @Override
    public void requestDtab(RequestDtab dtab) {
        request.dtab(dtab);
    }

    @Nullable
    RequestDtab requestDtab() {
        return request.dtab();
    }

    @Override
    public void hedge(HedgeTrigger trigger) {
        request.hedge(trigger);
    }

    @Override
    public void dispatch(Cluster cluster) {
        if (!finished) {
            request.dispatch(cluster);
        }
    }

    @Override
    public int attempts() {
        return request.attempts();
    }

    @Override
    public @Nullable Rule rule() {
        return outcome.rule();
    }

    private void passStages() {
        Stage[] stages = snapshot.stages();
        while (!finished && nextStage < stages.length && stages[nextStage++].pass(this)) {
            // the next one
        }
    }

    // ---- what the frontend tells

    @Override
    public void flushRequest() {
        request.flush();
    }

    @Override
    public void requestContent(ByteBuf content) {
        request.content(content);
    }

    @Override
    public void requestEnd(@Nullable Fields trailers) {
        request.end(trailers);
    }

    @Override
    public boolean isCancelledByHalfClose() {
        return snapshot.config().clientHalfClose() == ClientHalfClose.CANCEL;
    }

    @Override
    public void frontendWritable(boolean writable) {
        response.read(writable);
    }

    // ---- a tunnel

    @Override
    public long bodyIdleNs() {
        return IdleTimes.bodyNs(route(), snapshot.config().timeouts());
    }

    @Override
    public long answerIdleNs() {
        return IdleTimes.answerNs(route(), snapshot.config().timeouts());
    }

    @Override
    public long tunnelIdleNs() {
        return IdleTimes.tunnelNs(route(), snapshot.config().timeouts());
    }

    @Override
    public boolean isTunnel() {
        return request.isTunnel();
    }

    @Override
    public boolean tunnelIdle(boolean clientBehind) {
        if (!isTunnel() || finished) {
            return false;
        }
        if (IdleTimes.mayRest(route()) && !clientBehind && request.isTaken()) {
            return true;
        }
        broke(IdleTimes.tunnelKey(route()));
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

    /** Ends a tunnel without a failure: a side that closes it says that it is over. */
    private void endTunnel() {
        try {
            request.release();
        } finally {
            finish();
        }
    }

    // ---- the end

    @Override
    public void fail(Failure failure, Fields told) {
        response.tell(told);
        fail(failure);
    }

    @Override
    public void broke(@Nullable Rule rule) {
        if (rule != null && !finished) {
            outcome.broke(rule);
        }
    }

    @Override
    public void fail(Failure failure, @Nullable Rule rule) {
        broke(rule);
        fail(failure);
    }

    @Override
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
            broke(IdleTimes.keyOf(failure, route(), request.isTaken()));
        }
        if (outcome.failure() == null) {
            // else a reset of the client's side has come back here, and what it was for is known
            outcome.failure(failure);
        }
        try {
            request.reset(failure);
        } finally {
            tell(failure, raw);
        }
    }

    // an exchange must not stay in flight, even if its response fails
    private void tell(Failure failure, boolean raw) {
        boolean told = false;
        try {
            boolean mute = raw
                    || failure.withoutResponse()
                    || frontend.isGivenUp()
                    // behind what the client does not take, it would keep what there is too little of
                    || failure == Failure.OVERLOADED && !frontend.isWritable()
                    || failure == Failure.CUT && listener.cutsMutely();
            if (!mute && !response.hasBegun()) {
                response.failure(failure, head.isHead(), failure.closesFrontend() || !body.isEnded());
                told = true;
            } else {
                told = !mute && resetCode() == NOT_RESET && response.endEarly(failure);
            }
        } finally {
            finish(told);
        }
    }

    /** Fails by a fault of its own, in a call that serves other exchanges as well. Nobody else would end this one. */
    void fault(Throwable cause) {
        listener.loop().report("exchange ended by ", cause);
        try {
            fail(Failure.INTERNAL);
        } catch (RuntimeException | Error e) {
            listener.loop().report("exchange ended by ", e);
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
        try {
            if (body.isEnded()) {
                request.release();
            } else {
                // a response before the end of its request leaves the stream in the middle of a message
                request.reset(null);
            }
        } finally {
            finish();
        }
    }

    // a client that has not got its response is not to wait for it
    private void finish(boolean told) {
        try {
            if (!told && !finished) {
                frontend.abort();
            }
        } finally {
            finish();
        }
    }

    private void finish() {
        if (finished) {
            // what a failing write reports may have come back here already
            return;
        }
        finished = true;
        try {
            request.finish();
        } finally {
            listener.admission().leave();
            try {
                report();
            } finally {
                release();
            }
        }
    }

    private void report() {
        try {
            if (grpc != null) {
                Failure failure = outcome.failure();
                grpc.ended(failure == null ? null : statusOf(failure));
            }
            timing.ended(listener.loop().nowNs());
            filters.ended(this);
        } finally {
            outcome.report(timing, body.bytes(), request.allAttempts(), grpc);
        }
    }

    private void release() {
        try {
            grant.giveBack();
        } finally {
            frontend.exchangeDone();
        }
    }
}
