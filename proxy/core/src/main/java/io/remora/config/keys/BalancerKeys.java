package io.remora.config.keys;

/** The keys of a cluster's {@code balancer}, in the order of the page. Loaded only where they are configured. */
public final class BalancerKeys {
    /** See [balancing.md](balancing.md). */
    public static final Key KIND = Key.text(
            ClusterKeys.BALANCER,
            "kind",
            "least-loaded, peak-ewma, round-robin, aperture, maglev",
            ClusterKeys.BALANCER.fallbackText());

    /**
     * Over which an endpoint that joins comes to its full share, from a tenth of it. Those that are there from the start get
     * theirs at once.
     */
    public static final ValueKey<Long> SLOW_START = Key.durationOrOffNs(ClusterKeys.BALANCER, "slow-start");

    /**
     * With {@code peak-ewma}: the time in which a latency loses two thirds of its influence. With the default an endpoint that
     * was slow is tried again after half a minute or so.
     */
    public static final ValueKey<Long> DECAY = Key.durationNs(ClusterKeys.BALANCER, "decay", 10_000_000_000L);

    /**
     * With {@code maglev}, which needs it: what of a request decides where it goes. A request without that header or cookie goes
     * anywhere.
     */
    public static final Key HASH =
            Key.optional(ClusterKeys.BALANCER, "hash", "`path`, `client`, or mapping with `header` or `cookie`");

    /** The header whose first line is hashed. */
    public static final Key HASH_HEADER = Key.optional(HASH, "header", "field name");

    /** The cookie whose value is hashed. */
    public static final Key HASH_COOKIE = Key.optional(HASH, "cookie", "token");

    /**
     * With {@code maglev}: how many requests an endpoint may have under way, in percent of the mean; what is more goes to a
     * second endpoint, always the same one for a hash. Lower bounds level the load, and break up more of what belongs
     * together.
     */
    public static final Key LOAD_BOUND = Key.text(ClusterKeys.BALANCER, "load-bound", "101 to 1000, or off", "125");

    /** With {@code aperture}: the endpoints that this sidecar talks to at least. Finagle's default. */
    public static final ValueKey<Integer> SIZE = Key.count(ClusterKeys.BALANCER, "size", 1, Key.MAX_PER_CONNECTION, 12);

    /** With {@code aperture}: how many sidecars divide the endpoints among them. */
    public static final Key PEERS = Key.optional(ClusterKeys.BALANCER, "peers", "1 to 1000000");

    /** With {@code peers}: which one of them this sidecar is, from 0; each has its own. */
    public static final Key POSITION = Key.optional(ClusterKeys.BALANCER, "position", "0 to `peers` - 1");

    /**
     * With {@code aperture}, where there are no positions: the sidecar's name, such as {@code "${HOSTNAME}"}, whose hash says
     * which endpoints it talks to. Without one that is left to chance at each start.
     */
    public static final Key NAME = Key.optional(ClusterKeys.BALANCER, "name", "text");

    /** The sidecar's own zone: endpoints of it come first, and the others of the same priority help as with priorities. */
    public static final Key ZONE = Key.optional(ClusterKeys.BALANCER, "zone", "name");

    /**
     * With {@code zone}: an endpoint of it that has so many requests under way gets no more while another zone has a healthy
     * one. By default only health decides.
     */
    public static final Key ZONE_LOAD = Key.optional(ClusterKeys.BALANCER, "zone-load", "1 to 1000000");

    /**
     * Percent of a priority's endpoints, or of the zone's, by weight: while fewer are healthy, what is missing of this goes to
     * the next ones, in proportion. With the default, 35 healthy percent keep half of the requests.
     */
    public static final ValueKey<Integer> SPILL_BELOW = Key.count(ClusterKeys.BALANCER, "spill-below", 1, 100, 70);

    private BalancerKeys() {}
}
