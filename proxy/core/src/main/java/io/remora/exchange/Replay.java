package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.memory.LoopBudget;
import java.util.Arrays;

/**
 * A copy of the request's body as far as it was sent, for another attempt. A copy, because the original would keep a
 * whole read buffer for a few octets.
 *
 * <p>Owner: the exchange. Bounds: the policy's; what it holds counts as held by the loop's budget. Where either is
 * exceeded, it holds nothing any more.
 */
public final class Replay {
    private static final byte[] NONE = {};
    private static final int LEAST = 256;

    private final LoopBudget memory;
    private final int limit;
    private byte[] kept = NONE;
    private int length;
    private boolean lost;

    public Replay(LoopBudget memory, int limit) {
        this.memory = memory;
        this.limit = limit;
    }

    /** Returns whether the copy has everything that was sent. */
    public boolean isWhole() {
        return !lost;
    }

    /** Copies {@code content}, which stays the caller's. */
    public void keep(ByteBuf content) {
        int more = content.readableBytes();
        if (lost || !makeRoom(more)) {
            return;
        }
        content.getBytes(content.readerIndex(), kept, length, more);
        length += more;
    }

    private boolean makeRoom(int more) {
        if (more > limit - length) {
            giveUp();
            return false;
        }
        if (more <= kept.length - length) {
            return true;
        }
        int room = Math.min(limit, Math.max(Math.max(2 * kept.length, LEAST), length + more));
        int added = room - kept.length;
        if (!memory.holdSpare(added)) {
            giveUp();
            return false;
        }
        kept = Arrays.copyOf(kept, room);
        return true;
    }

    /** All that was sent, to be sent again. */
    public ByteBuf content() {
        return Unpooled.wrappedBuffer(kept, 0, length);
    }

    /** Drops the copy, as no other attempt follows. */
    public void giveUp() {
        lost = true;
        memory.hold(-kept.length);
        kept = NONE;
        length = 0;
    }
}
