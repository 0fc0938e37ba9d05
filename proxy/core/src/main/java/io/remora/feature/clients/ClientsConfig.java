package io.remora.feature.clients;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import io.remora.config.model.TunnelOption;
import java.util.List;

/**
 * The clients that are let in, by their addresses.
 *
 * @param allow networks; empty for all that are not denied
 * @param deny networks, which win over those that are allowed
 */
public record ClientsConfig(List<String> allow, List<String> deny) implements PlacedOption, TunnelOption {
    public static final Option<ClientsConfig> CLIENTS = Option.of(ClientLists.NAME);

    @Override
    public void show(KeyWriter out, Key key) {
        out.begin(key, ListenerKeys.CLIENTS);
        out.unlessEmpty(ListenerKeys.CLIENTS_ALLOW, allow);
        out.unlessEmpty(ListenerKeys.CLIENTS_DENY, deny);
        out.end();
    }

    @Override
    public Options addTo(Options tunnels) {
        return tunnels.with(CLIENTS, this);
    }
}
