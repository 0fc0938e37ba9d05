package io.remora.feature.clients;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses clients by their addresses, as believed peers tell them: those whom the listener, or the route, is not for. */
final class CheckClient extends Stage {
    /** Null where the route says it. */
    private final @Nullable ClientList ofListener;

    private final IdentityHashMap<RouteConfig, ClientList> byRoute = new IdentityHashMap<>();

    private CheckClient(@Nullable ClientList ofListener) {
        this.ofListener = ofListener;
    }

    /** Returns a stage with one list for every request. */
    static CheckClient of(ClientsConfig clients) {
        return new CheckClient(new ClientList(clients));
    }

    /** Returns a stage with the list of the route that was found. */
    static CheckClient byRoute(List<RouteConfig> routes) {
        CheckClient stage = new CheckClient(null);
        for (RouteConfig route : routes) {
            ClientsConfig clients = route.options().get(ClientsConfig.CLIENTS);
            if (clients != null) {
                stage.byRoute.put(route, new ClientList(clients));
            }
        }
        return stage;
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        ClientList list = ofListener == null ? byRoute.get(exchange.route()) : ofListener;
        if (list != null && !list.admits(exchange.client())) {
            exchange.fail(Failure.CLIENT_DENIED);
            return false;
        }
        return true;
    }
}
