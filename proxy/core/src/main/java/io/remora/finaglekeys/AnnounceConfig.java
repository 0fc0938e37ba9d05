package io.remora.finaglekeys;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.Address;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.Placed;
import io.remora.config.model.PlacedText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names under which a listener is announced.
 *
 * @param names in the words of the engine that announces it, which judges them as well; one or more
 * @param address where others reach the listener; its port is 0 for the one that the listener is bound to
 */
public record AnnounceConfig(List<PlacedText> names, Address address) implements PlacedOption, Placed {
    public static final Option<AnnounceConfig> ANNOUNCE = Option.of("announce");

    /**
     * Serversets to join, each with a shard number, in Finagle syntax: {@code zk!HOSTS!/PATH!SHARD}, or {@code
     * zk!HOSTS!/PATH!SHARD!ENDPOINT} for an additional endpoint of that member.
     */
    public static final Key NAMES =
            Key.required(ListenerKeys.ANNOUNCE, "names", "list of names, such as `zk!10.0.0.7:2181!/app!0`");

    /**
     * Address to announce, such as {@code ${POD_IP}:8080}. Port 0 means the port that the listener is bound to.
     * Defaults to the address of the listener, which must not be a wildcard in this case.
     */
    public static final Key ADDRESS = Key.optional(ListenerKeys.ANNOUNCE, "address", "address");

    /** Returns the announcement of a listener, null where its address is announced to nobody. */
    public static @Nullable AnnounceConfig of(ListenerConfig listener) {
        return listener.options().get(ANNOUNCE);
    }

    @Override
    public @Nullable PlacedText place() {
        return names.isEmpty() ? null : names.get(0);
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.list(NAMES, PlacedText.texts(names), "");
        out.text(ADDRESS, address.toString());
    }
}
