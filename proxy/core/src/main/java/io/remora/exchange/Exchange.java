package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.remora.config.RouteConfig;
import io.remora.http.Failure;
import io.remora.http.MaxForwards;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.Trailers;
import io.remora.metrics.ListenerMetric;
import io.remora.pool.Cluster;
import io.remora.pool.EndpointPool;
import org.jspecify.annotations.Nullable;

/**
 * One request with its response: admit, normalize, route, pick, lease, dispatch, relay, release; and respond, where it
 * fails.
 *
 * <p>Owner: one event loop, that of both its connections.
 */
public final class Exchange {
    private final ListenerContext context;
    private final Frontend frontend;
    private final RequestHead head;
    private final boolean http11;
    private final Timing timing;
    private final Outcome outcome;
    private final RequestBody body;
    private final RequestRelay request;
    private final ResponseRelay response;
    private Normalized normalized = Normalized.NOTHING;
    private boolean finished;

    /**
     * @param http11 whether the request came as HTTP/1.1 or later
     * @param startedNs when the request's first bytes were readable
     * @param readyNs when the bytes that completed its head were readable
     * @param carriedNs spent in the proxy on reads before that one
     */
    public Exchange(
            ListenerContext context,
            Frontend frontend,
            RequestHead head,
            boolean http11,
            long startedNs,
            long readyNs,
            long carriedNs) {
        this.context = context;
        this.frontend = frontend;
        this.head = head;
        this.http11 = http11;
        this.timing = new Timing(startedNs, readyNs, carriedNs);
        this.body = new RequestBody(head.bodyLength, context.config().limits().bodyBytes());
        this.outcome = new Outcome(context, frontend, head);
        this.request = new RequestRelay(this, context, frontend, head, timing, body);
        this.response = new ResponseRelay(context, frontend, timing, outcome);
        context.stats().increment(ListenerMetric.EXCHANGES_STARTED);
    }

    /** Takes the request as far as it goes now; the body follows through {@link #requestContent}. */
    public void start() {
        // counted before anything can fail, so that each exchange leaves as often as it entered
        if (!context.admission().enter()) {
            fail(Failure.OVERLOADED);
        } else if (body.isAnnouncedTooLarge()) {
            fail(Failure.BODY_TOO_LARGE);
        } else if (context.via().isLoop(head)) {
            fail(Failure.LOOP);
        } else if (!isAnsweredHere()) {
            route();
        }
    }

    /** Answers a request that could not be read. */
    public void refuse(Failure failure) {
        context.admission().enter();
        fail(failure);
    }

    private boolean isAnsweredHere() {
        long forwards = MaxForwards.of(head);
        if (forwards == MaxForwards.INVALID) {
            fail(Failure.BAD_REQUEST);
        } else if (forwards == 0) {
            response.answer(head, !body.isEnded());
            finish();
        } else if (forwards > 0) {
            MaxForwards.decrement(head, forwards);
        }
        return finished;
    }

    private void route() {
        RouteConfig route = context.router().route(head);
        if (route == null) {
            fail(Failure.NO_ROUTE);
            return;
        }
        outcome.route(route.name());
        Cluster<Backend> cluster = context.clusters().get(route.cluster());
        if (cluster == null) {
            throw new IllegalStateException("no cluster " + route.cluster());
        }
        normalized = Normalized.of(head, context, frontend.client(), http11);
        outcome.requestId(normalized.requestId());
        EndpointPool<Backend> pool = cluster.pick();
        outcome.endpoint(pool.endpoint().name());
        request.lease(pool);
    }

    // ---- from the frontend

    /** Flushes what has been written to the backend; called where a read from the client ends. */
    public void flushRequest() {
        request.flush();
    }

    /** Takes over {@code content}. */
    public void requestContent(ByteBuf content) {
        if (finished) {
            content.release();
            return;
        }
        Failure failure = request.content(content);
        if (failure != null) {
            fail(failure);
        }
    }

    /**
     * The request is whole.
     *
     * @param trailers null or empty for none
     */
    public void requestEnd(@Nullable HttpHeaders trailers) {
        if (body.isEnded()) {
            return;
        }
        if (trailers != null) {
            Trailers.strip(trailers, normalized.nominated());
        }
        request.end(trailers);
    }

    /** How long a body, in either direction, may rest. */
    public long bodyIdleNs() {
        return context.config().timeouts().bodyIdleNs();
    }

    boolean isFinished() {
        return finished;
    }

    public boolean isRequestEnded() {
        return body.isEnded();
    }

    /** Whether the connection may turn into a tunnel, so that nothing behind this request is HTTP for certain. */
    public boolean isUpgrade() {
        return normalized.upgrade();
    }

    /** The client's connection can take more again, or cannot. */
    public void frontendWritable(boolean writable) {
        Backend from = request.backend();
        if (from != null) {
            from.readResponse(writable);
        }
    }

    // ---- from the backend

    /**
     * A response's head arrived, interim or final.
     *
     * @param readyNs when its first bytes were readable
     */
    public void response(ResponseHead head, long readyNs) {
        if (head.status.code() == 101) {
            switchProtocols(head, readyNs);
        } else if (head.isInterim()) {
            response.interim(head);
        } else {
            timing.responseReady(readyNs);
            response.head(head, !body.isEnded());
        }
    }

    private void switchProtocols(ResponseHead head, long readyNs) {
        Backend to = request.backend();
        if (to != null) {
            timing.responseReady(readyNs);
            response.switchProtocols(this, head, to);
        }
    }

    /** Takes over {@code content}. */
    public void responseContent(ByteBuf content) {
        response.content(content);
        if (!frontend.isWritable()) {
            response.flush();
            frontendWritable(frontend.isWritable());
        }
    }

    /**
     * The response is whole; the end of this read from the backend finishes the exchange.
     *
     * @param trailers null or empty for none
     */
    public void responseEnd(@Nullable HttpHeaders trailers) {
        response.end(trailers);
    }

    /** A read from the backend is over: flushes what it brought and finishes the exchange where that was all. */
    public void responseReadComplete() {
        if (!response.hasBegun()) {
            return;
        }
        response.flush();
        if (response.isEnded() && !finished) {
            request.giveBack();
            finish();
        }
    }

    /** The backend's connection can take more again, or cannot. */
    public void backendWritable(boolean writable) {
        frontend.readBody(writable);
    }

    /**
     * The backend's side broke, or broke a rule, or took too long.
     *
     * @param anyByte whether a byte of a response had arrived
     */
    public void backendFailed(Failure failure, boolean anyByte) {
        if (finished) {
            return;
        }
        boolean unanswered = failure == Failure.BACKEND_CLOSED && !anyByte && !response.hasBegun();
        if (!unanswered || !request.repeat()) {
            fail(failure);
        }
    }

    // ---- a tunnel

    /** Bytes that went through the tunnel. */
    public void tunnelled(long requestBytes, long responseBytes) {
        outcome.tunnelled(requestBytes, responseBytes);
        context.stats().add(ListenerMetric.REQUEST_BODY, requestBytes);
        context.stats().add(ListenerMetric.RESPONSE_BODY, responseBytes);
    }

    /** Both ends of the tunnel are closed. */
    public void tunnelClosed() {
        if (!finished) {
            request.abandon();
            finish();
        }
    }

    // ---- the end

    /** Ends an exchange that cannot go on: with a response where none has begun, with a cut where one has. */
    public void fail(Failure failure) {
        if (finished) {
            return;
        }
        outcome.failure(failure);
        request.abandon();
        try {
            if (response.hasBegun() || failure.withoutResponse()) {
                frontend.abort();
            } else {
                response.failure(failure, head.isHead(), failure.closesFrontend() || !body.isEnded());
            }
        } finally {
            // whatever became of the response, the exchange must not stay in flight
            finish();
        }
    }

    private void finish() {
        finished = true;
        body.release();
        context.admission().leave();
        timing.ended(context.loop().nowNs());
        outcome.report(timing, body.bytes());
        frontend.exchangeDone();
    }
}
