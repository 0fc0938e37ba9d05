package io.remora.exchange;

import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.Limits;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RoutePolicy;
import io.remora.http.Failure;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/** The longest silences of both sides of an exchange: its route's {@code stream-idle}, or what its listener says. */
final class IdleTimes {
    private IdleTimes() {}

    /** The longest silence of the sender of a body; {@link Limits#UNLIMITED} if something else watches both sides. */
    static long bodyNs(@Nullable RouteConfig route, FrontendTimeouts ofListener) {
        long ownNs = ofRoute(route);
        return ownNs == RoutePolicy.AS_LISTENER ? ofListener.bodyIdleNs() : ownNs;
    }

    /** The longest rest of a response whose client has ended its side; {@link Limits#UNLIMITED} if something else watches it. */
    static long answerNs(@Nullable RouteConfig route, FrontendTimeouts ofListener) {
        long ownNs = ofRoute(route);
        return ownNs == RoutePolicy.AS_LISTENER ? ofListener.idleNs() : ownNs;
    }

    /** The longest rest of a tunnel; after that {@link FrontendExchange#tunnelIdle} decides. */
    static long tunnelNs(@Nullable RouteConfig route, FrontendTimeouts ofListener) {
        long ownNs = ofRoute(route);
        boolean bound = ownNs != RoutePolicy.AS_LISTENER && ownNs != Limits.UNLIMITED;
        return bound ? ownNs : ofListener.idleNs();
    }

    /** Returns whether silence never ends it. */
    static boolean mayRest(@Nullable RouteConfig route) {
        return ofRoute(route) == Limits.UNLIMITED;
    }

    /** The key by which something ended for silence, null where it ended for something else. */
    static @Nullable Rule keyOf(Failure failure, @Nullable RouteConfig route, boolean taken) {
        return switch (failure) {
            // what a side does not take is bound by the listener alone
            case CLIENT_STALLED -> Rule.UNTAKEN;
            case REQUEST_BODY_TIMEOUT -> bodyKey(route);
            case BACKEND_STALLED -> taken ? bodyKey(route) : Rule.UNTAKEN;
            case TUNNEL_IDLE -> Rule.IDLE;
            default -> null;
        };
    }

    private static Rule bodyKey(@Nullable RouteConfig route) {
        return ofRoute(route) == RoutePolicy.AS_LISTENER ? Rule.BODY_IDLE : Rule.STREAM_IDLE;
    }

    static Rule tunnelKey(@Nullable RouteConfig route) {
        long ownNs = ofRoute(route);
        return ownNs == RoutePolicy.AS_LISTENER || ownNs == Limits.UNLIMITED ? Rule.IDLE : Rule.STREAM_IDLE;
    }

    private static long ofRoute(@Nullable RouteConfig route) {
        RoutePolicy policy = route == null ? null : route.policy();
        return policy == null ? RoutePolicy.AS_LISTENER : policy.streamIdleNs();
    }
}
