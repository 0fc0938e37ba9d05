package io.remora.serving;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.finaglekeys.RequestDtabConfig;
import io.remora.http.RequestIds;
import io.remora.stages.Admit;
import io.remora.stages.AdmitByLatency;
import io.remora.stages.BoundBody;
import io.remora.stages.CallerWait;
import io.remora.stages.CountHops;
import io.remora.stages.Dispatch;
import io.remora.stages.DispatchByHost;
import io.remora.stages.FindRoute;
import io.remora.stages.GuardLoop;
import io.remora.stages.RequireIdentity;
import io.remora.stages.RewriteFields;
import io.remora.stages.TakeDtab;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stages of the proxy itself, each at its {@link Slot}, which says why it stands there; features add theirs. A stage that a
 * listener has no use for is left out, and its class is never loaded.
 */
final class Stages {
    private Stages() {}

    /** Adds them for one listener on one event loop. */
    static void add(StagePath path, ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing) {
        addShared(path, listener);
        if (!listener.tcp()) {
            addOfRequests(path, listener, requestIds, tracing);
        }
    }

    /** Adds the stages of requests, which connections pass too that are tunnels from their first octet. */
    private static void addShared(StagePath path, ListenerConfig listener) {
        List<RouteConfig> routes = listener.routes();
        path.at(Slot.ADMIT).add(new Admit());
        if (!listener.requiredIdentities().isEmpty()) {
            path.at(Slot.IDENTITY).add(RequireIdentity.of(listener.requiredIdentities()));
        }
        path.at(Slot.ROUTE).add(new FindRoute());
        if (RouteConfig.anyHas(routes, ListenerConfig.REQUIRED_IDENTITIES)) {
            path.at(Slot.ROUTE_IDENTITY).add(RequireIdentity.byRoute(routes));
        }
        if (!listener.tcp() && RouteConfig.anyHas(routes, RouteConfig.TEMPLATE)) {
            path.at(Slot.DISPATCH).add(new DispatchByHost());
        } else {
            path.at(Slot.DISPATCH).add(new Dispatch());
        }
    }

    // apart, so that nothing of another engine's is loaded without it
    private static void addDtab(StagePath path, ListenerConfig listener) {
        RequestDtabConfig requestDtab = RequestDtabConfig.of(listener);
        if (requestDtab != null) {
            path.at(Slot.DTAB).add(new TakeDtab(requestDtab.allowed()));
        }
    }

    private static void addOfRequests(
            StagePath path, ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing) {
        if (tracing != null) {
            path.at(Slot.TRACE).add(tracing);
        }
        if (listener.options().has(ListenerConfig.ADAPTIVE)) {
            path.at(Slot.ADAPT).add(new AdmitByLatency());
        }
        path.at(Slot.BODY).add(new BoundBody());
        path.at(Slot.LOOP).add(new GuardLoop());
        path.at(Slot.HOPS).add(new CountHops());
        String callerHeader = listener.timeouts().callerHeader();
        if (callerHeader != null) {
            path.at(Slot.DEADLINE).add(new CallerWait(callerHeader));
        }
        if (listener.options().has(ListenerConfig.REQUEST_DTAB)) {
            addDtab(path, listener);
        }
        path.at(Slot.REWRITE)
                .add(new RewriteFields(listener.headers(), listener.options().has(ListenerConfig.TRUST), requestIds));
    }
}
