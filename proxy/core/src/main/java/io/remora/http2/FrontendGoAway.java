package io.remora.http2;

import io.remora.config.model.Limits;
import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import io.remora.transport.Loop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells a client that its connection takes no further streams. It does so in two steps, so that no stream is lost that
 * was sent before the client knew. Where nothing more can come, it does so at once. The cause is the connection's age,
 * or a drain.
 *
 * <p>Owner: one connection. Spec: RFC 9113 section 6.8.
 */
final class FrontendGoAway implements Runnable, Deadline.Expirable {
    /**
     * Wait for the answer to the PING after the first GOAWAY; a client that does not answer gets the second one all the
     * same.
     */
    private static final long ROUND_TRIP_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long PING = 0x64_72_61_69_6eL;

    private final Http2FrontendConnection owner;
    private final Loop loop;
    /** Null where there is no bound on it. */
    private @Nullable Deadline age;
    /** True once the client has a GOAWAY. */
    private boolean begun;
    /** True once further streams are ignored. */
    private boolean last;

    FrontendGoAway(Http2FrontendConnection owner, Loop loop) {
        this.owner = owner;
        this.loop = loop;
    }

    void beginAge(long mostNs) {
        if (mostNs != Limits.UNLIMITED) {
            age = loop.deadlines().add(this);
            age.set(Deadlines.jittered(mostNs));
        }
    }

    /** Begins the end of a connection that has reached its age. */
    @Override
    public void onDeadline() {
        begin();
    }

    void begin() {
        if (begun || owner.isOver()) {
            return;
        }
        begun = true;
        owner.codec().goAway(Integer.MAX_VALUE, ErrorCode.NO_ERROR.code());
        owner.codec().ping(PING);
        loop.after(this, ROUND_TRIP_NS);
        owner.turn.flush();
    }

    void pingAnswered(long data) {
        if (begun && data == PING) {
            run();
        }
    }

    /** Ends the wait for streams that the client sent before it knew. */
    @Override
    public void run() {
        if (!owner.isOver() && !last) {
            end(ErrorCode.NO_ERROR);
            owner.turn.settleLater();
        }
    }

    /** Returns whether no further stream is served. */
    boolean hasEnded() {
        return last;
    }

    /** No stream is served but those that are known. */
    void end(ErrorCode error) {
        if (last) {
            return;
        }
        last = true;
        begun = true;
        FrontendCodec codec = owner.codec();
        int known = codec.lastStream();
        codec.refuseAbove(known);
        codec.goAway(known, error.code());
        codec.flush();
    }

    /**
     * Ends the streams as {@link #end} does, with ENHANCE_YOUR_CALM, which the client gets even after another GOAWAY.
     */
    void calm() {
        if (last) {
            say(ErrorCode.ENHANCE_YOUR_CALM);
        } else {
            end(ErrorCode.ENHANCE_YOUR_CALM);
        }
    }

    /** Repeats the GOAWAY of {@link #end} without an error; later streams are ignored, so that none is known. */
    void repeat() {
        say(ErrorCode.NO_ERROR);
    }

    private void say(ErrorCode error) {
        FrontendCodec codec = owner.codec();
        codec.goAway(codec.lastStream(), error.code());
    }

    /** Ends the bound on age for good, as the connection is closed. */
    void cancel() {
        if (age != null) {
            age.cancel();
        }
    }
}
