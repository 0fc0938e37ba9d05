package io.remora.config.keys;

import io.remora.config.model.Limits;
import org.jspecify.annotations.Nullable;

/**
 * A key with one value, and the codec of that value: what reads it from the file, and writes it on {@code /config}. This class is the
 * codec of numbers; {@link Choice} is that of words. A part with a value of another form extends it. Immutable.
 *
 * <p>A key and its record component are all that a further value of a part needs: {@code Section.get} reads it, {@link KeyWriter#put}
 * shows it, and the page and the JSON Schema follow from the declaration.
 */
public class ValueKey<T> extends Key {
    private final T byDefault;

    /** A key whose codec is a subclass. */
    protected ValueKey(@Nullable Key parent, String name, @Nullable String type, String fallbackText, T byDefault) {
        super(parent, name, type, fallbackText, false, Units.NONE, 0, 0, 0);
        this.byDefault = byDefault;
    }

    /** A number, whose default says whether it is an Integer or a Long. */
    ValueKey(
            @Nullable Key parent,
            String name,
            @Nullable String type,
            @Nullable String fallbackText,
            Units units,
            long min,
            long max,
            T byDefault) {
        super(parent, name, type, fallbackText, false, units, min, max, ((Number) byDefault).longValue());
        this.byDefault = byDefault;
    }

    public final T byDefault() {
        return byDefault;
    }

    /** Returns the value that a text stands for, null where it stands for none. */
    public @Nullable T read(String text) {
        if (units.canBeOff() && text.equals(OFF)) {
            return of(Limits.UNLIMITED);
        }
        long number = units.read(text);
        return number < min || number > max ? null : of(number);
    }

    /** Returns the end of a message about a text that stands for no value. */
    public String expected(String text) {
        return units.expected(text, min, max);
    }

    /** Returns how the file writes a value. */
    public String write(T value) {
        return format(((Number) value).longValue());
    }

    @SuppressWarnings("unchecked") // a number's type is that of its default
    private T of(long number) {
        return byDefault instanceof Integer ? (T) Integer.valueOf((int) number) : (T) Long.valueOf(number);
    }
}
