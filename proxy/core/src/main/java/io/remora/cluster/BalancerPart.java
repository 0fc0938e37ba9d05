package io.remora.cluster;

import io.remora.cluster.BalancerConfig.Hash;
import io.remora.cluster.BalancerConfig.Kind;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.Units;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.text.Nearest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cluster's {@code balancer}: its keys in the order of the page, read and shown. Loaded only where one is configured. */
public final class BalancerPart {
    /** The name of the key. */
    public static final String BALANCER = "balancer";

    /** Load balancing algorithm. See [balancing.md](balancing.md). */
    public static final Key KIND = Key.text(
            ClusterKeys.BALANCER,
            "kind",
            "least-loaded, peak-ewma, round-robin, aperture, maglev",
            ClusterKeys.BALANCER.fallbackText());

    /**
     * Time until a new endpoint receives its full share of requests, starting at 10 %. Endpoints that are known at
     * startup receive their full share immediately.
     */
    public static final ValueKey<Long> SLOW_START = Key.durationOrOffNs(ClusterKeys.BALANCER, "slow-start");

    /**
     * Time after which a latency has lost two thirds of its influence, with {@code peak-ewma}. With the default, a slow
     * endpoint is tried again after about 30 seconds.
     */
    public static final ValueKey<Long> DECAY = Key.durationNs(ClusterKeys.BALANCER, "decay", 10_000_000_000L);

    /**
     * Part of the request that selects the endpoint, required with {@code maglev}. Requests without this header or
     * cookie can go to any endpoint.
     */
    public static final Key HASH =
            Key.optional(ClusterKeys.BALANCER, "hash", "`path`, `client`, or mapping with `header` or `cookie`");

    /** Header whose first line is hashed. */
    public static final Key HASH_HEADER = Key.optional(HASH, "header", "field name");

    /** Cookie whose value is hashed. */
    public static final Key HASH_COOKIE = Key.optional(HASH, "cookie", "token");

    /**
     * Maximum number of active requests per endpoint as a percentage of the mean, with {@code maglev}. Further requests
     * go to a second endpoint, which is always the same for a hash. Lower values balance the load better, but separate
     * more requests that belong together.
     */
    public static final Key LOAD_BOUND = Key.text(ClusterKeys.BALANCER, "load-bound", "101 to 1000, or off", "125");

    /** Minimum number of endpoints that this sidecar uses, with {@code aperture}. The default is that of Finagle. */
    public static final ValueKey<Integer> SIZE = Key.count(ClusterKeys.BALANCER, "size", 1, Key.MAX_PER_CONNECTION, 12);

    /** Number of sidecars that share the endpoints, with {@code aperture}. */
    public static final Key PEERS = Key.optional(ClusterKeys.BALANCER, "peers", "1 to 1000000");

    /** Position of this sidecar among {@code peers}, starting at 0. Each sidecar needs a different position. */
    public static final Key POSITION = Key.optional(ClusterKeys.BALANCER, "position", "0 to `peers` - 1");

    /**
     * Name of the sidecar, such as {@code "${HOSTNAME}"}, for {@code aperture} without positions. The hash of the name
     * selects the endpoints. Without a name, they are selected at random at startup.
     */
    public static final Key NAME = Key.optional(ClusterKeys.BALANCER, "name", "text");

    /**
     * Zone of the sidecar. Endpoints in this zone are preferred, and others of the same priority are used as described
     * for priorities.
     */
    public static final Key ZONE = Key.optional(ClusterKeys.BALANCER, "zone", "name");

    /**
     * Number of active requests at which an endpoint of {@code zone} receives no further requests while another zone
     * has a healthy endpoint. By default, only health is considered.
     */
    public static final Key ZONE_LOAD = Key.optional(ClusterKeys.BALANCER, "zone-load", "1 to 1000000");

    /**
     * Percentage of healthy endpoints in a priority or zone, by weight, below which requests also go to the next ones.
     * Their share is proportional to the missing endpoints. With the default, 35 % healthy endpoints keep half of the
     * requests.
     */
    public static final ValueKey<Integer> SPILL_BELOW = Key.count(ClusterKeys.BALANCER, "spill-below", 1, 100, 70);

    private static final String PATH = "path";
    private static final String CLIENT = "client";
    private static final int LEAST_BOUND = 101;
    private static final int MOST_BOUND = 1_000;

    private final Problems problems;

    private BalancerPart(Problems problems) {
        this.problems = problems;
    }

    /** Reads a cluster's {@code balancer}, unless it names the default. */
    public static final class Reader implements FeaturePart {
        @Override
        public Options read(FeatureSection from, Options options) {
            Node node = from.section.value(ClusterKeys.BALANCER);
            if (node == null || node.isText(ClusterKeys.BALANCER.fallbackText())) {
                return options;
            }
            BalancerConfig read = new BalancerPart(from.problems).read(node);
            if (from.tcp && needsRequests(read)) {
                String expected = ", expected a kind without latencies, or maglev with hash: client";
                from.problems.at(node, "this balancer is not supported with protocol: tcp" + expected);
            }
            return options.with(BalancerConfig.BALANCER, read);
        }

        private static boolean needsRequests(BalancerConfig how) {
            return switch (how.hash()) {
                case PATH, HEADER, COOKIE -> true;
                case CLIENT, NONE -> how.kind() == Kind.PEAK_EWMA;
            };
        }
    }

    private BalancerConfig read(Node node) {
        boolean mapping = node.kind != Node.Kind.TEXT;
        Section section = mapping
                ? Section.of(node, ClusterKeys.BALANCER.name, problems)
                : Section.of(Node.parent(Node.Kind.MAPPING, node.line, node.column, List.of()), "", problems);
        Node name = mapping ? section.text(KIND) : node;
        Kind kind = kind(name, mapping ? KIND : ClusterKeys.BALANCER);
        if (kind != null) {
            refuseOthersKeys(section, kind);
        }
        BalancerConfig read = read(section, kind == null ? Kind.LEAST_LOADED : kind);
        section.end();
        return read;
    }

    private BalancerConfig read(Section section, Kind kind) {
        Node hash = section.value(HASH);
        if (hash == null && kind == Kind.MAGLEV) {
            section.missing(HASH, "path, client, or a mapping with header or cookie");
        }
        Section of = hash == null || hash.kind == Node.Kind.TEXT ? null : Section.of(hash, "hash", problems);
        int peers = count(section, PEERS, 1, Key.MAX_COUNT, 0);
        return new BalancerConfig(
                kind,
                section.get(SLOW_START),
                section.get(DECAY),
                of == null ? hash(hash) : hash(of),
                of == null ? null : hashName(of),
                loadBound(section),
                new BalancerConfig.Window(section.get(SIZE), peers, position(section, peers), name(section, peers)),
                new BalancerConfig.Zones(
                        Names.zone(section, ZONE, problems), zoneLoad(section), section.get(SPILL_BELOW)));
    }

    /** Reads the kind, null where a problem has been reported. */
    private @Nullable Kind kind(@Nullable Node name, Key key) {
        if (name == null) {
            return Kind.LEAST_LOADED;
        }
        List<String> all = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (name.isText(kind.text)) {
                return kind;
            }
            all.add(kind.text);
        }
        problems.at(name, key.name + " is " + name.quoted() + Nearest.hint(name.text, all));
        return null;
    }

    /** Refuses the keys of other kinds, which would have no effect. */
    private void refuseOthersKeys(Section section, Kind kind) {
        refuse(section, DECAY, kind, Kind.PEAK_EWMA);
        refuse(section, HASH, kind, Kind.MAGLEV);
        refuse(section, LOAD_BOUND, kind, Kind.MAGLEV);
        refuse(section, SIZE, kind, Kind.APERTURE);
        refuse(section, PEERS, kind, Kind.APERTURE);
        refuse(section, POSITION, kind, Kind.APERTURE);
        refuse(section, NAME, kind, Kind.APERTURE);
    }

    private void refuse(Section section, Key key, Kind kind, Kind whose) {
        Node node = section.value(key);
        if (node != null && kind != whose) {
            problems.at(node, key.name + " is not supported with kind " + kind.text + ", expected " + whose.text);
        }
    }

    // ---- the hash

    private Hash hash(@Nullable Node text) {
        if (text == null) {
            return Hash.NONE;
        }
        if (!text.isText(PATH) && !text.isText(CLIENT)) {
            String expected = ", expected path, client, or a mapping with header or cookie";
            problems.at(text, HASH.name + " is " + text.quoted() + expected);
        }
        return text.isText(PATH) ? Hash.PATH : Hash.CLIENT;
    }

    private Hash hash(Section of) {
        Node header = of.value(HASH_HEADER);
        Node cookie = of.value(HASH_COOKIE);
        if (header == null && cookie == null) {
            problems.at(of.node, "hash requires header or cookie");
        } else if (header != null && cookie != null) {
            problems.at(cookie, "cookie cannot be combined with header");
        }
        of.end();
        return cookie == null ? Hash.HEADER : Hash.COOKIE;
    }

    private @Nullable String hashName(Section of) {
        Node header = of.value(HASH_HEADER);
        Node name = header != null ? header : of.value(HASH_COOKIE);
        return name == null ? null : Names.token(name, header != null ? "header" : "cookie", problems);
    }

    private int loadBound(Section section) {
        Node node = section.text(LOAD_BOUND);
        int byDefault = Integer.parseInt(LOAD_BOUND.fallbackText());
        if (node == null) {
            return byDefault;
        }
        return node.isText(Key.OFF)
                ? 0
                : (int) node.number(Units.NONE, LOAD_BOUND.name, byDefault, LEAST_BOUND, MOST_BOUND, problems);
    }

    // ---- the aperture

    private int position(Section section, int peers) {
        Node node = section.value(POSITION);
        if (peers == 0) {
            if (node != null && !section.has(PEERS)) {
                problems.at(node, "position requires peers");
            }
            return 0;
        }
        if (node == null) {
            section.missing(POSITION, "0 to " + (peers - 1) + ", different for each of the peers");
            return 0;
        }
        return count(section, POSITION, 0, peers - 1, 0);
    }

    private String name(Section section, int peers) {
        Node node = section.text(NAME);
        if (node != null && peers > 0) {
            problems.at(node, "name cannot be combined with peers");
        }
        return node == null ? "" : node.text;
    }

    // ---- zones

    private int zoneLoad(Section section) {
        Node node = section.value(ZONE_LOAD);
        if (node != null && !section.has(ZONE)) {
            problems.at(node, "zone-load requires zone");
        }
        return count(section, ZONE_LOAD, 1, Key.MAX_COUNT, 0);
    }

    private int count(Section section, Key key, int min, int max, int fallback) {
        Node node = section.text(key);
        return node == null ? fallback : (int) node.number(Units.NONE, key.name, fallback, min, max, problems);
    }

    static void show(KeyWriter out, BalancerConfig balancer) {
        out.section(ClusterKeys.BALANCER);
        out.text(KIND, balancer.kind().text);
        out.put(SLOW_START, balancer.slowStartNs());
        if (balancer.kind() == Kind.PEAK_EWMA) {
            out.put(DECAY, balancer.decayNs());
        } else if (balancer.kind() == Kind.MAGLEV) {
            showHash(out, balancer);
        } else if (balancer.kind() == Kind.APERTURE) {
            window(out, balancer.window());
        }
        BalancerConfig.Zones zones = balancer.zones();
        unlessEmpty(out, ZONE, zones.zone());
        if (zones.zoneLoad() > 0) {
            out.plain(ZONE_LOAD, Integer.toString(zones.zoneLoad()));
        }
        out.put(SPILL_BELOW, zones.spillBelow());
    }

    private static void showHash(KeyWriter out, BalancerConfig balancer) {
        if (balancer.hashName() == null) {
            out.plain(HASH, balancer.hash() == Hash.PATH ? "path" : "client");
        } else {
            out.section(HASH);
            boolean header = balancer.hash() == Hash.HEADER;
            out.text(header ? HASH_HEADER : HASH_COOKIE, balancer.hashName());
        }
        out.plain(LOAD_BOUND, balancer.loadBound() == 0 ? Key.OFF : Integer.toString(balancer.loadBound()));
    }

    private static void window(KeyWriter out, BalancerConfig.Window window) {
        out.put(SIZE, window.size());
        if (window.peers() > 0) {
            out.plain(PEERS, Integer.toString(window.peers()));
            out.plain(POSITION, Integer.toString(window.position()));
        }
        unlessEmpty(out, NAME, window.name());
    }

    private static void unlessEmpty(KeyWriter out, Key key, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            out.text(key, value);
        }
    }
}
