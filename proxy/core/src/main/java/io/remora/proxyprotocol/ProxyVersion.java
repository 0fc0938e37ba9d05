package io.remora.proxyprotocol;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.Option;

/**
 * The version of the PROXY header with which each connection to an endpoint begins.
 *
 * @param number 1 or 2
 */
public record ProxyVersion(int number) implements PlacedOption {
    /** An option of clusters. */
    public static final Option<ProxyVersion> VERSION = Option.of("proxy-protocol");

    /** Returns the version as the configuration writes it. */
    String text() {
        return "v" + number;
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.plain(key, text());
    }
}
