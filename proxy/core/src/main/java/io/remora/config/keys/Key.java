package io.remora.config.keys;

import io.remora.config.model.Limits;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration: where it stands, how its value is written, within which bounds, and what holds where the
 * file says nothing. Immutable.
 *
 * <p>{@link OperatorKeys}, {@link ListenerKeys}, {@link ClusterKeys} and those of TLS declare each key once. The reader,
 * {@code GET /config}, the table in docs/configuration.md and the JSON Schema follow these declarations. The comment above a key is its
 * sentence in that table: it costs a running process nothing.
 */
public class Key {
    /** The most connections, exchanges and places in a queue: more do not fit into one process. */
    public static final int MAX_COUNT = 1_000_000;

    /** The most header fields, streams, endpoints of a subset and the like: more is a slip. */
    public static final int MAX_PER_CONNECTION = 10_000;

    public static final String MAPPING = "mapping";
    public static final String MAPPING_OR_OFF = "mapping or off";
    public static final String LIST = "list";
    public static final String CLUSTERS = "mapping of names to clusters";
    public static final String OFF = "off";

    private static final Boolean[] SWITCH = {true, false};

    /** The shortest time that a timer of an event loop can tell apart. */
    private static final long MIN_DURATION_NS = 1_000L;

    /** The longest time: a proxy is meant to wait no longer, and more is a slip of the unit. */
    private static final long MAX_DURATION_NS = 24 * 3_600_000_000_000L;

    /** The least size of a header section or buffer: below it no request fits. */
    private static final int MIN_HELD_BYTES = 256;

    /** The largest size of header sections and buffers, which are held whole. */
    private static final int MAX_HELD_BYTES = 16 << 20;

    /** The largest body limit; beyond it, off is meant. */
    private static final long MAX_BODY_BYTES = 1L << 40;

    /** Null at the top of the file. */
    public final @Nullable Key parent;

    public final String name;
    /** How the value is written, in words; null for a number that its units and bounds describe. */
    public final @Nullable String type;
    /** Null where there is none, as for a number. */
    public final @Nullable String fallbackText;

    public final boolean required;
    public final Units units;
    public final long min;
    public final long max;
    public final long fallback;

    public Key(
            @Nullable Key parent,
            String name,
            @Nullable String type,
            @Nullable String fallbackText,
            boolean required,
            Units units,
            long min,
            long max,
            long fallback) {
        this.parent = parent;
        this.name = name;
        this.type = type;
        this.fallbackText = fallbackText;
        this.required = required;
        this.units = units;
        this.min = min;
        this.max = max;
        this.fallback = fallback;
    }

    public static ValueKey<Integer> count(@Nullable Key parent, String name, int min, int max, int fallback) {
        return new ValueKey<>(parent, name, null, null, Units.NONE, min, max, fallback);
    }

    /** A count whose upper bound another key moves, which the words say. */
    public static ValueKey<Integer> count(Key parent, String name, String type, int min, int max, int fallback) {
        return new ValueKey<>(parent, name, type, null, Units.NONE, min, max, fallback);
    }

    public static ValueKey<Long> durationNs(@Nullable Key parent, String name, long fallbackNs) {
        return new ValueKey<>(parent, name, null, null, Units.DURATION, MIN_DURATION_NS, MAX_DURATION_NS, fallbackNs);
    }

    /** A time within bounds of its own, which the words say. */
    public static ValueKey<Long> durationNs(
            Key parent, String name, String type, long minNs, long maxNs, long byDefault) {
        return new ValueKey<>(parent, name, type, null, Units.DURATION, minNs, maxNs, byDefault);
    }

    /** A bound on a time that may be switched off, and is unless the file or another key sets it. */
    public static ValueKey<Long> durationOrOffNs(Key parent, String name) {
        return durationOrOff(parent, name, null, Limits.UNLIMITED);
    }

    /** The same where it is on by default. */
    public static ValueKey<Long> durationOrOffNs(Key parent, String name, long fallbackNs) {
        return durationOrOff(parent, name, null, fallbackNs);
    }

    /** The same with a default by other keys, which the words name. */
    public static ValueKey<Long> durationOrOffNs(Key parent, String name, String fallbackText) {
        return durationOrOff(parent, name, fallbackText, Limits.UNLIMITED);
    }

    private static ValueKey<Long> durationOrOff(Key parent, String name, @Nullable String text, long fallbackNs) {
        return new ValueKey<>(
                parent, name, null, text, Units.DURATION_OR_OFF, MIN_DURATION_NS, MAX_DURATION_NS, fallbackNs);
    }

    /** The size of something that is held whole. */
    public static ValueKey<Integer> heldBytes(Key parent, String name, int fallback) {
        return bytes(parent, name, MIN_HELD_BYTES, MAX_HELD_BYTES, fallback);
    }

    /** A size bound that may be switched off, and is unless the file sets it. */
    public static ValueKey<Long> bytesOrOff(Key parent, String name) {
        return new ValueKey<>(parent, name, null, null, Units.SIZE_OR_OFF, 1, MAX_BODY_BYTES, Limits.UNLIMITED);
    }

    /** A size within bounds of its own. */
    public static ValueKey<Integer> bytes(Key parent, String name, int min, int max, int fallback) {
        return new ValueKey<>(parent, name, null, null, Units.SIZE, min, max, fallback);
    }

    /** The same with a default by other keys, which the words name. */
    public static ValueKey<Integer> bytes(Key parent, String name, int min, int max, String fallbackText) {
        return new ValueKey<>(parent, name, null, fallbackText, Units.SIZE, min, max, 0);
    }

    /** A key that is true or false. */
    public static Choice<Boolean> flag(@Nullable Key parent, String name, boolean byDefault) {
        return new Choice<>(parent, name, "switch", SWITCH, byDefault);
    }

    public static Key mapping(@Nullable Key parent, String name) {
        return new Key(parent, name, MAPPING, null, false, Units.NONE, 0, 0, 0);
    }

    public static Key mappingOrOff(@Nullable Key parent, String name) {
        return new Key(parent, name, MAPPING_OR_OFF, OFF, false, Units.NONE, 0, 0, 0);
    }

    public static Key required(@Nullable Key parent, String name, String type) {
        return new Key(parent, name, type, null, true, Units.NONE, 0, 0, 0);
    }

    public static Key optional(@Nullable Key parent, String name, String type) {
        return new Key(parent, name, type, null, false, Units.NONE, 0, 0, 0);
    }

    public static Key text(@Nullable Key parent, String name, String type, String fallback) {
        return new Key(parent, name, type, fallback, false, Units.NONE, 0, 0, 0);
    }

    /** Returns the default in words, of a key that has one. */
    public String fallbackText() {
        if (fallbackText == null) {
            throw new IllegalStateException(name + " has no default");
        }
        return fallbackText;
    }

    /** Returns the number as the file writes it. */
    public String format(long number) {
        return units.canBeOff() && number == Limits.UNLIMITED ? OFF : units.format(number);
    }

    /** Returns whether the keys below this one are in the items of a list. */
    boolean isList() {
        return type != null && type.startsWith(LIST);
    }

    /** Returns the indentation of the key in a file where each level takes two spaces. */
    public int indent() {
        if (parent == null) {
            return 0;
        }
        boolean nameOrDashBetween = parent.isList() || CLUSTERS.equals(parent.type);
        return parent.indent() + (nameOrDashBetween ? 4 : 2);
    }
}
