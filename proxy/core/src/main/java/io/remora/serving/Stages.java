package io.remora.serving;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.RequestDtabConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.TrustConfig;
import io.remora.exchange.Stage;
import io.remora.http.FieldName;
import io.remora.http.RequestDtab;
import io.remora.http.RequestIds;
import io.remora.limit.RateLimiters;
import io.remora.stages.ActOnRoute;
import io.remora.stages.Admit;
import io.remora.stages.AdmitByLatency;
import io.remora.stages.BoundBody;
import io.remora.stages.CallerWait;
import io.remora.stages.CheckClient;
import io.remora.stages.ChooseCluster;
import io.remora.stages.CountHops;
import io.remora.stages.Dispatch;
import io.remora.stages.DispatchByHost;
import io.remora.stages.FindRoute;
import io.remora.stages.GrpcWait;
import io.remora.stages.GuardLoop;
import io.remora.stages.HedgeSlow;
import io.remora.stages.LimitRate;
import io.remora.stages.MirrorSome;
import io.remora.stages.RequireIdentity;
import io.remora.stages.RewriteFields;
import io.remora.stages.ServerTiming;
import io.remora.stages.TakeDtab;
import io.remora.stages.TrustPeers;
import io.remora.transport.NanoClock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a request passes, in order, each with the reason for its place. */
final class Stages {
    private Stages() {}

    /** For one listener on one event loop. A stage that it has no use for is left out, and its class is never loaded. */
    static Stage[] of(
            ListenerConfig listener, RequestIds requestIds, @Nullable RateLimiters limiters, @Nullable Stage tracing) {
        return listener.tcp() ? ofTunnel(listener, limiters) : ofRequest(listener, requestIds, limiters, tracing);
    }

    /** What a connection passes that is a tunnel from its first octet: each stage stands where it does for requests. */
    private static Stage[] ofTunnel(ListenerConfig listener, @Nullable RateLimiters limiters) {
        List<Stage> stages = new ArrayList<>();
        addClients(stages, listener);
        stages.add(new Admit());
        addLimits(stages, listener, limiters);
        if (!listener.requiredIdentities().isEmpty()) {
            stages.add(RequireIdentity.of(listener.requiredIdentities()));
        }
        stages.add(new FindRoute());
        if (requiresIdentities(listener.routes())) {
            stages.add(RequireIdentity.byRoute(listener.routes()));
        }
        addLimitsOfRoutes(stages, listener, limiters);
        if (hasActions(listener.routes()) && ChooseCluster.isNeeded(listener.routes())) {
            stages.add(new ChooseCluster(listener.routes(), Entropy.seed()));
        }
        stages.add(new Dispatch());
        return stages.toArray(new Stage[0]);
    }

    private static Stage[] ofRequest(
            ListenerConfig listener, RequestIds requestIds, @Nullable RateLimiters limiters, @Nullable Stage tracing) {
        TrustConfig trust = listener.trust();
        List<Stage> stages = new ArrayList<>();
        if (listener.serverTiming()) {
            // answers nothing itself: whatever answers, refusals too, is timed
            stages.add(new ServerTiming());
        }
        if (trust != null) {
            // above all: the log names the client of what is refused as well, and no later stage sees what is not
            // believed
            stages.add(new TrustPeers(trust, believed(listener)));
        }
        // directly below, which says who the client is: whom the listener is not for learns nothing else, not even of
        // its load
        addClients(stages, listener);
        if (tracing != null) {
            // below whoever says whether the peer is believed, and who has no business here; above whatever else
            // refuses,
            // for a refusal has a trace
            stages.add(tracing);
        }
        // before the rest: a sidecar that is overloaded must not spend anything on what it will refuse
        stages.add(new Admit());
        // above whatever costs more than the refusal, so that it limits those refusals as well
        addLimits(stages, listener, limiters);
        if (listener.adaptive() != null) {
            // below what needs no measuring, so that it sees only what goes on
            stages.add(new AdmitByLatency());
        }
        if (!listener.requiredIdentities().isEmpty()) {
            // above whatever answers: whom the listener is not for learns nothing else here
            stages.add(RequireIdentity.of(listener.requiredIdentities()));
        }
        // before anything is answered: whoever is told 413 must not have the body read
        stages.add(new BoundBody());
        // above the count of hops, whose own answer would hide a loop
        stages.add(new GuardLoop());
        // above routing: what may travel no further needs no route
        stages.add(new CountHops());
        // sees the request as the client sent it, so that routes may match fields which the next stage takes out
        stages.add(new FindRoute());
        if (requiresIdentities(listener.routes())) {
            // directly below routing, which says whom the request's route is for
            stages.add(RequireIdentity.byRoute(listener.routes()));
        }
        // below the identities, so that strangers use up nobody's requests
        addLimitsOfRoutes(stages, listener, limiters);
        if (hedges(listener.routes())) {
            // below routing, as each route has its own latencies; above the attempts, which they are measured by
            stages.add(new HedgeSlow(listener.routes()));
        }
        String callerHeader = listener.timeouts().callerHeader();
        if (callerHeader != null) {
            // below whoever drops what is not believed; above the attempts, which the deadline bounds
            stages.add(new CallerWait(callerHeader));
        }
        if (listener.http2() != null) {
            // beside the caller's other word, for the same reasons
            stages.add(new GrpcWait());
        }
        RequestDtabConfig requestDtab = listener.requestDtab();
        if (requestDtab != null) {
            // below whoever drops what is not believed; above the attempts, which go where it leads
            stages.add(new TakeDtab(requestDtab.allowed()));
        }
        // below routing, for only what is forwarded needs it; above the attempts, which all send the same fields
        stages.add(new RewriteFields(listener.headers(), trust != null, requestIds));
        if (hasActions(listener.routes())) {
            addActions(stages, listener.routes());
        }
        // last: picks, leases and sends
        if (hasTemplates(listener.routes())) {
            stages.add(new DispatchByHost());
        } else {
            stages.add(new Dispatch());
        }
        return stages.toArray(new Stage[0]);
    }

    // apart, so that nothing of it is loaded where no route has any
    private static void addActions(List<Stage> stages, List<RouteConfig> routes) {
        if (ChooseCluster.isNeeded(routes)) {
            // below whatever goes by the route as the listener has it; above its actions, which may name the cluster
            stages.add(new ChooseCluster(routes, Entropy.seed()));
        }
        if (ActOnRoute.isNeeded(routes)) {
            // below the fields of this hop, so that none of a client's Connection takes out what is set here, and the
            // request has its id and X-Forwarded-Host the name that the client used
            stages.add(new ActOnRoute(routes));
        }
        if (MirrorSome.isNeeded(routes)) {
            // below all that changes a request: a copy is what the endpoint gets
            stages.add(new MirrorSome(Entropy.seed()));
        }
    }

    /** Whether some of its requests are copied. */
    static boolean mirrors(ListenerConfig listener) {
        return hasActions(listener.routes()) && MirrorSome.isNeeded(listener.routes());
    }

    private static boolean hasActions(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (route.actions() != null) {
                return true;
            }
        }
        return false;
    }

    private static void addClients(List<Stage> stages, ListenerConfig listener) {
        if (listener.clients() != null) {
            stages.add(CheckClient.of(listener.clients()));
        }
    }

    private static void addLimits(List<Stage> stages, ListenerConfig listener, @Nullable RateLimiters limiters) {
        if (limiters != null && !listener.rateLimits().isEmpty()) {
            stages.add(LimitRate.of(listener.name(), listener.rateLimits(), limiters, NanoClock.SYSTEM.nowNs()));
        }
    }

    private static void addLimitsOfRoutes(
            List<Stage> stages, ListenerConfig listener, @Nullable RateLimiters limiters) {
        if (hasClients(listener.routes())) {
            stages.add(CheckClient.byRoute(listener.routes()));
        }
        if (limiters != null && isLimited(listener.routes())) {
            stages.add(LimitRate.byRoute(listener.name(), listener.routes(), limiters, NanoClock.SYSTEM.nowNs()));
        }
    }

    private static boolean hasClients(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (route.clients() != null) {
                return true;
            }
        }
        return false;
    }

    /** Whether any of the routes has rate limits. */
    static boolean isLimited(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (!route.rateLimits().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Fields that count from believed peers only. */
    private static List<FieldName> believed(ListenerConfig listener) {
        List<FieldName> names = new ArrayList<>();
        String callerHeader = listener.timeouts().callerHeader();
        if (callerHeader != null) {
            names.add(FieldName.of(callerHeader));
        }
        if (listener.requestDtab() != null) {
            names.addAll(RequestDtab.FIELDS);
        }
        return names;
    }

    private static boolean hedges(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (route.policy() != null && route.policy().hedge() != null) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasTemplates(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (route.template() != null) {
                return true;
            }
        }
        return false;
    }

    private static boolean requiresIdentities(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (!route.requiredIdentities().isEmpty()) {
                return true;
            }
        }
        return false;
    }
}
