package io.remora.feature.split;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.process.Entropy;

/** Several clusters of a route. Immutable. */
public final class Splitting implements Feature {
    public static final String CLUSTERS = "clusters";
    public static final String STICKY = "sticky";

    @Override
    public Options read(FeatureSection from, Options options) {
        if (from.key.equals(CLUSTERS)) {
            return SplitPart.read(from, options);
        }
        if (!from.section.has(ListenerKeys.ROUTE_CLUSTERS) && !from.answers()) {
            from.problems.at(from.section.node(SplitConfig.STICKY), "sticky requires clusters");
        }
        return options;
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        path.at(Slot.CLUSTER).add(new ChooseCluster(listener.routes(), Entropy.seed()));
    }
}
