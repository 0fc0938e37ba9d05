package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.HopByHop;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.Trailers;
import io.remora.http.Upgrade;
import io.remora.metrics.ListenerMetric;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An exchange's response on its way to the frontend, the backend's or the sidecar's own.
 *
 * <p>Owner: the exchange.
 */
final class ResponseRelay {
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int RESET_CONTENT = 205;

    private final ListenerContext context;
    private final Frontend frontend;
    private final Timing timing;
    private final Outcome outcome;
    private List<String> nominated = List.of();
    private boolean begun;
    private boolean ended;
    private boolean withoutContent;

    ResponseRelay(ListenerContext context, Frontend frontend, Timing timing, Outcome outcome) {
        this.context = context;
        this.frontend = frontend;
        this.timing = timing;
        this.outcome = outcome;
    }

    /** Whether the client has been sent the head of a final response, or been switched. */
    boolean hasBegun() {
        return begun;
    }

    boolean isEnded() {
        return ended;
    }

    void interim(ResponseHead head) {
        HopByHop.stripResponse(head.fields);
        frontend.respondInterim(head);
    }

    void head(ResponseHead head, boolean last) {
        begin(head.status.code());
        nominated = HopByHop.stripResponse(head.fields);
        ResponseFields.complete(head, context);
        // RFC 9110 15.3.6: a 205 has no content, whatever the backend sends
        withoutContent = head.status.code() == RESET_CONTENT;
        frontend.respond(withoutContent ? new ResponseHead(head.status, head.fields, BodyLength.NONE) : head, last);
    }

    void content(ByteBuf content) {
        if (withoutContent) {
            content.release();
            return;
        }
        int length = content.readableBytes();
        outcome.responseBytes(length);
        context.stats().add(ListenerMetric.RESPONSE_BODY, length);
        frontend.respondContent(content);
    }

    void end(@Nullable HttpHeaders trailers) {
        if (trailers != null) {
            Trailers.strip(trailers, nominated);
        }
        ended = true;
        frontend.respondEnd(trailers);
    }

    void flush() {
        frontend.flush();
        if (!timing.isResponded()) {
            timing.responded(context.loop().nowNs());
        }
    }

    /** Sends a failure's response, whole. */
    void failure(Failure failure, boolean toHead, boolean last) {
        begin(failure.status());
        outcome.responseBytes(LocalResponse.write(frontend, context.loop(), failure, toHead, last));
        flush();
    }

    /** Answers a request that may travel no further. */
    void answer(RequestHead request, boolean last) {
        begin(LocalResponse.writeAnswer(frontend, context.loop(), request, last));
        flush();
    }

    /** Sends the 101 and hands both connections to the tunnel. */
    void switchProtocols(Exchange exchange, ResponseHead head, Backend backend) {
        begin(SWITCHING_PROTOCOLS);
        HopByHop.stripResponse(head.fields);
        Upgrade.restore(head.fields);
        frontend.openTunnel(exchange, head, backend);
        timing.responded(context.loop().nowNs());
    }

    private void begin(int status) {
        begun = true;
        outcome.status(status);
    }
}
