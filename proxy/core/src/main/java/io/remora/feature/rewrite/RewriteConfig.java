package io.remora.feature.rewrite;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import org.jspecify.annotations.Nullable;

/**
 * The path and the host that an endpoint sees instead of the request's.
 *
 * @param prefix that replaces the part of the path that the route matches; null for the path as it came
 * @param host with its port, if it has one; null for the host as it came
 */
public record RewriteConfig(
        @Nullable String prefix, @Nullable String host) implements ShownOption {
    public static final Option<RewriteConfig> REWRITE = Option.of(Rewriting.REWRITE);

    /** Changes the path and the host for the endpoint. The access log and {@code match} use the original values. */
    public static final Key SECTION = Key.optional(ListenerKeys.ROUTES, Rewriting.REWRITE, Key.MAPPING);

    /**
     * Replacement for {@code match.prefix}, or for the whole path with {@code match.path}. Without either, it is
     * prepended to the path. The query is kept. If the remaining path contains a dot segment in any spelling, the
     * client gets 400.
     */
    public static final Key PREFIX = Key.optional(SECTION, "prefix", "path");

    /** Host for the endpoint, optionally with a port. {@code X-Forwarded-Host} contains the original host. */
    public static final Key HOST = Key.optional(SECTION, "host", "host, or `host:port`");

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(SECTION);
        text.optional(PREFIX, prefix);
        text.optional(HOST, host);
    }
}
