package io.remora.config.keys;

import io.remora.config.model.Option;
import io.remora.config.model.Options;
import org.jspecify.annotations.Nullable;

/** An option of a feature, which writes itself at the place that the page gives its key. */
public interface PlacedOption {
    /** Writes it under a key, which need not be the one below which its keys are declared. */
    void show(KeyWriter out, Key key);

    /** Writes the option under a key, and {@code off} where there is none. */
    static void show(KeyWriter out, Options options, Key key) {
        Option<Object> option = Option.of(key.name);
        showOrOff(out, options.get(option), key);
    }

    /** Writes an option, and {@code off} for null. */
    static void showOrOff(KeyWriter out, @Nullable Object option, Key key) {
        if (option == null) {
            out.plain(key, Key.OFF);
        } else if (option instanceof PlacedOption own) {
            own.show(out, key);
        } else {
            throw new IllegalArgumentException("the option under " + key.name + " does not write itself");
        }
    }
}
