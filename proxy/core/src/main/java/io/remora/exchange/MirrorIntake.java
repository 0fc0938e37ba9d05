package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Copies the body of an exchange's request as it passes. Owner: the exchange. */
final class MirrorIntake extends Filter {
    private final MirroredRequest copy;
    private final Replay body;
    private final int limit;
    private long length;
    private boolean over;

    MirrorIntake(MirroredRequest copy, Replay body, int limit) {
        this.copy = copy;
        this.body = body;
        this.limit = limit;
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
    public void ended(Exchange exchange) {
        if (!over) {
            giveUp("incomplete");
        }
    }

    private void giveUp(String reason) {
        over = true;
        copy.giveUp(reason);
    }
}
