package io.remora.cluster;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Section;

/** A cluster's {@code breakers}: their keys in the order of the page, read and shown. Loaded only where they are configured. */
public final class BreakerPart implements FeaturePart {
    public static final String NAME = "breakers";

    /**
     * Maximum number of connections to all endpoints. Requests that need a further connection get 503 {@code
     * breaker-connections}.
     */
    public static final ValueKey<Integer> CONNECTIONS =
            Key.count(ClusterKeys.BREAKERS, "connections", 1, Key.MAX_COUNT, 1_024);

    /** Maximum number of requests that wait for a connection. Further requests get 503 {@code breaker-pending}. */
    public static final ValueKey<Integer> PENDING = Key.count(ClusterKeys.BREAKERS, "pending", 1, Key.MAX_COUNT, 1_024);

    /** Maximum number of concurrent requests to the cluster. Further requests get 503 {@code breaker-in-flight}. */
    public static final ValueKey<Integer> IN_FLIGHT =
            Key.count(ClusterKeys.BREAKERS, "in-flight", 1, Key.MAX_COUNT, 1_024);

    /** Maximum number of concurrent retries. If it is reached, requests fail without a retry. */
    public static final ValueKey<Integer> RETRIES = Key.count(ClusterKeys.BREAKERS, "retries", 1, Key.MAX_COUNT, 64);

    @Override
    public Options read(FeatureSection from, Options options) {
        Section section = from.section.sectionOrOff(ClusterKeys.BREAKERS);
        return section == null ? options : options.with(BreakerConfig.BREAKERS, read(section));
    }

    private static BreakerConfig read(Section section) {
        BreakerConfig breakers = new BreakerConfig(
                section.get(CONNECTIONS), section.get(PENDING), section.get(IN_FLIGHT), section.get(RETRIES));
        section.end();
        return breakers;
    }

    static void show(KeyWriter out, Key key, BreakerConfig breakers) {
        out.section(key);
        out.put(CONNECTIONS, breakers.connections());
        out.put(PENDING, breakers.pending());
        out.put(IN_FLIGHT, breakers.inFlight());
        out.put(RETRIES, breakers.retries());
    }
}
