package io.remora.config.model;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The engine that carries out attempts at clusters. */
public enum EngineKind {
    /** Remora's own packages. */
    NETTY,
    /** Finagle's client stack, whose jars stand next to the sidecar's where it is selected. */
    FINAGLE;

    /** The property by which an image that was built for an engine names it; the file and the command line win. */
    private static final String PROPERTY = "remora.engine";

    /** Returns the engine of that name, null for no engine's name. */
    public static @Nullable EngineKind of(String name) {
        for (EngineKind kind : values()) {
            if (kind.name().toLowerCase(Locale.ROOT).equals(name)) {
                return kind;
            }
        }
        return null;
    }

    /** Returns the engine of this image, which holds where neither the file nor the command line names one. */
    public static EngineKind ofThisImage() {
        EngineKind built = of(System.getProperty(PROPERTY, ""));
        return built == null ? NETTY : built;
    }
}
