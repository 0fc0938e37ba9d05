package io.remora.http2;

import io.netty.channel.Channel;

/**
 * Counts an endpoint's frames before they cause work, and says what becomes of each.
 *
 * <p>Owner: one connection. Bounds: those of {@link BackendFloods}. Spec: RFC 9113 section 10.5.
 */
final class BackendGate {
    /** The fate of a frame. */
    enum Verdict {
        PASSES,
        /** It is not answered, as a bound has been passed. */
        DROPPED,
        /** It ends the connection. */
        ENDS
    }

    /** A part of a header block below this size is small. */
    private static final int SMALL_OCTETS = 8 << 10;

    private final BackendFloods floods;
    private final Channel channel;
    /** Small parts of the header block that is not whole. */
    private int smallParts;

    BackendGate(BackendFloods floods, Channel channel) {
        this.floods = floods;
        this.channel = channel;
    }

    /**
     * Counts a frame of any type but DATA.
     *
     * @param known whether its stream is open
     */
    Verdict count(int type, int flags, int length, boolean known) {
        return switch (type) {
            case Frames.HEADERS -> {
                smallParts = 0;
                yield part(flags, length);
            }
            case Frames.CONTINUATION ->
                smallParts >= BackendFloods.SMALL_CONTINUATIONS ? Verdict.ENDS : part(flags, length);
            case Frames.RST_STREAM -> known ? Verdict.PASSES : empty();
            case Frames.SETTINGS -> {
                Verdict verdict = empty();
                boolean answered = verdict == Verdict.PASSES && (flags & Frames.ACK) == 0;
                yield answered && floods.isPassed() ? Verdict.DROPPED : verdict;
            }
            case Frames.PING -> ping(flags);
            case Frames.WINDOW_UPDATE -> of(floods.windowUpdate());
            case Frames.DATA, Frames.PUSH_PROMISE, PriorityUpdates.TYPE -> Verdict.PASSES;
            default -> empty();
        };
    }

    private Verdict part(int flags, int length) {
        boolean goesOn = (flags & Frames.END_HEADERS) == 0;
        smallParts += goesOn && length < SMALL_OCTETS ? 1 : 0;
        return Verdict.PASSES;
    }

    private Verdict ping(int flags) {
        if ((flags & Frames.ACK) != 0) {
            return of(floods.pingAnswer(channel.isWritable()));
        }
        boolean paid = floods.payPing();
        if (floods.ping(paid, channel.isWritable())) {
            return Verdict.ENDS;
        }
        return paid || !floods.isPassed() ? Verdict.PASSES : Verdict.DROPPED;
    }

    /** Counts content that is empty and ends nothing; returns whether it ends the connection. */
    boolean emptyContent() {
        return floods.emptyContent(channel.isWritable());
    }

    /** Counts content or a section of a stream that is over; returns whether it ends the connection. */
    boolean late() {
        return floods.late();
    }

    private Verdict empty() {
        return of(floods.empty(channel.isWritable()));
    }

    private static Verdict of(boolean flood) {
        return flood ? Verdict.ENDS : Verdict.PASSES;
    }
}
