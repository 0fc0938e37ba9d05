package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.metrics.ListenerMetric;
import io.remora.pool.EndpointPool;
import io.remora.pool.Lessee;
import org.jspecify.annotations.Nullable;

/**
 * An exchange's request on its way to the backend: lease, dispatch, and once more on a fresh connection where that is
 * safe.
 *
 * <p>Owner: the exchange. Bounds: {@link RequestBody} for what comes before there is a connection, the connection's
 * water marks after.
 */
final class RequestRelay implements Lessee<Backend> {
    private final Exchange exchange;
    private final ListenerContext context;
    private final Frontend frontend;
    private final RequestHead head;
    private final Timing timing;
    private final RequestBody body;
    private @Nullable EndpointPool<Backend> pool;
    private @Nullable Backend backend;
    private boolean reused;
    private boolean repeated;

    RequestRelay(
            Exchange exchange,
            ListenerContext context,
            Frontend frontend,
            RequestHead head,
            Timing timing,
            RequestBody body) {
        this.exchange = exchange;
        this.context = context;
        this.frontend = frontend;
        this.head = head;
        this.timing = timing;
        this.body = body;
    }

    @Nullable
    Backend backend() {
        return backend;
    }

    /** Asks for a connection, and dispatches once there is one. */
    void lease(EndpointPool<Backend> from) {
        pool = from;
        from.lease(this);
    }

    @Override
    public void leased(Backend leased, boolean isReused) {
        if (exchange.isFinished()) {
            leased.release();
            return;
        }
        reused = isReused;
        backend = leased;
        leased.dispatch(exchange, head);
        body.moveTo(leased);
        if (!isReused) {
            flush();
        }
        // else the frontend's turn is still going on, and its end flushes head and body together
        if (!exchange.isFinished()) {
            frontend.readBody(leased.isWritable());
        }
    }

    @Override
    public void refused(Failure failure) {
        exchange.fail(failure);
    }

    /**
     * Sends the request again where that is safe, after the backend has closed without a byte; tells whether it does.
     */
    boolean repeat() {
        EndpointPool<Backend> from = pool;
        if (from == null || !reused || repeated || head.bodyLength != BodyLength.NONE || !head.isIdempotent()) {
            // RFC 9110 9.2.2: a proxy never repeats a request that is not idempotent
            return false;
        }
        repeated = true;
        context.stats().increment(ListenerMetric.RETRIES);
        timing.undoDispatch(context.loop().readyNs());
        abandon();
        from.leaseFresh(this);
        return true;
    }

    void flush() {
        Backend to = backend;
        if (to != null) {
            to.flush();
            // the flush may have failed, and with it the exchange
            if (!timing.isDispatched() && backend == to) {
                timing.dispatched(context.loop().nowNs());
            }
        }
    }

    /** Takes over {@code content}; tells what is wrong with it, null for nothing. */
    @Nullable
    Failure content(ByteBuf content) {
        body.count(content);
        context.stats().add(ListenerMetric.REQUEST_BODY, content.readableBytes());
        Backend to = backend;
        if (body.isTooLarge() || body.isOverrun()) {
            content.release();
            return body.isTooLarge() ? Failure.BODY_TOO_LARGE : Failure.BAD_REQUEST;
        }
        if (to == null) {
            body.hold(content);
            frontend.readBody(false);
            return null;
        }
        to.requestContent(content);
        if (!to.isWritable()) {
            flush();
            // which may have failed, and with it the exchange
            if (backend == to) {
                frontend.readBody(to.isWritable());
            }
        }
        return null;
    }

    /**
     * @param trailers null or empty for none, already stripped
     */
    void end(@Nullable HttpHeaders trailers) {
        body.end(trailers);
        if (backend != null) {
            backend.requestEnd(trailers);
        }
    }

    /** Gives the connection back; a response before the end of its request leaves it in the middle of a message. */
    void giveBack() {
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

    void abandon() {
        Backend from = backend;
        backend = null;
        if (from != null) {
            from.abandon();
        }
    }
}
