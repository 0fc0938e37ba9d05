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
    /**
     * Networks of allowed clients, such as {@code 10.0.0.0/8}. If set, all other clients are denied, including clients
     * without an address. By default, all clients are allowed.
     */
    public static final Key ALLOW = Key.optional(ListenerKeys.CLIENTS, "allow", "list of networks");

    /** Networks of denied clients. Takes precedence over {@code allow}. */
    public static final Key DENY = Key.optional(ListenerKeys.CLIENTS, "deny", "list of networks");

    public static final Option<ClientsConfig> CLIENTS = Option.of(ClientLists.NAME);

    @Override
    public void show(KeyWriter out, Key key) {
        out.begin(key, ListenerKeys.CLIENTS);
        out.unlessEmpty(ALLOW, allow);
        out.unlessEmpty(DENY, deny);
        out.end();
    }

    @Override
    public Options addTo(Options tunnels) {
        return tunnels.with(CLIENTS, this);
    }
}
