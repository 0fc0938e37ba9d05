package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.remora.http.BodyLength;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A request's body on its way to the backend: held while there is no connection yet, counted, and bounded.
 *
 * <p>Owner: the exchange. Bounds: holds what one read brought, for reading stops as long as something is held.
 */
final class RequestBody {
    private final long declared;
    private final long limit;
    private long bytes;
    private boolean ended;
    private @Nullable HttpHeaders trailers;
    private @Nullable Queue<ByteBuf> held;

    /**
     * @param declared octets, or {@link BodyLength#UNKNOWN}
     * @param limit octets; more are refused
     */
    RequestBody(long declared, long limit) {
        this.declared = declared;
        this.limit = limit;
        this.ended = declared == BodyLength.NONE;
    }

    long bytes() {
        return bytes;
    }

    boolean isEnded() {
        return ended;
    }

    /** Whether its head announces more than the limit. */
    boolean isAnnouncedTooLarge() {
        return declared > limit;
    }

    boolean isTooLarge() {
        return bytes > limit;
    }

    /** Whether more has come than was declared; a decoder that keeps to the framing never lets it. */
    boolean isOverrun() {
        return declared >= 0 && bytes > declared;
    }

    void count(ByteBuf content) {
        bytes += content.readableBytes();
    }

    void end(@Nullable HttpHeaders endTrailers) {
        ended = true;
        trailers = endTrailers;
    }

    void hold(ByteBuf content) {
        if (held == null) {
            held = new ArrayDeque<>(2);
        }
        held.add(content);
    }

    /** Writes what was held. */
    void moveTo(Backend backend) {
        // each leaves the queue before it is written: a write that fails at once comes back to release the rest
        for (ByteBuf content = poll(); content != null; content = poll()) {
            backend.requestContent(content);
        }
        if (ended && declared != BodyLength.NONE) {
            backend.requestEnd(trailers);
        }
    }

    void release() {
        for (ByteBuf content = poll(); content != null; content = poll()) {
            content.release();
        }
    }

    private @Nullable ByteBuf poll() {
        return held == null ? null : held.poll();
    }
}
