package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.http.BodyLength;
import io.remora.http.Fields;
import io.remora.stream.BackendStream;
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
    private boolean begun;
    private boolean ended;
    private @Nullable Fields trailers;
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

    /** Returns whether its head announces more octets. */
    boolean isAnnouncedLargerThan(long octets) {
        return declared > octets;
    }

    /** Returns whether the request has no body. */
    boolean isNone() {
        return declared == BodyLength.NONE;
    }

    /** Returns whether content has been written to an attempt's stream, which cannot be written to another one's. */
    boolean hasBegun() {
        return begun;
    }

    void begin() {
        begun = true;
    }

    boolean isTooLarge() {
        return bytes > limit;
    }

    void count(int octets) {
        bytes += octets;
    }

    /** Begins the content of a tunnel: it has no declared length, and an end of its own. */
    void reopen() {
        ended = false;
        trailers = null;
    }

    void end(@Nullable Fields endTrailers) {
        ended = true;
        trailers = endTrailers;
    }

    void hold(ByteBuf content) {
        if (held == null) {
            held = new ArrayDeque<>(2);
        }
        held.add(content);
    }

    /** Returns how many pieces of content are held. */
    int held() {
        return held == null ? 0 : held.size();
    }

    /** Writes what was held. */
    void moveTo(BackendStream stream) {
        // each leaves the queue before it is written: a write that fails at once comes back to release the rest
        for (ByteBuf content = poll(); content != null; content = poll()) {
            begun = true;
            stream.content(content);
        }
        if (ended && declared != BodyLength.NONE) {
            stream.end(trailers);
        }
    }

    /** Writes all that was written to another stream before, in {@code again}; what is held now is in it. */
    void replay(ByteBuf again, BackendStream stream) {
        release();
        stream.content(again);
        if (ended && declared != BodyLength.NONE) {
            stream.end(trailers);
        }
    }

    void release() {
        for (ByteBuf content = poll(); content != null; content = poll()) {
            content.release();
        }
    }

    /** Hands over the eldest piece that is held, null for none. */
    @Nullable
    ByteBuf poll() {
        return held == null ? null : held.poll();
    }
}
