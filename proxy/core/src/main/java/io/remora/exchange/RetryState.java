package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.Limits;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RoutePolicy;
import io.remora.engine.Cluster;
import io.remora.engine.RetryGate;
import io.remora.grpc.GrpcCall;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.stream.BackendStream;
import io.remora.transport.Deadline;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The further attempts of an exchange whose route has retries or timeouts, or whose caller has a deadline. It bounds
 * the time of the exchange and of each attempt, and decides whether another one follows. Exchanges without any of that
 * have none.
 *
 * <p>A request that has been written is written again only if it is idempotent, whole, and no octet of an answer has
 * gone to the client. Upgrades and requests that expect a 100 count as not idempotent: a client cannot get a second
 * 100.
 *
 * <p>Owner: the exchange. Bounds: attempts by the policy, all retries together by the cluster's {@link RetryGate}.
 * Spec: RFC 9110 section 9.2.2.
 */
final class RetryState implements Deadline.Expirable, Runnable {
    private static final long NEVER = Long.MAX_VALUE;
    /** Allowance for the difference of two clocks, and for the way between them. */
    private static final long CLOCKS_NS = 50_000_000L;

    private final Exchange exchange;
    private final RequestBody body;
    private final @Nullable RetryConfig retries;
    private final @Nullable RetryGate gate;
    private final @Nullable Replay replay;
    /** True for a gRPC call that may be made again: where a status is listed, and where it was not processed. */
    private final boolean callRetries;

    private final @Nullable CallerDeadline caller;
    /** True where the total is the caller's own, which is no endpoint's fault. */
    private final boolean callers;

    private final long tryNs;
    private final long totalAtNs;
    private final @Nullable Deadline deadline;
    private long tryAtNs = NEVER;
    private int retried;
    /** True while the attempt under way has an endpoint. */
    private boolean picked;
    /** True once an endpoint may have seen the request. */
    private boolean sent;
    /** True once the client got an interim response. */
    private boolean interim;
    /** True while a retry is owed to the gate. */
    private boolean entered;

    private Failure failure = Failure.BACKEND_CLOSED;
    private @Nullable Attempt failed;
    private @Nullable Future<?> backOff;
    private long backOffSinceNs;

    /**
     * @param hedged whether a second attempt may start next to a slow one
     * @param nowNs the loop's clock, read just now
     */
    RetryState(
            Exchange exchange,
            RequestBody body,
            Cluster cluster,
            @Nullable RouteConfig route,
            boolean hedged,
            @Nullable CallerDeadline caller,
            long nowNs) {
        this.exchange = exchange;
        this.body = body;
        this.caller = caller;
        RoutePolicy policy = route == null ? null : route.policy();
        RetryConfig asked = route == null ? null : route.options().get(RetryConfig.RETRIES);
        this.gate = asked == null && !hedged || cluster.repeatsByItself() ? null : cluster.retries();
        this.retries = gate == null ? null : asked;
        long totalNs = policy == null ? Limits.UNLIMITED : policy.totalNs();
        this.callers = caller != null && caller.waitsNs() < totalNs;
        long boundNs = caller != null && callers ? caller.waitsNs() : totalNs;
        this.totalAtNs = boundNs == Limits.UNLIMITED ? NEVER : exchange.startedNs() + boundNs;
        this.tryNs = policy == null ? Limits.UNLIMITED : policy.tryNs();
        boolean timed = totalAtNs != NEVER || tryNs != Limits.UNLIMITED;
        this.deadline = timed ? exchange.listener().loop().deadlines().add(this) : null;
        int keepBytes = asked == null ? Hedge.BODY_BYTES : asked.bodyBytes();
        this.callRetries = retries != null && exchange.grpc() != null;
        boolean kept = gate != null && !body.isNone() && !body.isAnnouncedLargerThan(keepBytes);
        this.replay = kept && (callRetries || mayResend())
                ? new Replay(exchange.listener().loop().memory(), keepBytes)
                : null;
        if (gate != null) {
            gate.request(nowNs);
        }
        arm(nowNs);
    }

    private long nowNs() {
        return exchange.listener().loop().nowNs();
    }

    @Nullable
    RetryGate gate() {
        return gate;
    }

    /** Returns whether it does no harm to send the request more than once. */
    boolean mayResend() {
        RequestHead head = exchange.head();
        return head.isIdempotent() && head.upgrade() == null && !head.fields.contains(FieldName.EXPECT);
    }

    // ---- what passes

    /** Takes note of content on its way to the backend, which stays the caller's. */
    void keep(ByteBuf content) {
        if (replay != null) {
            replay.keep(content);
        }
    }

    /** An attempt begins. */
    void begins() {
        tellCaller();
        GrpcCall grpc = exchange.grpc();
        if (grpc != null && retried > 0) {
            grpc.repeats(exchange.head().fields, retried);
        }
        tryAtNs = NEVER;
        picked = false;
    }

    /** Says in the request's fields what is left of the caller's time. */
    void tellCaller() {
        if (caller != null) {
            caller.tell(exchange.head().fields, totalAtNs - nowNs());
        }
    }

    /** Waits for the endpoint of the attempt from now on. */
    void picked() {
        picked = true;
        if (body.isEnded()) {
            requestWhole();
        }
    }

    /** Waits for the endpoint from now on, as the client has sent all of the request. */
    void requestWhole() {
        boolean waits = picked && failed == null && !exchange.response().hasBegun();
        if (tryNs != Limits.UNLIMITED && waits) {
            long nowNs = nowNs();
            tryAtNs = nowNs + tryNs;
            arm(nowNs);
        }
    }

    /** Returns whether a stream can still get all of the body that has come. */
    boolean canSend() {
        return !body.hasBegun() || replay != null && replay.isWhole();
    }

    /** Returns whether a second stream can get all of the body as well; content that is held goes to one only. */
    boolean canSendTwice() {
        return body.isNone() || replay != null && replay.isWhole();
    }

    /** Failure of the last attempt that another one was to follow. */
    Failure failure() {
        return failure;
    }

    /** An attempt's stream is ready, and its head written; writes what there is of the body. */
    void moveBodyTo(BackendStream stream) {
        sent = true;
        if (replay != null && body.hasBegun()) {
            body.replay(replay.content(), stream);
        } else {
            body.moveTo(stream);
        }
    }

    /** Returns whether a second endpoint may get the request as well, now. */
    boolean mayHedge() {
        return body.isEnded()
                && canSendTwice()
                && !interim
                && !exchange.response().hasBegun()
                && !isOver(nowNs());
    }

    /** Writes all of the body to a second stream. */
    void sendAgain(BackendStream stream) {
        if (replay != null) {
            // from now on the first one takes what was kept too, if it has not got any yet
            body.begin();
            body.replay(replay.content(), stream);
        }
    }

    void interim() {
        interim = true;
    }

    /** The final response's head goes to the client: there is no other attempt any more. */
    void answered() {
        // the deadline stays: few exchanges go on until then, and it is set again for these
        tryAtNs = NEVER;
        if (replay != null) {
            replay.giveUp();
        }
        leaveGate();
    }

    /** The exchange is over, or has become a tunnel. */
    void ended() {
        if (deadline != null) {
            deadline.cancel();
        }
        if (replay != null) {
            replay.giveUp();
        }
        endBackOff();
        leaveGate();
    }

    private void endBackOff() {
        if (backOff != null) {
            backOff.cancel(false);
            backOff = null;
            exchange.timing().waited(nowNs() - backOffSinceNs);
        }
    }

    private void leaveGate() {
        if (entered && gate != null) {
            entered = false;
            gate.ended();
        }
    }

    // ---- deadlines

    private void arm(long nowNs) {
        if (deadline != null) {
            long atNs = Math.min(totalAtNs, tryAtNs);
            if (atNs == NEVER) {
                deadline.clear();
            } else {
                deadline.setOnce(Math.max(0, atNs - nowNs), nowNs);
            }
        }
    }

    @Override
    public void onDeadline() {
        if (exchange.isFinished()) {
            return;
        }
        try {
            timeOver();
        } catch (RuntimeException | Error e) {
            exchange.fault(e);
        }
    }

    private void timeOver() {
        long nowNs = nowNs();
        if (isOver(nowNs)) {
            totalOver();
        } else if (nowNs >= tryAtNs) {
            tryAtNs = NEVER;
            exchange.request().tryOver();
            if (!exchange.isFinished()) {
                arm(nowNs());
            }
        } else {
            arm(nowNs);
        }
    }

    /** Returns whether no time is left. */
    boolean isOver(long nowNs) {
        return nowNs >= totalAtNs;
    }

    /**
     * Returns how the exchange fails whose last attempt failed so. A call that its endpoint cancels at the deadline, which it knows, has
     * taken too long: its clock may be ahead of ours.
     *
     * @param resetCode by which the endpoint has reset the stream
     */
    Failure told(Failure why, long resetCode) {
        boolean cancelled = exchange.grpc() != null && GrpcStatus.ofReset(resetCode) == GrpcStatus.CANCELLED;
        return cancelled && caller != null && nowNs() >= totalAtNs - CLOCKS_NS ? overdue() : why;
    }

    /** Failure of an exchange that takes too long. */
    Failure overdue() {
        return callers ? Failure.CALLER_DEADLINE : Failure.TOTAL_TIMEOUT;
    }

    // who had all of the time and did not answer is to blame; who came last, or had to wait for the client, is not
    private void totalOver() {
        boolean alone = exchange.attempts() == 1 && sent && body.isEnded();
        if (callers || !alone || exchange.response().hasBegun()) {
            exchange.request().reset(null);
        }
        exchange.fail(overdue());
    }

    // ---- retries

    /** Returns whether repetitions follow the policy and its budget. */
    boolean hasRetries() {
        return retries != null;
    }

    /** Has another attempt follow, at once or later, if the policy has one. */
    boolean retry(Attempt attempt, Failure why) {
        String reason = RetryRules.reason(why);
        boolean unseen = callRetries && why.repeat() == Failure.Repeat.UNPROCESSED;
        if (reason == null || !mayFollow(unseen) || !enters(reason, 0)) {
            return false;
        }
        failure = why;
        attempt.reset(why);
        // a connection that turned out to be stale says nothing of the endpoint's load
        boolean stale = retried == 1 && attempt.wasReused() && why.repeat() == Failure.Repeat.UNANSWERED;
        goOn(attempt, stale ? 0 : backOffNs());
        return true;
    }

    /** Returns whether a response has a status that another attempt may better. */
    boolean isRetryable(ResponseHead head) {
        return RetryRules.has(retries, head.status);
    }

    // a response that is nothing but a status of gRPC which is listed
    private boolean isListed(ResponseHead head) {
        GrpcStatus status = callRetries ? GrpcCall.withoutContent(head) : null;
        return status != null && retries != null && retries.grpc().contains(status.label());
    }

    /** Returns whether a response is dropped in favour of another attempt. */
    boolean drops(Attempt attempt, ResponseHead head) {
        boolean listed = isListed(head);
        if (!listed && !isRetryable(head) || !mayFollow(listed)) {
            return false;
        }
        long askedNs = listed ? GrpcCall.waitNs(head.fields) : RetryAfter.waitNs(head.fields);
        if (listed && askedNs == GrpcCall.NO_RETRY) {
            return false;
        }
        boolean tooLong = askedNs > 0 && (totalAtNs == NEVER || askedNs >= totalAtNs - nowNs());
        if (tooLong) {
            refused("deadline");
            return false;
        }
        if (!enters("status", askedNs)) {
            return false;
        }
        attempt.drop();
        // not before the end of this read, with which the connection of what is dropped is free, or gone
        goOn(attempt, Math.max(1, Math.max(askedNs, backOffNs())));
        return true;
    }

    /**
     * @param safe whether it does no harm though the request is not idempotent
     */
    private boolean mayFollow(boolean safe) {
        if (retries == null || retried + 1 >= retries.attempts()) {
            return false;
        }
        if (exchange.response().hasBegun() || interim || sent && !safe && !mayResend()) {
            return false;
        }
        if (!canSend()) {
            refused("body");
        }
        return canSend();
    }

    private boolean enters(String reason, long waitNs) {
        long nowNs = nowNs();
        if (nowNs + waitNs >= totalAtNs) {
            refused("deadline");
            return false;
        }
        leaveGate();
        entered = gate != null && gate.enter(reason, nowNs);
        retried += entered ? 1 : 0;
        return entered;
    }

    private void refused(String why) {
        if (gate != null) {
            gate.refused(why);
        }
    }

    private long backOffNs() {
        return retries == null ? 0 : RetryRules.backOffNs(retries, retried);
    }

    private void goOn(Attempt after, long waitNs) {
        failed = after;
        tryAtNs = NEVER;
        if (waitNs == 0) {
            run();
        } else {
            backOffSinceNs = nowNs();
            arm(backOffSinceNs);
            exchange.timing().undoDispatch(backOffSinceNs);
            backOff = exchange.listener().loop().after(this, waitNs);
        }
    }

    /** The back-off is over. */
    @Override
    public void run() {
        try {
            goOn();
        } catch (RuntimeException | Error e) {
            exchange.fault(e);
        }
    }

    private void goOn() {
        Attempt after = failed;
        if (!exchange.isFinished() && after != null) {
            failed = null;
            endBackOff();
            if (canSend()) {
                exchange.request().again(after);
            } else {
                // what was kept has been outgrown meanwhile
                exchange.fail(failure);
            }
        }
    }
}
