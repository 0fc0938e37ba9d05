package io.remora.template;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The template of a cluster, which stands for a cluster for each host that requests name.
 *
 * @param hosts that have one, in lower case: a name, {@code *.suffix} for one label or more before the suffix,
 *     {@code *} for every name, an IP address, or a network
 * @param maxHosts at once; beyond it 503
 * @param hostTtlNs for which one is kept that no request has named since
 */
public record HostTemplate(List<String> hosts, int maxHosts, long hostTtlNs) implements PlacedOption {
    public static final Option<HostTemplate> TEMPLATE = Option.of(ClusterConfig.TEMPLATE.toString());

    /** Returns the template of a cluster or route, null where the cluster is one. */
    public static @Nullable HostTemplate of(Options options) {
        return options.get(TEMPLATE);
    }

    @Override
    public void show(KeyWriter out, Key key) {
        TemplatePart.show(out, this);
    }
}
