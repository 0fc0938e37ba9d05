package io.remora.http2;

import io.remora.exchange.FrontendExchange;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.memory.Claim;
import io.remora.transport.Link;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of one connection: the ends that they have in common, and what they hold of memory together.
 *
 * <p>Owner: one connection. Bounds: the buffers that all of them share keep to the least of their grants.
 */
final class FrontendStreams extends StreamTable<Http2FrontendStream> {
    private static final Http2FrontendStream[] NONE = {};

    private final ListenerLoop listener;
    private final Link link;
    private int linkBound;

    FrontendStreams(ListenerLoop listener, Link link) {
        this.listener = listener;
        this.link = link;
    }

    // ---- what ends all of them; what one throws keeps no other from its end

    void fail(Failure failure, ErrorCode error) {
        for (Http2FrontendStream stream : copy(NONE)) {
            fail(stream, failure, error);
        }
    }

    private void fail(Http2FrontendStream stream, Failure failure, ErrorCode error) {
        try {
            stream.fail(failure, error);
        } catch (RuntimeException | Error e) {
            report(e);
        }
    }

    private void report(Throwable cause) {
        listener.loop().report("frontend stream ended by ", cause);
    }

    /** The client has ended its side, and with it the requests that are not whole. */
    void inputEnded() {
        for (Http2FrontendStream stream : copy(NONE)) {
            try {
                stream.inputEnded();
            } catch (RuntimeException | Error e) {
                report(e);
                fail(stream, Failure.INTERNAL, ErrorCode.CANCEL);
            }
        }
    }

    /** The time is over that they had to end in order. */
    void cut() {
        for (Http2FrontendStream stream : copy(NONE)) {
            if (stream.exchange() == null) {
                // finished, but for what the client has not taken
                listener.cutUnread();
            }
            fail(stream, Failure.CUT, ErrorCode.CANCEL);
        }
    }

    // ---- what they have in common

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
            link.bound(least, listener.loop().memory());
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
        Http2FrontendStream heaviest = heaviest(listener.loop().nowNs());
        return heaviest == null ? 0 : heaviest.memory().reclaimableBytes(heaviest.exchange());
    }

    /** Ends the heaviest one, as there is no memory for it; false where none holds anything. */
    boolean relieve() {
        Http2FrontendStream heaviest = heaviest(listener.loop().nowNs());
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
