package io.remora.config.keys;

import io.remora.config.model.DnsSource;
import io.remora.config.model.ResolverConfig;

/** The keys of a cluster's {@code resolver}, in the order of the page. Loaded only where they are configured. */
public final class ResolverKeys {
    /** A file with a list of endpoints, in YAML or JSON, which is watched. See [endpoints.md](endpoints.md). */
    public static final Key FILE = Key.optional(ClusterKeys.RESOLVER, "file", "path");

    /** A name in DNS that stands for the endpoints. See [endpoints.md](endpoints.md). */
    public static final Key DNS = Key.optional(ClusterKeys.RESOLVER, "dns", "mapping with `name` or `srv`");

    /** The host whose addresses are the endpoints; it needs {@code port}. A short name goes by {@code /etc/resolv.conf}. */
    public static final Key DNS_NAME = Key.optional(DNS, "name", "DNS name");

    /** The port of each address of {@code name}; {@code {port}} in a template. */
    public static final Key DNS_PORT = Key.optional(DNS, "port", "1 to 65535, or `{port}`");

    /** The service whose SRV records are the endpoints, with their ports, priorities and weights (RFC 2782). */
    public static final Key DNS_SRV = Key.optional(DNS, "srv", "`_SERVICE._PROTOCOL.DNS-NAME`");

    /**
     * Which addresses are asked for: {@code auto} takes IPv6 only where there is no IPv4, so that a host without a route for
     * one of the two is not sent half of its requests there; {@code both} takes both, and one of them while the other has no answer.
     */
    public static final Choice<DnsSource.Family> DNS_FAMILY =
            new Choice<>(DNS, "family", DnsSource.Family.values(), DnsSource.Family.AUTO);

    /** Whom to ask in place of the servers in {@code /etc/resolv.conf}, as {@code IP:PORT}. */
    public static final Key DNS_SERVERS = Key.optional(DNS, "servers", "list of addresses");

    /**
     * The shortest time between two questions, whatever time to live an answer has. The default is that of Kubernetes' own
     * records, and protects a server whose records have none.
     */
    public static final ValueKey<Long> DNS_MIN_REFRESH = Key.durationNs(DNS, "min-refresh", DnsSource.MIN_REFRESH_NS);

    /** The longest time between two questions, less up to a tenth. Few changes can wait for longer than the default. */
    public static final ValueKey<Long> DNS_MAX_REFRESH = Key.durationNs(DNS, "max-refresh", DnsSource.MAX_REFRESH_NS);

    /**
     * How long the last good answer holds once its source gives none any more; {@code off} drops it at once. It is kept for
     * good by default, because endpoints that were there are a better guess than none.
     */
    public static final Key KEEP_LAST =
            Key.text(ClusterKeys.RESOLVER, "keep-last", "duration, off or forever", "forever");

    /**
     * Requests per event loop that wait for the first answer, instead of failing in the first second of a pod's life; more
     * are answered with 503. What waits is not read on.
     */
    public static final ValueKey<Integer> PENDING =
            Key.count(ClusterKeys.RESOLVER, "pending", 0, Key.MAX_PER_CONNECTION, ResolverConfig.PENDING);

    /**
     * How long they wait; beyond it 503. The default is the time that a DNS server takes to become ready next to the pod. It also bounds
     * how long a silent DNS server delays the question to the next one, see [endpoints.md](endpoints.md#dns).
     */
    public static final ValueKey<Long> PENDING_TIMEOUT =
            Key.durationNs(ClusterKeys.RESOLVER, "pending-timeout", ResolverConfig.PENDING_TIMEOUT_NS);

    private ResolverKeys() {}
}
