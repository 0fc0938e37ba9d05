package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RoutePolicy;
import io.remora.engine.Cluster;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestDtab;
import io.remora.http.ResponseHead;
import io.remora.http.Trailers;
import io.remora.metrics.ListenerMetric;
import io.remora.stream.BackendStream;
import io.remora.stream.Target;
import org.jspecify.annotations.Nullable;

/**
 * An exchange's request on its way to the backend: has one attempt made after another, and relays head and content to
 * the stream of the current one.
 *
 * <p>Owner: the exchange, which alone ends itself. Bounds: {@link SafeRetry} for attempts, {@link RequestBody} for
 * content that is held before there is a stream.
 */
final class RequestRelay {
    private final Exchange exchange;
    private final Frontend frontend;
    private final Filters filters;
    private final Timing timing;
    private final RequestBody body;
    /** Created once an attempt of the exchange fails. */
    private @Nullable SafeRetry retries;
    /** Null unless the exchange has retries or deadlines. */
    private @Nullable RetryState tries;

    /** Null unless the exchange may have two attempts at once. */
    private @Nullable Hedge hedge;

    private @Nullable CallerDeadline callerDeadline;
    private @Nullable RequestDtab dtab;
    /** The current attempt; null before the first, and once nothing more is expected of it. */
    private @Nullable Attempt attempt;

    private long resetCode = Exchange.NOT_RESET;
    private int attempts;
    /** Repetitions of its only attempt, by an engine that repeats by itself. */
    private int repetitions;
    /** True where content is the raw octets of a tunnel. */
    private boolean tunnel;

    RequestRelay(Exchange exchange, Frontend frontend, Filters filters, Timing timing, RequestBody body) {
        this.exchange = exchange;
        this.frontend = frontend;
        this.filters = filters;
        this.timing = timing;
        this.body = body;
    }

    boolean isTunnel() {
        return tunnel;
    }

    /** Bytes of content that have come so far. */
    long bytes() {
        return body.bytes();
    }

    /** Returns how many attempts were made. */
    int attempts() {
        return attempts;
    }

    /**
     * Code by which its endpoint has reset the stream, and so ended the exchange; {@link Exchange#NOT_RESET} without
     * one.
     */
    long resetCode() {
        return resetCode;
    }

    /** Returns how many attempts were made, those of the engine included. */
    int allAttempts() {
        return attempts + repetitions;
    }

    /** Stream of the current attempt, null while there is none. */
    @Nullable
    BackendStream stream() {
        return attempt == null ? null : attempt.stream();
    }

    // ---- attempts

    /** Adds a deadline of the caller. */
    void callerDeadline(CallerDeadline deadline) {
        callerDeadline = deadline.beside(callerDeadline);
    }

    /** Sets the delegations that bind the name of its cluster as well. */
    void dtab(RequestDtab own) {
        dtab = own;
    }

    @Nullable
    RequestDtab dtab() {
        return dtab;
    }

    /** Allows a second attempt while the first one is slow. */
    void hedge(HedgeTrigger trigger) {
        hedge = new Hedge(exchange, body, trigger);
    }

    /** Has a first attempt made. */
    void dispatch(Cluster cluster) {
        RouteConfig route = exchange.route();
        RoutePolicy policy = route == null ? null : route.policy();
        if (policy != null || callerDeadline != null || hedge != null) {
            long nowNs = exchange.listener().loop().nowNs();
            tries = new RetryState(exchange, body, cluster, route, hedge != null, callerDeadline, nowNs);
            if (tries.isOver(nowNs)) {
                exchange.fail(tries.overdue());
                return;
            }
        }
        if (hedge != null && !hedge.mayFollow(tries)) {
            hedge = null;
        }
        exchange.dispatched(cluster);
        filterHeld();
        if (!exchange.isFinished()) {
            Attempt first = newAttempt(cluster);
            if (first == attempt) {
                first.start(null);
            }
        }
    }

    // what came while a stage held the request back, for filters that have joined since
    private void filterHeld() {
        for (int left = body.held(); left > 0; left--) {
            ByteBuf content = body.poll();
            ByteBuf filtered = content == null ? null : filters.requestContent(content);
            if (filtered != null) {
                // which holds it again, behind the rest
                write(filtered);
            }
        }
        if (!body.isNone() && body.isEnded()) {
            filters.requestEnd(this);
        }
    }

    private Attempt newAttempt(Cluster cluster) {
        Attempt next = new Attempt(exchange, cluster, ++attempts);
        attempt = next;
        if (tries != null) {
            tries.begins();
        }
        filters.attempt(exchange.head(), next);
        return next;
    }

    /** Begins another attempt next to the current one. */
    Attempt secondAttempt(Cluster cluster) {
        Attempt second = new Attempt(exchange, cluster, ++attempts);
        filters.attempt(exchange.head(), second);
        return second;
    }

    boolean isCurrent(Attempt one) {
        return one == attempt;
    }

    /** The second attempt goes on alone. */
    void goOn(Attempt second, Target target, long sentNs) {
        attempt = second;
        exchange.picked(target.name(), second.stream());
        timing.undoDispatch(sentNs);
        if (second.stream() != null) {
            timing.dispatched(sentNs);
            exchange.grant().bound(second.stream());
        }
    }

    /** An attempt has got a stream. */
    void ready(Attempt its, BackendStream stream) {
        if (its != attempt) {
            if (hedge != null) {
                hedge.ready(stream);
            }
            return;
        }
        exchange.speaks(stream);
        if (tries != null && !tries.canSend()) {
            // it overflowed while the attempt was on its way, and no endpoint is to see a part of a body
            reset(null);
            exchange.fail(tries.failure());
            return;
        }
        exchange.grant().bound(stream);
        sends(its);
        stream.send(exchange.head());
        if (exchange.isFinished() || stream() != stream) {
            return;
        }
        if (tries == null) {
            body.moveTo(stream);
        } else {
            tries.moveBodyTo(stream);
        }
        if (!exchange.isStarting()) {
            flush();
        }
        // else the frontend's turn is still going on, and its end flushes head and body together
        if (!exchange.isFinished() && stream() == stream) {
            frontend.readBody(stream.isWritable());
        }
    }

    /** An attempt is about to send the head. */
    void sends(Attempt its) {
        filters.sends(exchange.head(), its);
    }

    /** The head of an attempt's final response has come. */
    void answered(Attempt its) {
        filters.answered(its);
    }

    /** An attempt came to nothing. */
    void failed(Attempt failed, Failure failure, boolean unanswered) {
        if (exchange.isFinished() || hedge != null && hedge.failed(failed, failure) || failed != attempt) {
            return;
        }
        if (tunnel) {
            exchange.tunnelBroken(failure);
            return;
        }
        if (retries == null) {
            retries = new SafeRetry();
        }
        SafeRetry.Next next = retries.after(failed, failure, exchange.head(), unanswered, body);
        if (next == SafeRetry.Next.NONE && tries != null && tries.hasRetries() && tries.retry(failed, failure)) {
            return;
        }
        if (next == SafeRetry.Next.NONE) {
            resetCode = failed.resetCode();
            Failure told = tries == null ? failure : tries.told(failure, resetCode);
            if (told != failure) {
                // the deadline is no fault of the endpoint's
                reset(null);
            }
            exchange.fail(told, told == Failure.BAD_RESPONSE ? failed.broke() : null);
        } else {
            repeat(failed, failure, next == SafeRetry.Next.OTHER_ENDPOINT);
        }
    }

    private void repeat(Attempt failed, Failure failure, boolean elsewhere) {
        ListenerLoop listener = exchange.listener();
        repeated(!elsewhere);
        timing.undoDispatch(listener.loop().readyNs());
        failed.reset(failure);
        Attempt following = newAttempt(failed.cluster());
        if (following != attempt) {
            return;
        }
        if (elsewhere) {
            following.start(failed.target());
        } else {
            following.startAgain(failed);
        }
    }

    /** The request is sent once more. */
    void repeated(boolean written) {
        exchange.listener().stats().increment(written ? ListenerMetric.RETRIES : ListenerMetric.REPICKS);
    }

    /** Notes an attempt that the engine repeats by itself. */
    void repeatedByEngine(boolean written) {
        repetitions++;
        repeated(written);
    }

    /** An attempt has an endpoint. */
    void picked(Attempt its, Target target) {
        filters.picked(its);
        if (its != attempt) {
            if (hedge != null) {
                hedge.picked(target);
            }
            return;
        }
        exchange.picked(target.name(), its.stream());
        if (its.stream() != null && !timing.isDispatched()) {
            // what was flushed before goes out now
            timing.dispatched(exchange.listener().loop().nowNs());
        }
        if (tries != null) {
            tries.picked();
        }
        if (hedge != null && body.isEnded()) {
            hedge.await(its);
        }
    }

    /**
     * Returns whether the attempt's response is passed on, and not that of another one which is under way or was sent
     * as well.
     */
    boolean isFirst(Attempt its, ResponseHead head) {
        return hedge == null || hedge.isFirst(its, head);
    }

    /** The current attempt has taken as long as it may. */
    void tryOver() {
        Attempt current = attempt;
        if (current != null) {
            failed(current, Failure.TRY_TIMEOUT, false);
        }
    }

    /** Another attempt follows one that has ended already, elsewhere if there is anywhere else. */
    void again(Attempt after) {
        timing.undoDispatch(exchange.listener().loop().nowNs());
        Attempt following = newAttempt(after.cluster());
        if (following == attempt) {
            following.start(after.target());
        }
    }

    /** Returns whether the response with this head is dropped, as another attempt follows. */
    boolean drops(ResponseHead head) {
        if (tries == null) {
            return false;
        }
        if (head.isInterim()) {
            tries.interim();
            return false;
        }
        Attempt current = attempt;
        if (current != null && tries.drops(current, head)) {
            return true;
        }
        tries.answered();
        return false;
    }

    void ended(Attempt ended) {
        try {
            exchange.ended(ended);
        } finally {
            filters.attemptEnded(ended);
        }
    }

    // ---- content

    /** Takes over {@code content}. */
    void content(ByteBuf content) {
        if (exchange.isFinished()) {
            content.release();
            return;
        }
        int length = content.readableBytes();
        exchange.listener().stats().add(ListenerMetric.REQUEST_BODY, length);
        body.count(length);
        if (!tunnel && body.isTooLarge()) {
            content.release();
            exchange.fail(Failure.BODY_TOO_LARGE);
            return;
        }
        ByteBuf filtered = attempts > 0 ? filters.requestContent(content) : content;
        if (filtered != null) {
            write(filtered);
        }
    }

    /** Takes over {@code content}, as the backend is to get it. */
    void write(ByteBuf content) {
        if (exchange.isFinished()) {
            // a filter has ended it
            content.release();
            return;
        }
        if (tries != null) {
            tries.keep(content);
        }
        BackendStream to = stream();
        if (to == null) {
            body.hold(content);
            frontend.readBody(false);
            return;
        }
        body.begin();
        to.content(content);
        if (!to.isWritable()) {
            flush();
            // which may have failed, and with it the exchange
            if (stream() == to) {
                frontend.readBody(to.isWritable());
            }
        }
    }

    /**
     * The request is whole, or the client's side of a tunnel has ended.
     *
     * @param trailers null or empty for none
     */
    void end(@Nullable Fields trailers) {
        if (exchange.isFinished() || body.isEnded() && !tunnel) {
            return;
        }
        if (attempts > 0) {
            filters.requestEnd(this);
        }
        if (trailers != null) {
            Trailers.strip(trailers);
            if (!exchange.cover(trailers)) {
                exchange.fail(Failure.OVERLOADED);
                return;
            }
        }
        body.end(trailers);
        if (tries != null) {
            tries.requestWhole();
        }
        if (hedge != null && attempt != null && attempt.target() != null) {
            hedge.await(attempt);
        }
        BackendStream to = stream();
        if (to != null) {
            to.end(trailers);
            exchange.endTunnelIfOver();
        }
    }

    /** Flushes what has been written. */
    void flush() {
        BackendStream to = stream();
        if (to != null) {
            to.flush();
            // the flush may have failed, and with it the exchange
            if (!timing.isDispatched() && stream() == to && to.isDispatched()) {
                timing.dispatched(exchange.listener().loop().nowNs());
            }
        }
    }

    /** Returns whether the endpoint has taken what there is. */
    boolean isTaken() {
        BackendStream to = stream();
        return to == null || to.isWritable();
    }

    /** The stream can take more again, or cannot. */
    void writable(boolean writable) {
        frontend.readBody(writable);
    }

    /** Relays content without framing from now on, with an end of its own. */
    void becomeTunnel() {
        tunnel = true;
        endTries();
        body.reopen();
    }

    // ---- the end

    /** Ends the relay, as the exchange is over. */
    void finish() {
        try {
            if (hedge != null) {
                hedge.end();
            }
        } finally {
            body.release();
            endTries();
        }
    }

    private void endTries() {
        if (tries != null) {
            tries.ended();
            tries = null;
        }
    }

    /** Gives back the stream in order: the exchange is over. */
    void release() {
        Attempt current = attempt;
        attempt = null;
        if (current != null) {
            current.release();
        }
    }

    /** Ends the stream in the middle of a message; {@code why} is null where that is no failure. */
    void reset(@Nullable Failure why) {
        Attempt current = attempt;
        attempt = null;
        if (current != null) {
            current.reset(why);
        }
    }
}
