package io.remora.config.rules;

import io.remora.config.model.ClusterConfig;
import io.remora.text.Ascii;
import io.remora.text.Nearest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The clusters that parts of a configuration name, and the rule on such a name. Immutable. */
public final class NamedClusters {
    private final @Nullable Map<String, ClusterConfig> clusters;

    /** @param clusters by name; null where they are not known, so that no name can be wrong */
    public NamedClusters(@Nullable Map<String, ClusterConfig> clusters) {
        this.clusters = clusters;
    }

    /** Returns a cluster by its name, null for none. */
    public @Nullable ClusterConfig get(String name) {
        return clusters == null ? null : clusters.get(name);
    }

    /** Returns whether no cluster has the name; it is false for a name that is missing, which has been reported. */
    public boolean lack(String name) {
        return clusters != null && !name.isEmpty() && !clusters.containsKey(name);
    }

    /** Returns the end of a message about a name that no cluster has. */
    public String hint(String name) {
        return clusters == null || clusters.isEmpty()
                ? ", expected a key of clusters"
                : Nearest.hint(name, List.copyOf(clusters.keySet()));
    }

    /**
     * Demands a cluster of that name, for connections of one kind.
     *
     * @param tcp true for tunnels
     * @param path where the name stands
     */
    public void judge(String name, boolean tcp, String path, List<Flaw> flaws) {
        ClusterConfig cluster = get(name);
        if (lack(name)) {
            flaws.add(new Flaw(path, "cluster " + Ascii.quote(name) + " does not exist" + hint(name)));
        } else if (cluster != null && cluster.tcp() != tcp) {
            String expected = tcp ? ", expected a cluster with" : ", expected a cluster without";
            flaws.add(new Flaw(
                    path, "cluster " + Ascii.quote(name) + " has another protocol" + expected + " protocol: tcp"));
        }
    }
}
