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

    /** Returns whether there may be no bound, which the file writes as off. */
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

    /** Returns the number that a text writes, -1 where it writes none. */
    public long read(String text) {
        int digits = digits(text);
        long factor = factor(text.substring(digits));
        if (digits == 0 || factor == 0) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < digits; i++) {
            number = number > Long.MAX_VALUE / 10 - 1 ? Long.MAX_VALUE / 10 : number * 10 + text.charAt(i) - '0';
        }
        return number > Long.MAX_VALUE / factor ? Long.MAX_VALUE : number * factor;
    }

    /** Returns the end of a message about a text that writes no number within these bounds. */
    public String expected(String text, long min, long max) {
        if (read(text) >= 0) {
            return ", expected " + format(min) + " to " + format(max);
        }
        String without = !text.isEmpty() && digits(text) == text.length() ? " without a unit" : "";
        return without + ", expected " + expected;
    }

    private static int digits(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        return digits;
    }

    /** Returns the factor of a unit; 0 for an unknown unit. */
    private long factor(String unit) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(unit)) {
                return factors[i];
            }
        }
        return 0;
    }
}
