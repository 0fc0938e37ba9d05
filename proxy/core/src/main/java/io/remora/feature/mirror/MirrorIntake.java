package io.remora.feature.mirror;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.AttemptView;
import io.remora.exchange.Filter;
import io.remora.exchange.Replay;
import io.remora.exchange.RequestView;
import io.remora.http.BodyLength;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Copies an exchange's request: the head as the first attempt sends it, and the body as it passes. Owner: the exchange.
 *
 * <p>Order: after all filters that change the head, such as what tells of the trace.
 */
final class MirrorIntake extends Filter {
    private final MirroredRequest copy;
    private final Replay body;
    private final int limit;
    private final String route;
    private long length;
    private boolean over;

    MirrorIntake(MirroredRequest copy, Replay body, int limit, String route) {
        this.copy = copy;
        this.body = body;
        this.limit = limit;
        this.route = route;
    }

    @Override
    public void attempt(RequestHead head, AttemptView attempt) {
        if (attempt.number() == 1) {
            copy.head(new MirroredHead(head, route));
            if (!over && head.bodyLength() == BodyLength.NONE) {
                over = true;
                copy.whole();
            }
        }
    }

    @Override
    public ByteBuf requestContent(ByteBuf content) {
        if (!over) {
            length += content.readableBytes();
            body.keep(content);
            if (!body.isWhole()) {
                giveUp(length > limit ? "body" : "memory");
            }
        }
        return content;
    }

    @Override
    public @Nullable ByteBuf requestEnd() {
        if (!over) {
            over = true;
            copy.whole();
        }
        return null;
    }

    @Override
    public void ended(RequestView exchange) {
        if (!over) {
            giveUp("incomplete");
        }
    }

    private void giveUp(String reason) {
        over = true;
        copy.giveUp(reason);
    }
}
