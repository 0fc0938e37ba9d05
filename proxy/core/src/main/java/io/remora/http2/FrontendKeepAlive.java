package io.remora.http2;

import io.remora.http.Failure;
import io.remora.transport.Deadline;
import io.remora.transport.Loop;

/**
 * A watch over a client that has streams: after a time without an octet a PING asks whether it is still there, and the connection ends
 * where nothing comes within that time again.
 *
 * <p>Owner: one connection. Cost: a deadline, on listeners with {@code http2.keep-alive} only. Bounds: one PING in each such time; a
 * client that is not read, as it takes nothing, has {@link io.remora.exchange.ClientWait}'s time. Spec: RFC 9113 section 6.7.
 */
final class FrontendKeepAlive implements Deadline.Expirable {
    private static final long PING = 0x74_68_65_72_65_3fL;

    private final Http2FrontendConnection owner;
    private final Loop loop;
    private final long silenceNs;
    private final Deadline next;
    private final SilenceWatch watch;

    FrontendKeepAlive(Http2FrontendConnection owner, Loop loop, long silenceNs) {
        this.owner = owner;
        this.loop = loop;
        this.silenceNs = silenceNs;
        this.watch = new SilenceWatch(silenceNs, loop.nowNs());
        this.next = loop.deadlines().add(this);
        next.set(silenceNs);
    }

    /** An octet has come. */
    void heard() {
        watch.heard(loop.readyNs());
    }

    @Override
    public void onDeadline() {
        long nowNs = loop.nowNs();
        if (!isHeard()) {
            watch.heard(nowNs);
        }
        SilenceWatch.Step step = watch.step(nowNs);
        if (step == SilenceWatch.Step.END) {
            owner.endByReset(Failure.CLIENT_GONE);
        } else if (step == SilenceWatch.Step.WAIT) {
            next.set(watch.leftNs(nowNs));
        } else {
            owner.codec().ping(PING);
            owner.turn.flush();
            next.set(silenceNs);
        }
    }

    // a client that is there would be heard
    private boolean isHeard() {
        return !owner.isOver()
                && !owner.isInputEnded()
                && !owner.streams.isEmpty()
                && owner.link().channel().config().isAutoRead();
    }

    /** Ends it for good, as the connection is closed. */
    void cancel() {
        next.cancel();
    }
}
