package io.remora.testkit;

import io.remora.cluster.EngineProvider;
import io.remora.config.model.EngineKind;
import io.remora.config.model.ProxyConfig;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The engine of the sidecars under test: {@code -Dremora.test.engine=finagle} gives every configuration that engine, so that
 * the same tests judge both.
 */
public final class TestEngine {
    private static final String PROVIDER = "io.remora.finagle.FinagleProvider";

    private TestEngine() {}

    /** Null where each configuration says for itself. */
    private static @Nullable EngineKind asked() {
        String name = System.getProperty("remora.test.engine");
        return name == null ? null : EngineKind.valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** Whether it is Finagle, for what is no configuration but a process. */
    public static boolean isFinagle() {
        return asked() == EngineKind.FINAGLE;
    }

    /** The configuration with the engine that was asked for, which must not refuse a key of it. */
    public static ProxyConfig of(ProxyConfig config) {
        EngineKind asked = asked();
        if (asked == null) {
            return config;
        }
        ProxyConfig with = config.with(asked);
        if (asked != EngineKind.NETTY) {
            List<String> refusals = provider().refusals(with);
            if (!refusals.isEmpty()) {
                throw new IllegalArgumentException(refusals.toString());
            }
        }
        return with;
    }

    private static EngineProvider provider() {
        try {
            return Class.forName(PROVIDER)
                    .asSubclass(EngineProvider.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
