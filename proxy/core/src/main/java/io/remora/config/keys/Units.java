package io.remora.config.keys;

/** How numbers are written. A duration or size without its unit has been read wrongly often enough: it is refused. */
public final class Units {
    public static final Units NONE = new Units("a whole number", new String[] {""}, new long[] {1L});

    public static final Units DURATION = new Units(
            "a duration such as 250ms, 10s, 5m or 1h",
            new String[] {"ns", "us", "ms", "s", "m", "h"},
            new long[] {1L, 1_000L, 1_000_000L, 1_000_000_000L, 60_000_000_000L, 3_600_000_000_000L});

    public static final Units SIZE = new Units(
            "a size such as 512B, 64KiB or 1MiB",
            new String[] {"B", "KB", "KiB", "MB", "MiB", "GB", "GiB"},
            new long[] {1L, 1_000L, 1L << 10, 1_000_000L, 1L << 20, 1_000_000_000L, 1L << 30});

    static final Units SIZE_OR_OFF = new Units(SIZE.expected + ", or off", SIZE.names, SIZE.factors);

    static final Units DURATION_OR_OFF = new Units(DURATION.expected + ", or off", DURATION.names, DURATION.factors);

    /** The units in words, for messages. */
    public final String expected;

    private final String[] names;
    private final long[] factors;

    private Units(String expected, String[] names, long[] factors) {
        this.expected = expected;
        this.names = names;
        this.factors = factors;
    }

    /** Whether there may be no bound, which the file writes as off. */
    public boolean canBeOff() {
        return this == SIZE_OR_OFF || this == DURATION_OR_OFF;
    }

    /** The shortest exact spelling, in the larger unit where two are as short. */
    public String format(long value) {
        String shortest = "";
        for (int i = 0; i < names.length; i++) {
            if (value % factors[i] == 0) {
                String spelling = value / factors[i] + names[i];
                shortest = shortest.isEmpty() || spelling.length() <= shortest.length() ? spelling : shortest;
            }
        }
        return shortest;
    }

    /** What one of a unit is; 0 for an unknown unit. */
    public long factor(String unit) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(unit)) {
                return factors[i];
            }
        }
        return 0;
    }
}
