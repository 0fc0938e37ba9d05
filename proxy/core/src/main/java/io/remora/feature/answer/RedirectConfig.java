package io.remora.feature.answer;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import org.jspecify.annotations.Nullable;

/**
 * A redirect of a route's requests: its status, and the parts of the URI that differ where the client is sent to. A null
 * part stays.
 *
 * @param host without a port
 * @param port 0 for that of the request where host and scheme stay, and for the scheme's where they do not
 * @param prefix that replaces the part of the path that the route matches
 * @param stripQuery true where the query does not stay
 */
public record RedirectConfig(
        int status,
        @Nullable String scheme,
        @Nullable String host,
        int port,
        @Nullable String prefix,
        boolean stripQuery)
        implements ShownOption {
    public static final Option<RedirectConfig> REDIRECT = Option.of(Answering.REDIRECT);

    /** Redirects the client. Parts of the URI that are not set stay unchanged. */
    public static final Key SECTION = Key.optional(ListenerKeys.ROUTES, Answering.REDIRECT, Key.MAPPING);

    /**
     * Status of the redirect: 301, 302, 303, 307 or 308. The default keeps the method, and clients do not cache it
     * permanently.
     */
    public static final ValueKey<Integer> STATUS = Key.count(SECTION, "status", 301, 308, 307);

    /** New scheme. Defaults to the scheme of the request. */
    public static final Key SCHEME = Key.optional(SECTION, "scheme", "`http` or `https`");

    /** New host. Defaults to the host of the request. */
    public static final Key HOST = Key.optional(SECTION, "host", "host");

    /**
     * New port. By default, the port of the request if scheme and host are unchanged, and otherwise the default port of
     * the scheme.
     */
    public static final Key PORT = Key.optional(SECTION, "port", "1 to 65535");

    /** Changes the path of the redirect URI, as {@code rewrite.prefix} does. */
    public static final Key PREFIX = Key.optional(SECTION, "prefix", "path");

    /** Removes the query from the redirect URI, for example if a new site does not support it. */
    public static final Choice<Boolean> STRIP_QUERY = Key.flag(SECTION, "strip-query", false);

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(SECTION);
        text.put(STATUS, status);
        text.optional(SCHEME, scheme);
        text.optional(HOST, host);
        if (port > 0) {
            text.plain(PORT, Integer.toString(port));
        }
        text.optional(PREFIX, prefix);
        text.put(STRIP_QUERY, stripQuery);
    }
}
