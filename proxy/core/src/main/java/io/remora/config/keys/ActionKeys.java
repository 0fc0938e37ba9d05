package io.remora.config.keys;

/** The keys of a route's actions, in the order of the page. Loaded only where one of them is configured. */
public final class ActionKeys {
    /** The name of the cluster; each stands once. */
    public static final Key SPLIT_CLUSTER = Key.required(ListenerKeys.ROUTE_CLUSTERS, "cluster", "name of a cluster");

    /** Its share, in proportion to the sum of all weights; 0 for none, while the others take what comes. */
    public static final ValueKey<Integer> SPLIT_WEIGHT =
            Key.count(ListenerKeys.ROUTE_CLUSTERS, "weight", 0, Key.MAX_COUNT, 1);

    /** The header whose first line decides. */
    public static final Key STICKY_HEADER = Key.optional(ListenerKeys.STICKY, "header", "field name");

    /** The cookie whose value decides. */
    public static final Key STICKY_COOKIE = Key.optional(ListenerKeys.STICKY, "cookie", "token");

    /**
     * What the endpoint sees in the place of {@code match.prefix}, or of all of {@code match.path}; without either it stands before the
     * path. The query stays. A request whose remaining path has a dot segment, however it is spelled, gets 400.
     */
    public static final Key REWRITE_PREFIX = Key.optional(ListenerKeys.REWRITE, "prefix", "path");

    /** The host that the endpoint sees, with a port if it is to have one. {@code X-Forwarded-Host} has the client's. */
    public static final Key REWRITE_HOST = Key.optional(ListenerKeys.REWRITE, "host", "host, or `host:port`");

    /**
     * Fields that are put in the place of those that the client sent. A value may name variables in braces, such as {@code '{client}'};
     * a brace that stands twice is the brace itself. Where all of a value is empty the field is left out.
     */
    public static final Key REQUEST_SET =
            Key.optional(ListenerKeys.REQUEST_HEADERS, "set", "mapping of names to values");

    /** The same, behind the fields that the client sent. */
    public static final Key REQUEST_APPEND =
            Key.optional(ListenerKeys.REQUEST_HEADERS, "append", "mapping of names to values");

    /** Fields of the client's that the endpoint does not get. */
    public static final Key REQUEST_REMOVE = Key.optional(ListenerKeys.REQUEST_HEADERS, "remove", "list of names");

    /** Fields that are put in the place of those that the endpoint sent; values are written as those of requests are. */
    public static final Key RESPONSE_SET =
            Key.optional(ListenerKeys.RESPONSE_HEADERS, "set", "mapping of names to values");

    /** The same, behind the fields that the endpoint sent. */
    public static final Key RESPONSE_APPEND =
            Key.optional(ListenerKeys.RESPONSE_HEADERS, "append", "mapping of names to values");

    /** Fields of the endpoint's that the client does not get. */
    public static final Key RESPONSE_REMOVE = Key.optional(ListenerKeys.RESPONSE_HEADERS, "remove", "list of names");

    /** 301, 302, 303, 307 or 308. By default the method stays, and nobody keeps it for good. */
    public static final ValueKey<Integer> REDIRECT_STATUS = Key.count(ListenerKeys.REDIRECT, "status", 301, 308, 307);

    /** {@code http} or {@code https}; by default that by which the client came. */
    public static final Key REDIRECT_SCHEME = Key.optional(ListenerKeys.REDIRECT, "scheme", "`http` or `https`");

    /** By default that of the request. */
    public static final Key REDIRECT_HOST = Key.optional(ListenerKeys.REDIRECT, "host", "host");

    /** By default that of the request where scheme and host stay, and that of the scheme where they do not. */
    public static final Key REDIRECT_PORT = Key.optional(ListenerKeys.REDIRECT, "port", "1 to 65535");

    /** As {@code rewrite.prefix}, in the URI where the client is sent to. */
    public static final Key REDIRECT_PREFIX = Key.optional(ListenerKeys.REDIRECT, "prefix", "path");

    /** The status of the response; one without a body is sent none. */
    public static final ValueKey<Integer> RESPOND_STATUS = Key.count(ListenerKeys.RESPOND, "status", 200, 599, 200);

    /** Up to 4 KiB of ASCII text; by default there is none. */
    public static final Key RESPOND_BODY = Key.optional(ListenerKeys.RESPOND, "body", "text");

    /** Of the body. */
    public static final Key RESPOND_CONTENT_TYPE =
            Key.text(ListenerKeys.RESPOND, "content-type", "media type", "text/plain; charset=us-ascii");

    private ActionKeys() {}
}
