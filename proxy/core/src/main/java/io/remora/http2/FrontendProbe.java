package io.remora.http2;

import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.util.concurrent.TimeUnit;

/**
 * Finds out whether a client that has ended its side is still there for its responses. One that is gone tells so by a reset, which
 * answers what it is sent, and a channel that has nothing more to read notices it at the write behind that.
 *
 * <p>Owner: one connection, for as long as it has streams. Spec: RFC 9113 section 6.7.
 */
final class FrontendProbe implements Runnable {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long PING = 0x74_68_65_72_65_3fL;

    private final FrontendConnection owner;
    private final Link link;
    private final Loop loop;

    FrontendProbe(FrontendConnection owner, Link link, Loop loop) {
        this.owner = owner;
        this.link = link;
        this.loop = loop;
    }

    void begin() {
        loop.after(this, INTERVAL_NS);
    }

    @Override
    public void run() {
        if (owner.isOver()) {
            return;
        }
        // what waits is a probe already, and one behind it would look as if the client took something
        if (!link.hasUnsent()) {
            owner.handler().ping(PING);
            owner.turn.flush();
        }
        begin();
    }
}
