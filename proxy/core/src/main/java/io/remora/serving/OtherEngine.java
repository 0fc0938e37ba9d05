package io.remora.serving;

import io.remora.cluster.EngineProvider;
import io.remora.config.model.EngineKind;
import java.io.IOException;

/**
 * Finds an engine that is not part of the sidecar. Loaded only where the configuration asks for one.
 *
 * <p>The one place that looks a class up by its name: naming it in the code would put its jars on every class path.
 */
public final class OtherEngine {
    private static final String FINAGLE = "io.remora.finagle.FinagleProvider";

    private OtherEngine() {}

    /**
     * @throws IOException where its jars are not on the class path
     */
    public static EngineProvider of(EngineKind kind) throws IOException {
        if (kind != EngineKind.FINAGLE) {
            throw new IllegalArgumentException("part of the sidecar: " + kind);
        }
        try {
            return Class.forName(FINAGLE)
                    .asSubclass(EngineProvider.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IOException(
                    "engine finagle is not on the class path: remora-finagle.jar and its libraries are needed (" + e
                            + ")");
        }
    }
}
