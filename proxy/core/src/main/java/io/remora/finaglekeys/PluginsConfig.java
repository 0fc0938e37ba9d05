package io.remora.finaglekeys;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.Option;
import io.remora.config.model.Placed;
import io.remora.config.model.PlacedText;
import java.util.List;

/**
 * Users' own code that the engine takes into its path.
 *
 * @param directory where its jars are
 * @param filters names of classes, the outermost first; one or more
 */
public record PluginsConfig(PlacedText directory, List<PlacedText> filters) implements PlacedOption, Placed {
    public static final Option<PluginsConfig> PLUGINS = Option.of("plugins");

    /**
     * Directory that contains the jars of the plugins. All {@code .jar} files in it are loaded, including libraries.
     */
    public static final Key DIRECTORY = Key.required(OperatorKeys.PLUGINS, "directory", "path");

    /** Class names of the filters, outermost first. */
    public static final Key FILTERS = Key.required(OperatorKeys.PLUGINS, "filters", "list of class names");

    @Override
    public PlacedText place() {
        return directory;
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.text(DIRECTORY, directory.text());
        out.list(FILTERS, PlacedText.texts(filters), "");
    }
}
