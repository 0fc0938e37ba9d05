package io.remora.config.keys;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A key whose value is one of an enum's constants, written in lower case and with hyphens. */
public final class Choice<E extends Enum<E>> extends Key {
    private final E[] all;
    private final E byDefault;

    public Choice(@Nullable Key parent, String name, E[] all, E byDefault) {
        super(parent, name, null, lower(byDefault), false, Units.NONE, 0, 0, 0);
        this.all = all;
        this.byDefault = byDefault;
    }

    public E[] all() {
        return all;
    }

    public E byDefault() {
        return byDefault;
    }

    public static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the words for these in the file. */
    public static List<String> names(List<? extends Enum<?>> constants) {
        List<String> names = new ArrayList<>();
        for (Enum<?> one : constants) {
            names.add(lower(one));
        }
        return names;
    }
}
