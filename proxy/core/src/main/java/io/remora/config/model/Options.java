package io.remora.config.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The optional parts that a listener, route, cluster or sidecar has, by {@link Option}. A part that is off takes no
 * place: null, false and an empty collection are left out, so that a part which is off by default equals one that is
 * switched off. Immutable.
 *
 * <p>Cost: an array of two words a part, which {@link #get} walks.
 */
public final class Options {
    public static final Options NONE = new Options(new Object[0]);

    /** Each option with its value behind it. */
    private final Object[] parts;

    private Options(Object[] parts) {
        this.parts = parts;
    }

    /** Returns a part, null where it is off. */
    @SuppressWarnings("unchecked") // only with() puts a value in, and it has the option's type
    public <T> @Nullable T get(Option<T> option) {
        int at = indexOf(option);
        return at < 0 ? null : (T) parts[at + 1];
    }

    /** Returns a part, or the fallback where it is off. */
    public <T> T get(Option<T> option, T fallback) {
        T given = get(option);
        return given == null ? fallback : given;
    }

    public boolean isEmpty() {
        return parts.length == 0;
    }

    public boolean has(Option<?> option) {
        return indexOf(option) >= 0;
    }

    /** Returns these with one part more, another value of it, or without it. */
    public <T> Options with(Option<T> option, @Nullable T value) {
        int at = indexOf(option);
        if (value == null || isOff(value)) {
            return at < 0 ? this : without(at);
        }
        Object[] all = new Object[at < 0 ? parts.length + 2 : parts.length];
        System.arraycopy(parts, 0, all, 0, parts.length);
        int to = at < 0 ? parts.length : at;
        all[to] = option;
        all[to + 1] = value;
        return new Options(all);
    }

    /** Returns these but one. */
    public Options without(Option<?> option) {
        int at = indexOf(option);
        return at < 0 ? this : without(at);
    }

    /** Returns these of the parts, and no others. */
    public Options only(Option<?>... kept) {
        Options some = NONE;
        for (Option<?> option : kept) {
            some = some.withPart(this, option);
        }
        return some;
    }

    /** Returns these, but with some parts as others have them. */
    public Options over(Options others, Option<?>... theirs) {
        Options all = this;
        for (Option<?> option : theirs) {
            all = all.withPart(others, option);
        }
        return all;
    }

    private <T> Options withPart(Options from, Option<T> option) {
        return with(option, from.get(option));
    }

    /** Returns the values in the order in which they were put in. */
    public List<Object> values() {
        List<Object> values = new ArrayList<>(parts.length / 2);
        for (int i = 1; i < parts.length; i += 2) {
            values.add(parts[i]);
        }
        return values;
    }

    private static boolean isOff(Object value) {
        return Boolean.FALSE.equals(value)
                || value instanceof Collection<?> values && values.isEmpty()
                || value instanceof Map<?, ?> map && map.isEmpty();
    }

    private Options without(int at) {
        if (parts.length == 2) {
            return NONE;
        }
        Object[] others = new Object[parts.length - 2];
        System.arraycopy(parts, 0, others, 0, at);
        System.arraycopy(parts, at + 2, others, at, others.length - at);
        return new Options(others);
    }

    @SuppressWarnings("ReferenceEquality") // names are interned, and requests ask
    private int indexOf(Option<?> option) {
        for (int i = 0; i < parts.length; i += 2) {
            if (((Option<?>) parts[i]).name == option.name) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Options options) || options.parts.length != parts.length) {
            return false;
        }
        for (int i = 0; i < parts.length; i += 2) {
            if (!parts[i + 1].equals(options.get((Option<?>) parts[i]))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int hash = 0;
        for (int i = 0; i < parts.length; i += 2) {
            hash += ((Option<?>) parts[i]).name.hashCode() ^ parts[i + 1].hashCode();
        }
        return hash;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < parts.length; i += 2) {
            text.append(i == 0 ? "" : ", ").append(parts[i]).append('=').append(parts[i + 1]);
        }
        return text.append('}').toString();
    }
}
