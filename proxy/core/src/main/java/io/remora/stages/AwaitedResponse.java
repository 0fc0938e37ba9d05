package io.remora.stages;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.AdaptiveLimit;
import io.remora.exchange.AttemptView;
import io.remora.exchange.Filter;
import io.remora.exchange.RequestView;
import io.remora.exchange.StagedRequest;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * Measurement of one exchange's wait for the backend, for its listener's {@link AdaptiveLimit}. It leaves out clients
 * that are still sending or slow to take the response, and tunnels.
 *
 * <p>Owner: the exchange.
 */
final class AwaitedResponse extends Filter {
    private final StagedRequest exchange;
    private final AdaptiveLimit limit;
    /** Set while the exchange counts as one that waits. */
    private boolean counted = true;
    /** Attempt whose response is timed: the first, where two are made at once. */
    private @Nullable AttemptView timed;

    private boolean whole;
    private long sinceNs;

    AwaitedResponse(StagedRequest exchange, AdaptiveLimit limit) {
        this.exchange = exchange;
        this.limit = limit;
    }

    @Override
    public void attempt(RequestHead head, AttemptView attempt) {
        if (head.upgrade() != null) {
            uncount();
        } else if (timed == null) {
            timed = attempt;
            whole = exchange.isRequestEnded();
            sinceNs = exchange.nowNs();
            if (!whole) {
                uncount();
            } else if (!counted) {
                // its end came between this attempt and the one before
                counted = true;
                limit.enterAgain();
            }
        }
    }

    @Override
    public @Nullable ByteBuf requestEnd() {
        if (timed != null && !whole) {
            whole = true;
            sinceNs = exchange.nowNs();
            if (!counted) {
                counted = true;
                limit.enterAgain();
            }
        }
        return null;
    }

    @Override
    public void responseHead(ResponseHead head) {
        boolean learns = timed != null && whole;
        // even where the request is not whole yet: its end has nothing to wait for any more
        timed = null;
        if (learns) {
            limit.learn(exchange.readyNs() - sinceNs, exchange.nowNs());
        }
        uncount();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // this one, not one like it
    public void attemptEnded(AttemptView attempt) {
        if (attempt == timed) {
            timed = null;
            if (whole) {
                long nowNs = exchange.nowNs();
                limit.learnAtLeast(nowNs - sinceNs, nowNs);
            }
        }
    }

    @Override
    public void ended(RequestView ended) {
        uncount();
    }

    private void uncount() {
        if (counted) {
            counted = false;
            limit.leave();
        }
    }
}
