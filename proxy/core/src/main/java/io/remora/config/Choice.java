package io.remora.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A key whose value is one of an enum's constants, written in lower case and with hyphens. */
final class Choice<E extends Enum<E>> extends Key {
    private final E[] all;
    private final E byDefault;

    Choice(@Nullable Key parent, String name, E[] all, E byDefault) {
        super(parent, name, null, lower(byDefault), false, Units.NONE, 0, 0, 0);
        this.all = all;
        this.byDefault = byDefault;
    }

    E[] all() {
        return all;
    }

    E byDefault() {
        return byDefault;
    }

    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
