package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * An exchange's request on its way to the backend, and the lease of the connection that takes it.
 *
 * <p>Owner: the exchange. Bounds: {@link RequestBody} for what comes before there is a connection, the connection's water marks after.
 */
final class RequestRelay {
    private final ListenerContext context;
    private final Frontend frontend;
    private final Timing timing;
    private final RequestBody body;
    private @Nullable Backend backend;

    RequestRelay(ListenerContext context, Frontend frontend, Timing timing, RequestBody body) {
        this.context = context;
        this.frontend = frontend;
        this.timing = timing;
        this.body = body;
    }

    @Nullable
    Backend backend() {
        return backend;
    }

    /** Writes the head and what is held of the body. */
    void dispatch(Backend to, Exchange exchange, RequestHead head) {
        backend = to;
        to.dispatch(exchange, head);
        body.moveTo(to);
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
        context.stats().requestBodyBytes.add(content.readableBytes());
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
