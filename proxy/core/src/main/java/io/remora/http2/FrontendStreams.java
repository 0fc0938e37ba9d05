package io.remora.http2;

import io.remora.exchange.FrontendExchange;
import io.remora.memory.Claim;
import io.remora.memory.LoopBudget;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection that are open, and what they hold of memory together.
 *
 * <p>Owner: one connection. Bounds: the buffers that all of them share keep to the least of their grants.
 */
final class FrontendStreams {
    private final Loop loop;
    private final Link link;
    private final List<Http2FrontendStream> open = new ArrayList<>();
    private int linkBound;
    private int opened;

    FrontendStreams(Loop loop, Link link) {
        this.loop = loop;
        this.link = link;
    }

    /** Counts a stream that has got its number. */
    void added() {
        opened++;
    }

    /** Returns how many have been opened so far. */
    int opened() {
        return opened;
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    void add(Http2FrontendStream stream) {
        stream.slot = open.size();
        open.add(stream);
    }

    void remove(Http2FrontendStream stream) {
        Http2FrontendStream moved = open.remove(open.size() - 1);
        if (moved != stream) {
            open.set(stream.slot, moved);
            moved.slot = stream.slot;
        }
    }

    /** Returns a copy, for a loop whose steps may end streams. */
    Http2FrontendStream[] copy() {
        return open.toArray(new Http2FrontendStream[0]);
    }

    void settingsKnown() {
        for (Http2FrontendStream stream : open) {
            stream.intake().settingsKnown();
        }
    }

    /** Notes that one of the grants has changed. */
    void bound(int grant) {
        int least = grant;
        if (grant > linkBound) {
            for (Http2FrontendStream stream : open) {
                least = stream.granted() == 0 ? least : Math.min(least, stream.granted());
            }
        }
        if (least != linkBound) {
            linkBound = least;
            LoopBudget memory = loop.memory();
            link.bound(least, memory.sendBytes(least), memory.queued(least));
        }
    }

    void shrink(boolean greedy) {
        for (Http2FrontendStream stream : open) {
            FrontendExchange current = stream.exchange();
            if (current != null) {
                current.grant().shrink(greedy);
            }
        }
    }

    void grow() {
        for (Http2FrontendStream stream : open) {
            FrontendExchange current = stream.exchange();
            if (current != null) {
                current.grant().grow();
            }
        }
    }

    /** Adds the claims of the streams. */
    void claims(List<Claim> into) {
        for (Http2FrontendStream stream : open) {
            FrontendExchange current = stream.exchange();
            if (current != null) {
                into.add(current.claim(stream));
            } else if (stream.memory().isKeeping()) {
                int held = stream.memory().keptHeld();
                into.add(new Claim(link.claimant(), true, held, stream.begunNs(), 0, stream));
            }
        }
    }

    /** Returns the score of the stream that is the heaviest. */
    long evictionScore(long nowNs) {
        long most = 0;
        for (Http2FrontendStream stream : open) {
            most = Math.max(most, stream.evictionScore(nowNs));
        }
        return most;
    }

    /** Returns the stream that holds most in proportion to its pace; null where none holds anything. */
    @Nullable
    Http2FrontendStream heaviest() {
        long nowNs = loop.nowNs();
        Http2FrontendStream heaviest = null;
        long most = 0;
        for (Http2FrontendStream stream : open) {
            long burden = stream.evictionScore(nowNs);
            if (burden > most) {
                most = burden;
                heaviest = stream;
            }
        }
        return heaviest;
    }
}
