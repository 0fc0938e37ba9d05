package io.remora.config.keys;

/** The keys of a cluster's {@code template}, in the order of the page. Loaded only where they are configured. */
public final class TemplateKeys {
    /**
     * The hosts that have a cluster, in any letter case: names, {@code *.suffix} for one label or more before the suffix, {@code *} for
     * every name; and IP addresses and networks such as {@code 10.0.0.0/8}, which no pattern of names takes. For any other host the
     * route is not there.
     */
    public static final Key HOSTS = Key.required(ClusterKeys.TEMPLATE, "hosts", "list of patterns");

    /**
     * Hosts that have a cluster at once; a request for one more gets 503 {@code too-many-hosts}. It bounds threads, connections
     * and metrics.
     */
    public static final ValueKey<Integer> MAX_HOSTS =
            Key.count(ClusterKeys.TEMPLATE, "max-hosts", 1, Key.MAX_PER_CONNECTION, 100);

    /**
     * After how long without a request a host's cluster is forgotten: its connections drain, and its metrics end. The default
     * outlives the pauses of an application that is in use.
     */
    public static final ValueKey<Long> HOST_TTL = Key.durationNs(ClusterKeys.TEMPLATE, "host-ttl", 300_000_000_000L);

    private TemplateKeys() {}
}
