package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.ListenerConfig;
import io.remora.grpc.GrpcCall;
import io.remora.grpc.GrpcResponse;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.http.Trailers;
import io.remora.metrics.ListenerMetric;
import io.remora.stream.BackendStream;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * An exchange's response on its way to the frontend: the backend's, as the current attempt hears it, or the sidecar's own.
 *
 * <p>Owner: the exchange, which alone ends itself. Bounds: the backend is read only as fast as the client takes what is
 * written.
 */
final class ResponseRelay {
    private static final int NO_CONTENT = 204;
    private static final int RESET_CONTENT = 205;

    private final Exchange exchange;
    private final Frontend frontend;
    private final Filters filters;
    private final Timing timing;
    private final Outcome outcome;
    private final RequestRelay request;
    private boolean begun;
    private boolean ended;
    private boolean withoutContent;
    /** Fields that a failure's response has in addition to those of its kind. */
    private @Nullable Fields told;

    ResponseRelay(
            Exchange exchange,
            Frontend frontend,
            Filters filters,
            Timing timing,
            Outcome outcome,
            RequestRelay request) {
        this.exchange = exchange;
        this.frontend = frontend;
        this.filters = filters;
        this.timing = timing;
        this.outcome = outcome;
        this.request = request;
    }

    /** Returns whether the client got the head of a final response, or was switched. */
    boolean hasBegun() {
        return begun;
    }

    boolean isEnded() {
        return ended;
    }

    // ---- the backend's

    /** The head of an interim or of the final response. */
    void head(ResponseHead head, long readyNs) {
        if (head.isSwitch()) {
            switchProtocols(head, readyNs);
        } else if (head.isInterim()) {
            // RFC 9110 8.6
            head.fields.remove(FieldName.CONTENT_LENGTH);
            request.drops(head);
            interim(head);
        } else {
            timing.responseReady(readyNs);
            if (request.drops(head)) {
                return;
            }
            if (!exchange.cover(head.fields)) {
                exchange.fail(Failure.OVERLOADED);
                return;
            }
            begin(head.status);
            complete(head);
            GrpcCall grpc = exchange.grpc();
            if (grpc != null) {
                grpc.responds(GrpcCall.withoutContent(head));
            }
            withoutContent |= head.bodyLength() == BodyLength.NONE;
            filters.responseHead(head);
            frontend.respond(head, !exchange.isRequestEnded());
        }
    }

    // a client that takes nothing must not have an endpoint's interim responses pile up
    private void interim(ResponseHead head) {
        frontend.respondInterim(head);
        if (frontend.isWritable()) {
            return;
        }
        if (exchange.cover(head.fields)) {
            read(false);
        } else {
            exchange.fail(Failure.OVERLOADED);
        }
    }

    // a Date where the backend sent none (RFC 9110 6.6.1), this hop's Via, and no length that may not stand
    private void complete(ResponseHead head) {
        if (!head.fields.contains(FieldName.DATE)) {
            head.fields.add(FieldName.DATE, exchange.listener().loop().date().now());
        }
        exchange.listener().via().append(head.fields, head.protocol);
        if (head.status == NO_CONTENT) {
            head.fields.remove(FieldName.CONTENT_LENGTH);
        } else if (head.status == RESET_CONTENT) {
            // RFC 9110 15.3.6: it has no content, whatever the backend sends
            head.fields.set(FieldName.CONTENT_LENGTH, "0");
            head.bodyLength(BodyLength.NONE);
            withoutContent = true;
        }
    }

    // sends the 101, and ends HTTP on both sides
    private void switchProtocols(ResponseHead head, long readyNs) {
        BackendStream from = request.stream();
        if (from == null) {
            return;
        }
        if (!exchange.head().isGrantedBy(head)) {
            exchange.fail(Failure.BAD_RESPONSE, Rule.SWITCH);
            return;
        }
        timing.responseReady(readyNs);
        request.becomeTunnel();
        begin(frontend.isRaw() ? 0 : head.status);
        head.fields.remove(FieldName.CONTENT_LENGTH);
        frontend.openTunnel(head);
        timing.responded(exchange.listener().loop().nowNs());
        // what either side has sent behind its last message comes at once, and each must know the other by then
        from.openTunnel();
        if (!exchange.isFinished()) {
            frontend.tunnelOpened();
        }
    }

    /** Takes over {@code content}. */
    void content(ByteBuf content) {
        ByteBuf filtered = withoutContent ? content : filters.responseContent(content);
        if (withoutContent) {
            content.release();
        } else if (filtered != null) {
            write(filtered);
        }
        if (!frontend.isWritable()) {
            flush();
            read(frontend.isWritable());
        }
    }

    /** The client can take more again, or cannot. */
    void read(boolean wanted) {
        BackendStream from = request.stream();
        if (from != null) {
            from.read(wanted);
        }
    }

    /** Takes over {@code content}, as the client is to get it. */
    void write(ByteBuf content) {
        int length = content.readableBytes();
        outcome.responseBytes(length);
        exchange.listener().stats().add(ListenerMetric.RESPONSE_BODY, length);
        frontend.respondContent(content);
    }

    void end(@Nullable Fields trailers) {
        if (!withoutContent) {
            filters.responseEnd(this);
        }
        if (trailers != null) {
            Trailers.strip(trailers);
            if (!exchange.cover(trailers)) {
                exchange.fail(Failure.OVERLOADED);
                return;
            }
        }
        GrpcCall grpc = exchange.grpc();
        if (grpc != null) {
            grpc.responds(GrpcStatus.in(trailers));
        }
        ended = true;
        frontend.respondEnd(trailers);
        exchange.endTunnelIfOver();
    }

    /** A read from the backend is over: flushes what it brought, and the exchange is over where that was all. */
    void readComplete() {
        if (!begun) {
            return;
        }
        flush();
        if (ended && !exchange.isFinished() && !request.isTunnel()) {
            exchange.complete();
        }
    }

    private void flush() {
        frontend.flush();
        if (!timing.isResponded()) {
            timing.responded(exchange.listener().loop().nowNs());
        }
    }

    // ---- the sidecar's own

    /** A failure's response has these as well. */
    void tell(Fields fields) {
        told = fields;
    }

    /** Sends a failure's response, whole. */
    void failure(Failure failure, boolean toHead, boolean last) {
        Loop loop = exchange.listener().loop();
        boolean grpc = exchange.grpc() != null;
        ResponseHead head;
        if (grpc) {
            head = LocalResponse.of(GrpcResponse.HTTP_STATUS, new Fields(), loop);
            GrpcResponse.ofFailure(failure, exchange.statusOf(failure), head.fields);
        } else {
            head = LocalResponse.ofFailure(failure, loop);
        }
        told(head);
        String reason = reason();
        if (reason != null) {
            head.fields.add(LocalResponse.REASON, reason);
        }
        if (grpc) {
            send(head, null, toHead, last);
        } else {
            String text = failure.text() + (reason == null ? "\n" : " Reason: " + reason + ".\n");
            send(head, text, toHead, last);
        }
    }

    // null where clients are not told, or there is none
    private @Nullable String reason() {
        Rule rule = exchange.snapshot().config().options().has(ListenerConfig.DETAILED_ERRORS) ? exchange.rule() : null;
        return rule == null ? null : rule.label();
    }

    /**
     * Has a response that has begun end with what the failure is to a call of gRPC; returns whether the client gets
     * that.
     */
    boolean endEarly(Failure failure) {
        return exchange.grpc() != null && frontend.endEarly(GrpcResponse.trailers(failure, exchange.statusOf(failure)));
    }

    private ResponseHead told(ResponseHead head) {
        for (int i = 0; told != null && i < told.size(); i++) {
            head.fields.add(FieldName.of(told.name(i)), told.value(i));
        }
        return head;
    }

    /** Sends a response of the sidecar's own, whole. */
    void own(int status, Fields fields, @Nullable String text, boolean toHead, boolean last) {
        send(LocalResponse.of(status, fields, exchange.listener().loop()), text, toHead, last);
    }

    private void send(ResponseHead head, @Nullable String text, boolean toHead, boolean last) {
        begin(head.status);
        boolean hasBody = LocalResponse.announceBody(head, text, toHead);
        filters.responseHead(head);
        frontend.respond(head, last);
        if (text != null && hasBody) {
            ByteBuf body = LocalResponse.body(text);
            outcome.responseBytes(body.readableBytes());
            frontend.respondContent(body);
        }
        ended = true;
        frontend.respondEnd(null);
        flush();
    }

    private void begin(int status) {
        begun = true;
        outcome.status(status);
    }
}
