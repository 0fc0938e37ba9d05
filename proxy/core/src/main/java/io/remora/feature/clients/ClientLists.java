package io.remora.feature.clients;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.RouteConfig;
import io.remora.config.yaml.FeatureSection;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;

/** Lists of admitted clients, of listeners and of routes. Immutable. */
public final class ClientLists implements Feature {
    public static final String NAME = "clients";

    @Override
    public Options read(FeatureSection from, Options options) {
        return ClientsPart.read(from, options);
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        ClientsConfig clients = listener.options().get(ClientsConfig.CLIENTS);
        if (clients != null) {
            path.at(Slot.CLIENTS).add(CheckClient.of(clients));
        }
        if (RouteConfig.anyHas(listener.routes(), ClientsConfig.CLIENTS)) {
            path.at(Slot.ROUTE_CLIENTS).add(CheckClient.byRoute(listener.routes()));
        }
    }
}
