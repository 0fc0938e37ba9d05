package io.remora.feature.hedge;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeatureSection;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import java.util.List;

/** Hedges of routes. Immutable: each snapshot learns its latencies by itself. */
public final class Hedging implements Feature {
    @Override
    public Options read(FeatureSection from, Options options) {
        return HedgeReader.read(from, options);
    }

    @Override
    public void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {
        for (int i = 0; i < listener.routes().size(); i++) {
            HedgeReader.judge(listener.routes().get(i), clusters, path + ".routes[" + i + "].hedge", flaws);
        }
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        path.at(Slot.HEDGE).add(new HedgeSlow(listener.routes()));
    }
}
