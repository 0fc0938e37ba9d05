package io.remora.flame;

import org.jspecify.annotations.Nullable;

/** The quantity that a profile adds up. It selects the unit in graphs and lists, and the sample types of pprof. */
public enum Measure {
    /** Samples, of which nobody knows what one stands for. */
    SAMPLES("samples", "", ""),
    /** Samples of processor time. */
    CPU("samples", "cpu", "nanoseconds"),
    /** Samples of elapsed time. */
    WALL("samples", "wall", "nanoseconds"),
    /** Bytes that were allocated. */
    ALLOCATED("bytes", "alloc_space", "bytes"),
    /** Nanoseconds of waiting. */
    WAITED("ns", "delay", "nanoseconds");

    private static final String[] BYTES = {" bytes", " KiB", " MiB", " GiB", " TiB"};
    private static final String[] TIMES = {" ns", " us", " ms", " s"};
    private static final long KIB = 1_024;
    private static final long THOUSAND = 1_000;
    private static final int TENTHS = 10;

    final String unit;
    /** The name that pprof knows; empty for samples alone. */
    final String type;

    final String typeUnit;

    Measure(String unit, String type, String typeUnit) {
        this.unit = unit;
        this.type = type;
        this.typeUnit = typeUnit;
    }

    /** Returns the measure of collapsed stacks with this unit; null if there is none. */
    static @Nullable Measure ofUnit(String unit) {
        return switch (unit) {
            case "samples" -> SAMPLES;
            case "bytes" -> ALLOCATED;
            case "ns" -> WAITED;
            default -> null;
        };
    }

    /** Returns whether the profile counts samples, each of which stands for a period of time. */
    boolean isCounted() {
        return unit.equals(SAMPLES.unit);
    }

    /** Returns a value with its unit, such as {@code 17 samples}, {@code 1.5 MiB} or {@code 20.3 ms}. */
    public String text(long value) {
        return isCounted()
                ? value + " samples"
                : this == ALLOCATED ? text(value, KIB, BYTES) : text(value, THOUSAND, TIMES);
    }

    private static String text(long value, long step, String[] units) {
        long divisor = 1;
        int unit = 0;
        while (unit < units.length - 1 && value / divisor >= step) {
            divisor *= step;
            unit++;
        }
        String fraction = unit == 0 ? "" : "." + value % divisor * TENTHS / divisor;
        return value / divisor + fraction + units[unit];
    }
}
