package io.remora.http2;

import io.remora.config.model.Limits;
import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import io.remora.transport.Loop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a connection tells its client that it takes no further streams: in two steps, so that none is lost that was sent before the client
 * knew, or at once where nothing more can come. Its age brings that about, or a drain does.
 *
 * <p>Owner: one connection. Spec: RFC 9113 section 6.8.
 */
final class FrontendGoAway implements Runnable, Deadline.Expirable {
    /** For the answer to the PING behind the first GOAWAY; a client that does not answer is told all the same. */
    private static final long ROUND_TRIP_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long PING = 0x64_72_61_69_6eL;

    private final Http2FrontendConnection owner;
    private final Loop loop;
    /** Null where there is no bound on it. */
    private @Nullable Deadline age;
    /** Whether the client has been told that no further streams are wanted. */
    private boolean begun;
    /** Whether further streams are ignored. */
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

    /** It is old. */
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

    /** What the client sent before it knew has come. */
    @Override
    public void run() {
        if (!owner.isOver() && !last) {
            end(ErrorCode.NO_ERROR);
            owner.turn.settleLater();
        }
    }

    /** Whether no further stream is served. */
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
        codec.refuseAbove(known, error.code());
        codec.goAway(known, error.code());
        codec.flush();
    }

    /** The same for a client that is to be calm, which hears that even where it knows of the rest. */
    void calm() {
        if (last) {
            say(ErrorCode.ENHANCE_YOUR_CALM);
        } else {
            end(ErrorCode.ENHANCE_YOUR_CALM);
        }
    }

    /** Says once more what {@link #end} has told without an error; what follows it is ignored, so that no later stream is known. */
    void repeat() {
        say(ErrorCode.NO_ERROR);
    }

    private void say(ErrorCode error) {
        FrontendCodec codec = owner.codec();
        codec.goAway(codec.lastStream(), error.code());
    }

    /** For good: the connection is closed. */
    void cancel() {
        if (age != null) {
            age.cancel();
        }
    }
}
