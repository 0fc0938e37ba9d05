package io.remora.config.yaml;

import io.remora.config.model.Options;
import java.util.List;

/** The reader of the parts of a route that features own. This package knows none of them. */
public interface RouteOptions {
    /** Returns the names of the keys. */
    List<String> names();

    /** Reads and judges what stands under one of them, and returns the options with it. */
    Options read(String name, Section section, Problems problems, Options options);
}
