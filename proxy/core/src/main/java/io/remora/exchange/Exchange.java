package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.remora.config.RouteConfig;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldList;
import io.remora.http.HopByHop;
import io.remora.http.MaxForwards;
import io.remora.http.Names;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.Trailers;
import io.remora.http.Upgrade;
import io.remora.pool.Cluster;
import io.remora.pool.EndpointPool;
import io.remora.pool.Lessee;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request with its response: admit, normalize, route, pick, lease, dispatch, relay, release; and respond, where it fails.
 *
 * <p>Owner: one event loop, that of both its connections.
 */
public final class Exchange implements Lessee<Backend> {
    private static final List<String> NOTHING_NOMINATED = List.of();

    private final ListenerContext context;
    private final Frontend frontend;
    private final RequestHead head;
    private final boolean http11;
    private final Timing timing;
    private final RequestBody body;
    private final Outcome outcome;
    private List<String> nominated = NOTHING_NOMINATED;
    private List<String> nominatedByBackend = NOTHING_NOMINATED;
    private boolean upgrade;
    private @Nullable EndpointPool<Backend> pool;
    private @Nullable Backend backend;
    private boolean reused;
    private boolean retried;
    private boolean responding;
    private boolean responseEnded;
    private boolean finished;
    private long contentAllowed = Long.MAX_VALUE;

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
        context.stats().exchangesStarted.increment();
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
        if (forwards == MaxForwards.ABSENT) {
            return false;
        }
        if (forwards == MaxForwards.INVALID) {
            fail(Failure.BAD_REQUEST);
            return true;
        }
        if (forwards > 0) {
            MaxForwards.decrement(head, forwards);
            return false;
        }
        if (head.method.name().equals("TRACE")) {
            outcome.status(405);
            LocalResponse.writeTraceRefusal(frontend, context.loop(), !body.isEnded());
        } else {
            outcome.status(200);
            LocalResponse.writeOptions(frontend, context.loop(), !body.isEnded());
        }
        responding = true;
        endLocally();
        return true;
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
        normalize();
        pool = cluster.pick();
        outcome.endpoint(pool.endpoint().name());
        pool.lease(this);
    }

    private void normalize() {
        upgrade = Upgrade.isWanted(head, http11);
        if (head.facts.hasConnection()) {
            nominated = FieldList.elements(head.fields, Names.CONNECTION);
        }
        HopByHop.stripRequest(head);
        if (upgrade) {
            Upgrade.restore(head.fields);
        }
        if (!http11 && head.facts.expectsContinue()) {
            // RFC 9110 10.1.1: an expectation from HTTP/1.0 is ignored
            head.fields.remove(Names.EXPECT);
        }
        context.via().append(head.fields, http11);
        context.forwarding().apply(head, frontend.client());
        outcome.requestId(
                context.requestIds().apply(head, context.config().headers().requestId()));
    }

    // ---- the backend's connection

    @Override
    public void leased(Backend leased, boolean isReused) {
        if (finished) {
            leased.release();
            return;
        }
        backend = leased;
        reused = isReused;
        leased.dispatch(this, head);
        body.moveTo(leased);
        if (!isReused) {
            flushRequest();
        }
        // else the frontend's turn is still going on, and its end flushes head and body together
        if (!finished) {
            frontend.readBody(leased.isWritable());
        }
    }

    @Override
    public void refused(Failure failure) {
        if (!finished) {
            fail(failure);
        }
    }

    /** Flushes what has been written to the backend; called where a read from the client ends. */
    public void flushRequest() {
        Backend to = backend;
        if (to != null) {
            to.flush();
            // the flush may have failed, and with it the exchange
            if (!timing.isDispatched() && !finished) {
                timing.dispatched(context.loop().nowNs());
            }
        }
    }

    // ---- from the frontend

    /** Takes over {@code content}. */
    public void requestContent(ByteBuf content) {
        body.count(content);
        context.stats().requestBodyBytes.add(content.readableBytes());
        if (finished) {
            content.release();
        } else if (body.isTooLarge() || body.isOverrun()) {
            content.release();
            fail(body.isTooLarge() ? Failure.BODY_TOO_LARGE : Failure.BAD_REQUEST);
        } else if (backend == null) {
            body.hold(content);
            frontend.readBody(false);
        } else {
            backend.requestContent(content);
            relieve(backend);
        }
    }

    private void relieve(Backend to) {
        if (!to.isWritable()) {
            to.flush();
            // the flush may have failed, and with it the exchange
            if (!finished) {
                frontend.readBody(to.isWritable());
            }
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
            Trailers.strip(trailers, nominated);
        }
        body.end(trailers);
        if (backend != null) {
            backend.requestEnd(trailers);
        }
    }

    /** How long a body, in either direction, may rest. */
    public long bodyIdleNs() {
        return context.config().timeouts().bodyIdleNs();
    }

    public boolean isRequestEnded() {
        return body.isEnded();
    }

    /** Whether the connection may turn into a tunnel, so that nothing behind this request is HTTP for certain. */
    public boolean isUpgrade() {
        return upgrade;
    }

    /** The client's side broke, or broke a rule, or took too long. */
    public void requestFailed(Failure failure) {
        fail(failure);
    }

    /** The client's connection can take more again, or cannot. */
    public void frontendWritable(boolean writable) {
        if (backend != null) {
            backend.readResponse(writable);
        }
    }

    // ---- from the backend

    /**
     * A response's head arrived, interim or final.
     *
     * @param readyNs when its first bytes were readable
     */
    public void response(ResponseHead response, long readyNs) {
        if (response.status.code() == 101) {
            switchProtocols(response, readyNs);
        } else if (response.isInterim()) {
            HopByHop.stripResponse(response.fields);
            frontend.respondInterim(response);
        } else {
            timing.responseReady(readyNs);
            relayHead(response);
        }
    }

    private void relayHead(ResponseHead response) {
        responding = true;
        outcome.status(response.status.code());
        nominatedByBackend = HopByHop.stripResponse(response.fields);
        ResponseFields.complete(response, context);
        // RFC 9110 15.3.6: a 205 has no content, whatever the backend sends
        contentAllowed = response.status.code() == 205 ? 0 : Long.MAX_VALUE;
        ResponseHead sent =
                contentAllowed == 0 ? new ResponseHead(response.status, response.fields, BodyLength.NONE) : response;
        frontend.respond(sent, !body.isEnded());
    }

    /** Takes over {@code content}. */
    public void responseContent(ByteBuf content) {
        if (contentAllowed == 0) {
            content.release();
            return;
        }
        int length = content.readableBytes();
        outcome.responseBytes(length);
        context.stats().responseBodyBytes.add(length);
        frontend.respondContent(content);
        if (!frontend.isWritable()) {
            flushResponse();
            if (backend != null) {
                backend.readResponse(frontend.isWritable());
            }
        }
    }

    /**
     * The response is whole; the end of this read from the backend finishes the exchange.
     *
     * @param trailers null or empty for none
     */
    public void responseEnd(@Nullable HttpHeaders trailers) {
        if (trailers != null) {
            Trailers.strip(trailers, nominatedByBackend);
        }
        responseEnded = true;
        frontend.respondEnd(trailers);
    }

    /** A read from the backend is over: flushes what it brought and finishes the exchange where that was all. */
    public void responseReadComplete() {
        if (!responding) {
            return;
        }
        flushResponse();
        if (responseEnded && !finished) {
            giveBack();
            finish();
        }
    }

    private void flushResponse() {
        frontend.flush();
        if (!timing.isResponded()) {
            timing.responded(context.loop().nowNs());
        }
    }

    // a response before the end of its request leaves the connection in the middle of a message
    private void giveBack() {
        Backend from = backend;
        backend = null;
        if (from == null) {
            return;
        }
        if (body.isEnded()) {
            from.release();
        } else {
            from.abandon();
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
        EndpointPool<Backend> from = pool;
        if (failure == Failure.BACKEND_CLOSED && !anyByte && mayRepeat() && from != null) {
            retried = true;
            context.stats().retries.increment();
            timing.undoDispatch();
            abandonBackend();
            from.leaseFresh(this);
        } else {
            fail(failure);
        }
    }

    // RFC 9110 9.2.2: a proxy never repeats a request that is not idempotent
    private boolean mayRepeat() {
        return reused && !retried && !responding && head.bodyLength == 0 && head.isIdempotent();
    }

    private void abandonBackend() {
        Backend from = backend;
        backend = null;
        if (from != null) {
            from.abandon();
        }
    }

    // ---- a tunnel

    private void switchProtocols(ResponseHead response, long readyNs) {
        Backend to = backend;
        if (to == null) {
            return;
        }
        timing.responseReady(readyNs);
        responding = true;
        outcome.status(101);
        HopByHop.stripResponse(response.fields);
        Upgrade.restore(response.fields);
        frontend.openTunnel(this, response, to);
        timing.responded(context.loop().nowNs());
    }

    /** Bytes that went through the tunnel. */
    public void tunnelled(long requestBytes, long responseBytes) {
        outcome.tunnelled(requestBytes, responseBytes);
        context.stats().requestBodyBytes.add(requestBytes);
        context.stats().responseBodyBytes.add(responseBytes);
    }

    /** Both ends of the tunnel are closed. */
    public void tunnelClosed() {
        if (!finished) {
            abandonBackend();
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
        abandonBackend();
        if (responding || failure.withoutResponse()) {
            frontend.abort();
            finish();
        } else {
            responding = true;
            outcome.status(failure.status());
            boolean last = failure.closesFrontend() || !body.isEnded();
            outcome.responseBytes(LocalResponse.write(frontend, context.loop(), failure, head.isHead(), last));
            endLocally();
        }
    }

    private void endLocally() {
        flushResponse();
        finish();
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
