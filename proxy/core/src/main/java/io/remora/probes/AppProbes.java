package io.remora.probes;

import io.remora.config.model.Option;
import io.remora.config.model.ProxyConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The probes that injection has recorded, by the rest of their path. Immutable.
 *
 * @param all by container and kind, such as {@code web/readiness}
 */
public record AppProbes(Map<String, AppProbe> all) {
    public static final Option<AppProbes> APP_PROBES = Option.of(ProxyConfig.APP_PROBES.toString());

    public @Nullable AppProbe find(String name) {
        return all.get(name);
    }
}
