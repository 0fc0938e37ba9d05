package io.remora.config.yaml;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Limits;
import io.remora.config.model.RoutePolicy;
import org.jspecify.annotations.Nullable;

/** Reads a route's timeouts. Loaded only where they, or retries, are configured. */
final class PolicyReader {
    private PolicyReader() {}

    /**
     * @param route null where a listener's one cluster stands in its place
     * @param retries whether attempts are repeated
     * @return null where all is off
     */
    static @Nullable RoutePolicy read(@Nullable Section route, boolean retries, Problems problems) {
        if (route == null) {
            return new RoutePolicy(Limits.UNLIMITED, Limits.UNLIMITED);
        }
        Section timeouts = route.section(ListenerKeys.ROUTE_TIMEOUTS);
        long totalNs = timeouts.get(ListenerKeys.TOTAL);
        long tryNs = timeouts.get(ListenerKeys.TRY);
        Node tried = timeouts.value(ListenerKeys.TRY);
        if (tried != null && tryNs != Limits.UNLIMITED && tryNs >= totalNs) {
            String expected = ", expected less than the total of " + ListenerKeys.TOTAL.format(totalNs);
            problems.at(tried, ListenerKeys.TRY.name + " is " + tried.quoted() + expected);
        }
        long idleNs = timeouts.number(ListenerKeys.STREAM_IDLE, RoutePolicy.AS_LISTENER, ListenerKeys.STREAM_IDLE.max);
        timeouts.end();
        boolean timed = totalNs != Limits.UNLIMITED || tryNs != Limits.UNLIMITED || idleNs != RoutePolicy.AS_LISTENER;
        boolean off = !retries && !timed;
        return off ? null : new RoutePolicy(totalNs, tryNs, idleNs);
    }
}
