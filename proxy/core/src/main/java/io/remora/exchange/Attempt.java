package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.PlacedText;
import io.remora.config.model.RouteConfig;
import io.remora.engine.Cluster;
import io.remora.grpc.GrpcAnswer;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.stream.BackendStream;
import io.remora.stream.RequestAttributes;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * One try to have a request answered: picks an endpoint, waits for a stream, dispatches, and ends with a verdict that the
 * endpoint learns of.
 *
 * <p>Owner: its exchange, which hears of it only while it is the exchange's current attempt.
 */
final class Attempt extends StreamClient implements AttemptView {
    /** State of an attempt; it only ever moves on. */
    enum State {
        /** No stream yet; the request's content waits. */
        WAITING,
        /** The request is on its way, or whole, and no response's head has come. */
        SENT,
        /** The final response's head has come. */
        ANSWERED,
        ENDED
    }

    private final Exchange exchange;
    private final Cluster cluster;
    /** Its place among the exchange's attempts, from 1. */
    private final int number;

    private State state = State.WAITING;
    private @Nullable Target target;
    private @Nullable BackendStream stream;
    /** Attributes of the request, created on first use. */
    private @Nullable RequestAttributes attributes;

    private boolean reused;
    /** Time at which it got its stream. */
    private long sentNs;
    /** True where the endpoint had apparently closed its connection when the request was written. */
    private boolean stale;

    /** Time since which the attempt waits for the cluster to be known; 0 otherwise. */
    private long waitsSinceNs;

    private int status;
    /** Null where the response is none of gRPC, to a call. */
    private @Nullable GrpcAnswer grpc;

    private @Nullable Failure failure;
    private @Nullable Rule broke;
    /** Code of the endpoint's stream reset; {@link Exchange#NOT_RESET} without one. */
    private long resetCode = Exchange.NOT_RESET;

    /** Verdict on its endpoint once another attempt was faster; null where none was. */
    private @Nullable Verdict overtaken;

    private long overtakenNs;

    Attempt(Exchange exchange, Cluster cluster, int number) {
        this.exchange = exchange;
        this.cluster = cluster;
        this.number = number;
    }

    // ---- what a filter may ask

    @Override
    public int number() {
        return number;
    }

    @Override
    public @Nullable String endpoint() {
        return target == null ? null : target.name();
    }

    @Override
    public @Nullable String clusterName() {
        return cluster.name();
    }

    @Override
    public String scheme() {
        return cluster.scheme();
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public @Nullable Failure failure() {
        return failure;
    }

    @Override
    public @Nullable GrpcStatus grpcStatus() {
        return grpc == null ? null : grpc.status();
    }

    @Override
    public boolean wasReused() {
        return reused;
    }

    @Override
    public @Nullable String reason() {
        Failure why = failure;
        if (why != null) {
            return why.isBackends() || why.repeat() != Failure.Repeat.NEVER ? why.label() : null;
        }
        if (status == 0 || exchange.response().hasBegun()) {
            return null;
        }
        GrpcStatus told = grpcStatus();
        return told == null ? "status-" + status : "grpc-" + told.label();
    }

    // ---- on its way

    /** Asks for a stream at an endpoint other than {@code tried}, where there is one. */
    void start(@Nullable Target tried) {
        cluster.newStream(exchange.head(), tried, this);
        if (state == State.WAITING && target == null) {
            waitsSinceNs = exchange.listener().loop().nowNs();
        }
    }

    // until somebody knows where the cluster is
    private void endWait() {
        if (waitsSinceNs != 0) {
            exchange.timing().waited(exchange.listener().loop().nowNs() - waitsSinceNs);
            waitsSinceNs = 0;
        }
    }

    /** Asks the endpoint of {@code failed} for a stream on a connection that has carried none. */
    void startAgain(Attempt failed) {
        if (failed.target != null) {
            cluster.newStreamAgain(failed.target, this);
        }
    }

    /** Returns whether its endpoint may still answer. */
    boolean isUnanswered() {
        return state == State.WAITING || state == State.SENT;
    }

    Cluster cluster() {
        return cluster;
    }

    @Nullable
    Target target() {
        return target;
    }

    @Nullable
    BackendStream stream() {
        return stream;
    }

    @Override
    public void picked(Target endpoint) {
        endWait();
        target = endpoint;
        try {
            exchange.request().picked(this, endpoint);
        } catch (RuntimeException | Error e) {
            exchange.fault(e);
        }
    }

    @Override
    public void repeated(boolean written) {
        exchange.request().repeatedByEngine(written);
    }

    @Override
    public Verdict verdictOf(int status) {
        return Verdict.ofStatus(status);
    }

    @Override
    public void ready(BackendStream ready) {
        if (state != State.WAITING) {
            ready.release();
            return;
        }
        state = State.SENT;
        stream = ready;
        reused = ready.isReused();
        sentNs = exchange.listener().loop().readyNs();
        try {
            exchange.request().ready(this, ready);
        } catch (RuntimeException | Error e) {
            exchange.fault(e);
        }
    }

    @Override
    public void refused(Failure why) {
        if (state == State.WAITING) {
            failed(why, !exchange.response().hasBegun());
        }
    }

    private void failed(Failure why, boolean unanswered) {
        try {
            exchange.request().failed(this, why, unanswered);
        } catch (RuntimeException | Error e) {
            exchange.fault(e);
        }
    }

    @Override
    public long bodyIdleNs() {
        return exchange.snapshot().config().timeouts().bodyIdleNs();
    }

    @Override
    public long silenceNs() {
        return exchange.bodyIdleNs();
    }

    @Override
    public RequestAttributes attributes() {
        RequestAttributes known = attributes;
        if (known == null) {
            RouteConfig route = exchange.route();
            PlacedText dtab = route == null ? null : route.dtab();
            known = new RequestAttributes(
                    exchange.head().isMultiplexed(),
                    exchange.client(),
                    exchange.originalDestination(),
                    dtab == null ? "" : dtab.text(),
                    exchange.requestDtab());
            attributes = known;
        }
        return known;
    }

    @Override
    public boolean makeRoom() {
        return exchange.makeRoomForHeld();
    }

    @Override
    public boolean isGone() {
        return state == State.ENDED;
    }

    // ---- what comes back

    @Override
    public void response(ResponseHead head, long readyNs) {
        if (!head.isInterim() || head.isSwitch()) {
            state = State.ANSWERED;
            status = head.status;
            exchange.request().answered(this);
            if (exchange.grpc() != null) {
                grpc = GrpcAnswer.of(head);
            }
            Target told = target;
            if (told != null) {
                told.answered(answer());
            }
        }
        if (exchange.request().isFirst(this, head)) {
            exchange.response().head(head, readyNs);
        }
    }

    @Override
    public void content(ByteBuf content) {
        exchange.response().content(content);
    }

    @Override
    public void end(@Nullable Fields trailers) {
        if (grpc != null) {
            grpc.ended(trailers);
        }
        exchange.response().end(trailers);
    }

    @Override
    public void readComplete() {
        exchange.response().readComplete();
    }

    @Override
    public void writable(boolean writable) {
        exchange.request().writable(writable);
    }

    @Override
    public void ruleBroken(Rule rule) {
        broke = rule;
    }

    /** Rule that its response has broken, null for none. */
    @Nullable
    Rule broke() {
        return broke;
    }

    @Override
    public void resetBy(long code) {
        resetCode = code;
    }

    long resetCode() {
        return resetCode;
    }

    @Override
    public void broken(Failure why, boolean anyByte) {
        stream = null;
        boolean early = exchange.listener().loop().readyNs() - sentNs <= BackendStream.STALE_NS;
        stale = reused && early && !anyByte && why.repeat() == Failure.Repeat.UNANSWERED;
        failed(why, !anyByte && !exchange.response().hasBegun());
    }

    // ---- the end

    /** Ends it in order: the response is whole, or nothing of the request was written. */
    void release() {
        BackendStream from = conclude(null);
        if (from != null) {
            from.release();
        }
    }

    /** Ends it in the middle of a message; {@code why} is null for an end without failure. */
    void reset(@Nullable Failure why) {
        BackendStream from = conclude(why);
        if (from != null) {
            from.reset();
        }
    }

    /** Ends it because another one may have a better response. */
    void drop() {
        BackendStream from = conclude(null);
        if (from != null) {
            from.drop();
        }
    }

    /**
     * Ends it because another one was faster.
     *
     * @param tooLong whether no endpoint that works takes as long as this one was waited for
     */
    void overtaken(long waitedNs, boolean tooLong) {
        boolean failed = tooLong && state == State.SENT;
        if (isUnanswered()) {
            overtaken = failed ? Verdict.FAILURE : Verdict.OVERTAKEN;
            overtakenNs = waitedNs;
        }
        reset(null);
    }

    private @Nullable BackendStream conclude(@Nullable Failure why) {
        if (state == State.ENDED) {
            return null;
        }
        boolean answered = state == State.ANSWERED;
        boolean waiting = state == State.WAITING;
        endWait();
        state = State.ENDED;
        failure = why;
        BackendStream from = stream;
        stream = null;
        boolean told = false;
        try {
            tell(verdict(answered, why), waiting);
            told = true;
        } finally {
            if (!told && from != null) {
                // nobody else has it
                from.reset();
            }
        }
        return from;
    }

    private void tell(Verdict verdict, boolean waiting) {
        Target its = target;
        try {
            if (its != null) {
                its.ended(verdict, overtaken == null ? exchange.timing().firstByteNs() : overtakenNs);
            }
        } finally {
            leave(waiting);
        }
    }

    private void leave(boolean waiting) {
        try {
            if (waiting) {
                cluster.left(target, this);
            }
        } finally {
            exchange.request().ended(this);
        }
    }

    private Verdict verdict(boolean answered, @Nullable Failure why) {
        if (overtaken != null) {
            return overtaken;
        }
        if (stale) {
            // nobody's fault: the endpoint may close a connection that rests
            return Verdict.IGNORED;
        }
        if (why != null) {
            return Verdict.ofFailure(why);
        }
        return answered ? answer() : Verdict.IGNORED;
    }

    private Verdict answer() {
        return grpc == null ? Verdict.ofStatus(status) : grpc.verdict();
    }
}
