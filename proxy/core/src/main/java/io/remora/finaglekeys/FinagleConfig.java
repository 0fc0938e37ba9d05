package io.remora.finaglekeys;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.Option;
import io.remora.config.model.Placed;
import io.remora.config.model.PlacedText;
import io.remora.config.model.ProxyConfig;
import org.jspecify.annotations.Nullable;

/**
 * The section for Finagle's engine alone.
 *
 * @param place where the section stands
 * @param dtab the delegations that names follow; null for none
 */
public record FinagleConfig(PlacedText place, @Nullable PlacedText dtab) implements PlacedOption, Placed {
    public static final Option<FinagleConfig> FINAGLE = Option.of("finagle");

    /**
     * Delegation table that binds cluster names, in Finagle syntax. Later entries take precedence. See
     * [engines.md](engines.md#names-and-dtabs).
     */
    public static final Key DTAB = Key.optional(OperatorKeys.FINAGLE, "dtab", "dtab, such as `/s => /#`");

    /** Returns the delegations of a configuration, null for none. */
    public static @Nullable PlacedText dtab(ProxyConfig config) {
        FinagleConfig own = config.options().get(FINAGLE);
        return own == null ? null : own.dtab;
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.optional(DTAB, dtab == null ? null : dtab.text());
    }
}
