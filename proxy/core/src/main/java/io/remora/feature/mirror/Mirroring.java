package io.remora.feature.mirror;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeatureSection;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.LoopPart;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.metrics.Stats;
import io.remora.process.Entropy;
import java.util.List;

/** Mirrors of routes. Immutable. */
public final class Mirroring implements Feature {
    /** The name of its key, and of the part that it keeps of a listener on one event loop, a {@link Mirrors}. */
    public static final String NAME = "mirror";

    @Override
    public Options read(FeatureSection from, Options options) {
        return MirrorReader.read(from, options);
    }

    @Override
    public void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {
        MirrorReader.judge(listener, clusters, path, flaws);
    }

    @Override
    public void join(ListenerConfig listener, ListenerLoop onLoop, Stats stats) {
        LoopPart known = onLoop.part(NAME);
        Mirrors mirrors = known == null ? new Mirrors(new MirrorStats(listener.name())) : (Mirrors) known;
        onLoop.keep(NAME, mirrors);
        // a change that was not taken may have removed the row
        stats.add(mirrors.stats());
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        path.at(Slot.MIRROR).add(new MirrorSome(Entropy.seed()));
    }
}
