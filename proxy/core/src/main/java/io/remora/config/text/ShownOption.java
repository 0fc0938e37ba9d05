package io.remora.config.text;

/** An option of a route that writes itself. */
public interface ShownOption {
    /** Writes it, so that its feature reads the same again. */
    void show(ConfigText text);
}
