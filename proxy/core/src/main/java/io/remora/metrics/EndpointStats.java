package io.remora.metrics;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The counts of one event loop for one endpoint of a cluster. */
public final class EndpointStats extends Counts<EndpointMetric> {
    static final String TABLE_NAME = "endpoints";
    private static final EndpointMetric[] TABLE = EndpointMetric.values();
    private static final String[] NONE = {};

    public final String cluster;
    public final String endpoint;
    /** True if it holds the counts of loops that released the endpoint before the others did. */
    final boolean leftover;

    final int hash;
    /** The next three: the register's, under its lock. */
    @Nullable
    EndpointStats inBin;

    @Nullable
    EndpointStats earlier;

    @Nullable
    EndpointStats later;

    private volatile int weight = 1;
    private volatile Map<String, String> metadata = Map.of();
    private volatile @Nullable EndpointView view;

    public EndpointStats(String cluster, String endpoint) {
        this(cluster, endpoint, false);
    }

    EndpointStats(String cluster, String endpoint, boolean leftover) {
        super(TABLE, new String[] {cluster, endpoint}, NONE);
        this.cluster = cluster;
        this.endpoint = endpoint;
        this.leftover = leftover;
        this.hash = 31 * cluster.hashCode() + endpoint.hashCode();
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** Sets the weight and the metadata that the endpoint's source names. */
    public void describe(int newWeight, Map<String, String> newMetadata) {
        weight = newWeight;
        metadata = newMetadata;
    }

    /** Sets the view with facts about the endpoint that are not counted here. */
    public void view(EndpointView given) {
        view = given;
    }

    /** Returns that view; null where nothing else is known. */
    public @Nullable EndpointView view() {
        return view;
    }

    /** Returns the counts that stay once its loop has released the endpoint, with those of earlier ones added. */
    EndpointStats leftover(@Nullable EndpointStats before) {
        EndpointStats left = new EndpointStats(cluster, endpoint, true);
        left.describe(weight, metadata);
        left.addAll(this);
        if (before != null) {
            left.addAll(before);
        }
        return left;
    }

    /** Returns whether both count for the same endpoint. Cost: for nearly all others, the comparison of two numbers. */
    boolean isBeside(EndpointStats other) {
        return hash == other.hash && endpoint.equals(other.endpoint) && cluster.equals(other.cluster);
    }

    int weight() {
        return weight;
    }

    /** Returns another fact from the source; empty where it has none. */
    String metadata(String key) {
        return metadata.getOrDefault(key, "");
    }
}
