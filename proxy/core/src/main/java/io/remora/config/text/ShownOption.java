package io.remora.config.text;

import io.remora.config.keys.Key;
import org.jspecify.annotations.Nullable;

/** An option of a feature, which writes itself. */
public interface ShownOption {
    /**
     * Writes it, so that its feature reads the same again.
     *
     * @param parent the key of listeners, routes or clusters, null for the top of the file
     */
    void show(ConfigText text, @Nullable Key parent);
}
