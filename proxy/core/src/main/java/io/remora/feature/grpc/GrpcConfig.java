package io.remora.feature.grpc;

import io.remora.config.keys.Key;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The methods of gRPC that a listener tells apart.
 *
 * @param methods that are counted each by itself, as paths
 */
public record GrpcConfig(List<String> methods) implements ShownOption {
    public static final Option<GrpcConfig> GRPC = Option.of(GrpcKeys.NAME);

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(GrpcKeys.GRPC);
        text.list(GrpcKeys.METHODS, methods, "");
    }
}
