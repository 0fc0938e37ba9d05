package io.remora.feature.fault;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.LoopPart;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.metrics.Stats;
import io.remora.process.Entropy;

/** Faults of routes. It keeps an {@link ActiveFaults} of each listener on each event loop. Immutable. */
public final class Faults implements Feature {
    @Override
    public Options read(FeatureSection from, Options options) {
        return FaultReader.read(from, options);
    }

    @Override
    public void join(ListenerConfig listener, ListenerLoop onLoop, Stats stats) {
        LoopPart known = onLoop.part(FaultKeys.NAME);
        ActiveFaults faults = known == null ? new ActiveFaults(new FaultStats(listener.name())) : (ActiveFaults) known;
        onLoop.keep(FaultKeys.NAME, faults);
        // a change that was not taken may have removed the row
        stats.add(faults.stats());
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        path.at(Slot.FAULT).add(new InjectFaults(listener.routes(), Entropy.seed()));
    }
}
