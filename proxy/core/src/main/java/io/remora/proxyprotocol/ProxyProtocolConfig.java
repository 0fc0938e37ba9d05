package io.remora.proxyprotocol;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.Option;
import java.util.List;

/**
 * The networks from which connections begin with a header of the PROXY protocol.
 *
 * @param from networks, one or more
 */
public record ProxyProtocolConfig(List<String> from) implements PlacedOption {
    public static final String NAME = "proxy-protocol";

    /** Networks of the load balancers or proxies, such as {@code 10.0.0.0/8}. */
    public static final Key FROM = Key.required(ListenerKeys.PROXY_PROTOCOL, "from", "list of networks");

    public static final Option<ProxyProtocolConfig> PROXY_PROTOCOL = Option.of(NAME);

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.list(FROM, from, "");
    }
}
