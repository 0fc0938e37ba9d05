package io.remora.feature.ratelimit;

import io.remora.exchange.Filter;
import io.remora.http.ResponseHead;

/**
 * Fields in a response with the rest of each limit that its request has passed, in the order of the limits.
 *
 * <p>Owner: one exchange. Cost: a filter and two lines of the head. Spec: as {@link RateLimitFields}; each field is a list, so that what
 * the backend says there itself stays before it.
 */
final class RateLimitTold extends Filter {
    private final StringBuilder policy = new StringBuilder();
    private final StringBuilder state = new StringBuilder();

    void add(LoopLimiter limit, long nowNs) {
        if (!policy.isEmpty()) {
            policy.append(", ");
            state.append(", ");
        }
        policy.append(RateLimitFields.policy(limit.config()));
        long inNs = limit.fullInNs(nowNs);
        state.append(RateLimitFields.state(limit.config(), limit.left(inNs), inNs));
    }

    @Override
    public void responseHead(ResponseHead head) {
        head.fields.add(RateLimitFields.POLICY, policy.toString());
        head.fields.add(RateLimitFields.LIMIT, state.toString());
    }
}
