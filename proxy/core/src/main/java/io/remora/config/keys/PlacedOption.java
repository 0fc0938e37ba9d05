package io.remora.config.keys;

import io.remora.config.model.Option;
import io.remora.config.model.Options;

/** An option of a feature, which writes itself at the place that the page gives its key. */
public interface PlacedOption {
    /** Writes it under a key, which need not be the one below which its keys are declared. */
    void show(KeyWriter out, Key key);

    /** Writes the option under a key, and {@code off} where there is none. */
    static void show(KeyWriter out, Options options, Key key) {
        if (options.get(Option.of(key.name)) instanceof PlacedOption own) {
            own.show(out, key);
        } else {
            out.plain(key, Key.OFF);
        }
    }
}
