package io.remora.feature.grpc;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeatureSection;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import java.util.List;

/** Calls of gRPC at a listener that speaks HTTP/2: their deadlines, and their methods where it names some. Immutable. */
public final class Grpc implements Feature {
    @Override
    public Options read(FeatureSection from, Options options) {
        return GrpcReader.read(from, options);
    }

    @Override
    public void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {
        if (listener.http2() == null) {
            flaws.add(new Flaw(path + ".grpc", "grpc requires protocol: http2 or auto"));
        }
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        if (listener.options().has(Option.of(GrpcKeys.NAME))) {
            count(listener, keeper, path);
        }
        path.at(Slot.DEADLINE).add(new GrpcWait());
    }

    // apart, as a listener without methods loads none of this
    private static void count(ListenerConfig listener, Keeper keeper, StagePath path) {
        GrpcConfig named = listener.options().get(GrpcConfig.GRPC);
        if (named != null) {
            path.at(Slot.COUNT).add(new CountMethods(listener.name(), named.methods(), keeper.stats()));
        }
    }
}
