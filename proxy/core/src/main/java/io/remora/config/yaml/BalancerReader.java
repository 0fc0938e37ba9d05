package io.remora.config.yaml;

import io.remora.config.keys.BalancerKeys;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.Units;
import io.remora.config.model.BalancerConfig;
import io.remora.config.model.BalancerConfig.Hash;
import io.remora.config.model.BalancerConfig.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a cluster's {@code balancer}. Loaded only where one is configured. */
final class BalancerReader {
    private static final String PATH = "path";
    private static final String CLIENT = "client";
    private static final int LEAST_BOUND = 101;
    private static final int MOST_BOUND = 1_000;

    private final Problems problems;

    BalancerReader(Problems problems) {
        this.problems = problems;
    }

    BalancerConfig read(Node node) {
        boolean mapping = node.kind != Node.Kind.TEXT;
        Section section = mapping
                ? Section.of(node, ClusterKeys.BALANCER.name, problems)
                : Section.of(Node.parent(Node.Kind.MAPPING, node.line, node.column, List.of()), "", problems);
        Node name = mapping ? section.text(BalancerKeys.KIND) : node;
        Kind kind = kind(name, mapping ? BalancerKeys.KIND : ClusterKeys.BALANCER);
        if (kind != null) {
            refuseOthersKeys(section, kind);
        }
        BalancerConfig read = read(section, kind == null ? Kind.LEAST_LOADED : kind);
        section.end();
        return read;
    }

    private BalancerConfig read(Section section, Kind kind) {
        Node hash = section.value(BalancerKeys.HASH);
        if (hash == null && kind == Kind.MAGLEV) {
            section.missing(BalancerKeys.HASH, "path, client, or a mapping with header or cookie");
        }
        Section of = hash == null || hash.kind == Node.Kind.TEXT ? null : Section.of(hash, "hash", problems);
        int peers = count(section, BalancerKeys.PEERS, 1, Key.MAX_COUNT, 0);
        return new BalancerConfig(
                kind,
                section.get(BalancerKeys.SLOW_START),
                section.get(BalancerKeys.DECAY),
                of == null ? hash(hash) : hash(of),
                of == null ? null : hashName(of),
                loadBound(section),
                new BalancerConfig.Window(
                        section.get(BalancerKeys.SIZE), peers, position(section, peers), name(section, peers)),
                new BalancerConfig.Zones(
                        zone(section, BalancerKeys.ZONE, problems),
                        zoneLoad(section),
                        section.get(BalancerKeys.SPILL_BELOW)));
    }

    /** Null where it has been reported. */
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

    /** A key that another kind goes by would have no effect, and somebody counts on it. */
    private void refuseOthersKeys(Section section, Kind kind) {
        refuse(section, BalancerKeys.DECAY, kind, Kind.PEAK_EWMA);
        refuse(section, BalancerKeys.HASH, kind, Kind.MAGLEV);
        refuse(section, BalancerKeys.LOAD_BOUND, kind, Kind.MAGLEV);
        refuse(section, BalancerKeys.SIZE, kind, Kind.APERTURE);
        refuse(section, BalancerKeys.PEERS, kind, Kind.APERTURE);
        refuse(section, BalancerKeys.POSITION, kind, Kind.APERTURE);
        refuse(section, BalancerKeys.NAME, kind, Kind.APERTURE);
    }

    private void refuse(Section section, Key key, Kind kind, Kind whose) {
        Node node = section.value(key);
        if (node != null && kind != whose) {
            problems.at(node, key.name + " with kind " + kind.text + ", expected it with " + whose.text + " only");
        }
    }

    // ---- the hash

    private Hash hash(@Nullable Node text) {
        if (text == null) {
            return Hash.NONE;
        }
        if (!text.isText(PATH) && !text.isText(CLIENT)) {
            String expected = ", expected path, client, or a mapping with header or cookie";
            problems.at(text, BalancerKeys.HASH.name + " is " + text.quoted() + expected);
        }
        return text.isText(PATH) ? Hash.PATH : Hash.CLIENT;
    }

    private Hash hash(Section of) {
        Node header = of.value(BalancerKeys.HASH_HEADER);
        Node cookie = of.value(BalancerKeys.HASH_COOKIE);
        if (header == null && cookie == null) {
            problems.at(of.node, "a hash of nothing, expected header or cookie");
        } else if (header != null && cookie != null) {
            problems.at(cookie, "cookie beside header, expected one of the two");
        }
        of.end();
        return cookie == null ? Hash.HEADER : Hash.COOKIE;
    }

    private @Nullable String hashName(Section of) {
        Node header = of.value(BalancerKeys.HASH_HEADER);
        Node name = header != null ? header : of.value(BalancerKeys.HASH_COOKIE);
        return name == null ? null : Names.token(name, header != null ? "header" : "cookie", problems);
    }

    private int loadBound(Section section) {
        Node node = section.text(BalancerKeys.LOAD_BOUND);
        int byDefault = Integer.parseInt(BalancerKeys.LOAD_BOUND.fallbackText());
        if (node == null) {
            return byDefault;
        }
        return node.isText(Key.OFF)
                ? 0
                : (int) node.number(
                        Units.NONE, BalancerKeys.LOAD_BOUND.name, byDefault, LEAST_BOUND, MOST_BOUND, problems);
    }

    // ---- the aperture

    private int position(Section section, int peers) {
        Node node = section.value(BalancerKeys.POSITION);
        if (peers == 0) {
            if (node != null && !section.has(BalancerKeys.PEERS)) {
                problems.at(node, "position without peers, expected both or neither");
            }
            return 0;
        }
        if (node == null) {
            section.missing(BalancerKeys.POSITION, "0 to " + (peers - 1) + ", which each of the peers has its own of");
            return 0;
        }
        return count(section, BalancerKeys.POSITION, 0, peers - 1, 0);
    }

    private String name(Section section, int peers) {
        Node node = section.text(BalancerKeys.NAME);
        if (node != null && peers > 0) {
            problems.at(node, "name beside peers, expected one of the two");
        }
        return node == null ? "" : node.text;
    }

    // ---- zones

    private int zoneLoad(Section section) {
        Node node = section.value(BalancerKeys.ZONE_LOAD);
        if (node != null && !section.has(BalancerKeys.ZONE)) {
            problems.at(node, "zone-load without zone, expected both");
        }
        return count(section, BalancerKeys.ZONE_LOAD, 1, Key.MAX_COUNT, 0);
    }

    /** Empty where none is given. */
    static String zone(Section section, Key key, Problems problems) {
        Node node = section.value(key);
        String zone = node == null ? null : Names.name(node, key.name, problems);
        return zone == null ? "" : zone;
    }

    private int count(Section section, Key key, int min, int max, int fallback) {
        Node node = section.text(key);
        return node == null ? fallback : (int) node.number(Units.NONE, key.name, fallback, min, max, problems);
    }
}
