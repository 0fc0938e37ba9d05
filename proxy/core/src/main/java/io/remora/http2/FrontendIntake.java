package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.FrontendExchange;
import io.remora.http.BodyLength;
import io.remora.http.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The body of one request on its way to its exchange. Content that comes while the exchange wants nothing waits here.
 * The client may send more only as the exchange takes it.
 *
 * <p>Owner: one stream. Bounds: the stream's window, which is no larger than what the exchange was granted, and the
 * connection's. Spec: RFC 9113 section 5.2.
 */
final class FrontendIntake {
    private static final int LEAST_PARKED = 1_024;

    /** The end of the body. */
    private enum End {
        COMING,
        /** The end has come, and waits for content that is parked, or for a tunnel. */
        WAITS,
        /** The exchange knows of the end. */
        TOLD,
        /** Nothing is taken any more. */
        CLOSED
    }

    private final FrontendCodec codec;
    private final int stream;
    private End end = End.COMING;
    /** True while the exchange wants more. */
    private boolean wanted = true;
    /** True while content waits for its tunnel, which is not open yet. */
    private boolean early;
    /** Content that the exchange has not taken; null for none so far. */
    private @Nullable HeldContent held;

    private @Nullable Fields trailers;
    /** Octets that are still to come as the head has it, {@link BodyLength#UNKNOWN} where it has not. */
    private long left = BodyLength.UNKNOWN;
    /** Size of the stream's window once its client makes use of it; 0 before anybody has set it. */
    private int window;
    /** The size that the client has got; it gets another once it sends something. */
    private int toldWindow;

    FrontendIntake(FrontendCodec codec, int stream) {
        this.codec = codec;
        this.stream = stream;
    }

    /**
     * Counts what comes from now on.
     *
     * @param length of the body, as the head has it
     */
    void expect(long length) {
        left = length == BodyLength.EMPTY ? 0 : length > 0 ? length : BodyLength.UNKNOWN;
    }

    /** Counts content; returns whether the head has announced as much (RFC 9113 8.1.1). */
    boolean fits(int octets, boolean ends) {
        if (left == BodyLength.UNKNOWN) {
            return true;
        }
        boolean fits = ends ? octets == left : octets <= left;
        left -= fits ? octets : 0;
        return fits;
    }

    /** Sets how far the client may be ahead from now on. */
    void window(int bytes) {
        window = bytes;
    }

    /** Holds content back until its tunnel is open. */
    void awaitTunnel() {
        early = true;
    }

    boolean isEarly() {
        return early;
    }

    /** Lets content go on, as the tunnel is open. */
    void openTunnel() {
        early = false;
    }

    /** Returns whether the client is to go on sending. */
    boolean isAwaited() {
        return goesOn() && !hasEnded();
    }

    private boolean goesOn() {
        return wanted && !early && end != End.CLOSED;
    }

    private boolean holdsContent() {
        return held != null && !held.isEmpty();
    }

    /** Returns whether all has come, or nothing more is taken. */
    boolean hasEnded() {
        return end != End.COMING;
    }

    /**
     * Some of the body has come.
     *
     * @param data the caller's
     * @return for how much of it the client may send more at once
     */
    int data(ByteBuf data, @Nullable FrontendExchange exchange) {
        int length = data.readableBytes();
        if (end == End.CLOSED || exchange == null || length == 0) {
            return length;
        }
        widen();
        boolean handsOn = goesOn() && !holdsContent();
        if (handsOn) {
            exchange.requestContent(data.retain());
            if (wanted || end == End.CLOSED) {
                return length;
            }
        }
        HeldContent to = held();
        if (!handsOn) {
            to.keep(data);
        }
        to.owe(length);
        return 0;
    }

    private HeldContent held() {
        HeldContent known = held;
        if (known == null) {
            known = new HeldContent(LEAST_PARKED);
            held = known;
        }
        return known;
    }

    private void widen() {
        if (toldWindow != window) {
            toldWindow = window;
            adjust();
        }
    }

    /**
     * The client knows its settings, and what it has sent before counts against a smaller window: nothing would allow it more,
     * if all of that has been taken by now.
     */
    void settingsKnown() {
        if (window > 0 && !hasEnded()) {
            adjust();
        }
    }

    private void adjust() {
        codec.window(stream, window);
    }

    /** The body is whole. */
    void end(@Nullable Fields last, @Nullable FrontendExchange exchange) {
        if (end == End.CLOSED) {
            return;
        }
        if (holdsContent() || early) {
            trailers = last;
            end = End.WAITS;
        } else {
            end = End.TOLD;
            if (exchange != null) {
                exchange.requestEnd(last);
            }
        }
    }

    /** Sets whether the exchange wants content; returns whether that has changed. */
    boolean want(boolean nowWanted) {
        boolean changed = wanted != nowWanted;
        wanted = nowWanted;
        return changed;
    }

    /**
     * Hands waiting content on, and lets the client send more, where that is wanted; returns whether the client may.
     */
    boolean goOn(@Nullable FrontendExchange exchange) {
        if (goesOn() && exchange != null) {
            handOn(exchange);
        }
        return wanted && !early && pay();
    }

    /** Hands all waiting content on, wanted or not. */
    void handOn(FrontendExchange exchange) {
        ByteBuf waiting = held == null ? null : held.take();
        if (waiting != null) {
            exchange.requestContent(waiting);
        }
        if (end == End.WAITS) {
            end = End.TOLD;
            exchange.requestEnd(trailers);
        }
    }

    private boolean pay() {
        int paid = held == null ? 0 : held.pay();
        return paid > 0 && codec.taken(stream, paid);
    }

    /** Drops the content that waits, and all that comes later. */
    boolean close() {
        end = End.CLOSED;
        if (held != null) {
            held.release();
        }
        return pay();
    }

    /** The stream is closed, and the codec has seen to its windows. */
    void streamClosed() {
        if (held != null) {
            held.pay();
        }
        close();
    }
}
