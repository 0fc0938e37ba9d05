package io.remora.config.text;

import io.remora.config.keys.Key;

/** An option of a feature, which writes itself. */
public interface ShownOption {
    /**
     * Writes it, so that its feature reads the same again.
     *
     * @param parent the key of listeners or of routes
     */
    void show(ConfigText text, Key parent);
}
