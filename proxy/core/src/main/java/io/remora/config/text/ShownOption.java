package io.remora.config.text;

import io.remora.config.model.RouteOption;

/** An option of a route that writes itself. */
public interface ShownOption extends RouteOption {
    /** Writes it, so that its feature reads the same again. */
    void show(ConfigText text);
}
