package io.remora.config.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Users' own code that an engine takes into its path.
 *
 * @param directory where its jars are
 * @param filters names of classes, the outermost first; one or more
 */
public record PluginsConfig(PlacedText directory, List<PlacedText> filters) {
    /** The names as they stand in the file. */
    public List<String> filterNames() {
        List<String> names = new ArrayList<>(filters.size());
        for (PlacedText filter : filters) {
            names.add(filter.text());
        }
        return names;
    }
}
