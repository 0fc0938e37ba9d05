package io.remora.http2;

import io.remora.exchange.FrontendExchange;
import io.remora.memory.Claim;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection that are open, and what they hold of memory together.
 *
 * <p>Owner: one connection. Bounds: the buffers that all of them share keep to the least of their grants.
 */
final class FrontendStreams extends StreamTable<Http2FrontendStream> {
    private static final Http2FrontendStream[] NONE = {};

    private final Loop loop;
    private final Link link;
    private int linkBound;

    FrontendStreams(Loop loop, Link link) {
        this.loop = loop;
        this.link = link;
    }

    /** Returns a copy, for a loop whose steps may end streams. */
    Http2FrontendStream[] copy() {
        return copy(NONE);
    }

    void settingsKnown() {
        for (int i = 0; i < places(); i++) {
            Http2FrontendStream stream = at(i);
            if (stream != null) {
                stream.intake().settingsKnown();
            }
        }
    }

    /** Notes that one of the grants has changed. */
    void bound(int grant) {
        int least = grant;
        if (grant > linkBound) {
            for (int i = 0; i < places(); i++) {
                Http2FrontendStream stream = at(i);
                int granted = stream == null ? 0 : stream.granted();
                least = granted == 0 ? least : Math.min(least, granted);
            }
        }
        if (least != linkBound) {
            linkBound = least;
            link.bound(least, loop.memory());
        }
    }

    void shrink(boolean greedy) {
        for (int i = 0; i < places(); i++) {
            Http2FrontendStream stream = at(i);
            FrontendExchange current = stream == null ? null : stream.exchange();
            if (current != null) {
                current.grant().shrink(greedy);
            }
        }
    }

    void grow() {
        for (int i = 0; i < places(); i++) {
            Http2FrontendStream stream = at(i);
            FrontendExchange current = stream == null ? null : stream.exchange();
            if (current != null) {
                current.grant().grow();
            }
        }
    }

    /** Adds the claims of the streams. */
    void claims(List<Claim> into) {
        for (int i = 0; i < places(); i++) {
            Http2FrontendStream stream = at(i);
            if (stream != null) {
                claim(stream, into);
            }
        }
    }

    private void claim(Http2FrontendStream stream, List<Claim> into) {
        FrontendExchange current = stream.exchange();
        if (current != null) {
            into.add(current.claim(stream));
        } else if (stream.memory().isKeeping()) {
            int held = stream.memory().keptHeld();
            into.add(new Claim(link.claimant(), true, held, stream.begunNs(), 0, stream));
        }
    }

    /** Returns the score of the stream that is the heaviest. */
    long evictionScore(long nowNs) {
        Http2FrontendStream heaviest = heaviest(nowNs);
        return heaviest == null ? 0 : score(heaviest, nowNs);
    }

    private static long score(Http2FrontendStream stream, long nowNs) {
        FrontendExchange current = stream.exchange();
        boolean sending =
                !stream.isTunnel() && current != null && stream.intake().isAwaited();
        return stream.memory().evictionScore(current, sending, nowNs);
    }

    /** Returns the bytes that the end of the heaviest one would free. */
    long reclaimableBytes() {
        Http2FrontendStream heaviest = heaviest(loop.nowNs());
        return heaviest == null ? 0 : heaviest.memory().reclaimableBytes(heaviest.exchange());
    }

    /** Ends the heaviest one, as there is no memory for it; false where none holds anything. */
    boolean relieve() {
        Http2FrontendStream heaviest = heaviest(loop.nowNs());
        if (heaviest != null) {
            heaviest.memory().cut();
            heaviest.yieldMemory();
        }
        return heaviest != null;
    }

    // the one that holds most in proportion to its pace
    private @Nullable Http2FrontendStream heaviest(long nowNs) {
        Http2FrontendStream heaviest = null;
        long most = 0;
        for (int i = 0; i < places(); i++) {
            Http2FrontendStream stream = at(i);
            long score = stream == null ? 0 : score(stream, nowNs);
            if (score > most) {
                most = score;
                heaviest = stream;
            }
        }
        return heaviest;
    }
}
