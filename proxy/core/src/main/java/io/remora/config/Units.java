package io.remora.config;

/** How numbers are written. A duration or size without its unit has been read wrongly often enough: it is refused. */
final class Units {
    static final Units NONE = new Units("a whole number", new String[] {""}, new long[] {1L});

    static final Units DURATION = new Units(
            "a duration such as 250ms, 10s, 5m or 1h",
            new String[] {"ns", "us", "ms", "s", "m", "h"},
            new long[] {1L, 1_000L, 1_000_000L, 1_000_000_000L, 60_000_000_000L, 3_600_000_000_000L});

    static final Units SIZE = new Units(
            "a size such as 512B, 64KiB or 1MiB",
            new String[] {"B", "KB", "KiB", "MB", "MiB", "GB", "GiB"},
            new long[] {1L, 1_000L, 1L << 10, 1_000_000L, 1L << 20, 1_000_000_000L, 1L << 30});

    static final Units SIZE_OR_OFF = new Units(SIZE.expected + ", or off", SIZE.names, SIZE.factors);

    static final Units DURATION_OR_OFF = new Units(DURATION.expected + ", or off", DURATION.names, DURATION.factors);

    private final String expected;
    private final String[] names;
    private final long[] factors;

    private Units(String expected, String[] names, long[] factors) {
        this.expected = expected;
        this.names = names;
        this.factors = factors;
    }

    /** Whether there may be no bound, which the file writes as off. */
    boolean canBeOff() {
        return this == SIZE_OR_OFF || this == DURATION_OR_OFF;
    }

    /** What a text says, in nanoseconds, bytes or ones; the fallback where that is a problem. */
    long read(Node node, String key, long fallback, long min, long max, Problems problems) {
        String text = node.text;
        int digits = 0;
        long number = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            number = number > Long.MAX_VALUE / 10 - 1 ? Long.MAX_VALUE / 10 : number * 10 + text.charAt(digits) - '0';
            digits++;
        }
        String unit = text.substring(digits);
        long factor = factor(unit);
        if (digits == 0 || factor == 0) {
            String without = digits > 0 && unit.isEmpty() ? " without a unit" : "";
            problems.at(node, key + " is " + node.quoted() + without + ", expected " + expected);
            return fallback;
        }
        long value = number > Long.MAX_VALUE / factor ? Long.MAX_VALUE : number * factor;
        if (value < min || value > max) {
            problems.at(node, key + " is " + node.quoted() + ", expected " + format(min) + " to " + format(max));
            return fallback;
        }
        return value;
    }

    /** The shortest exact spelling, in the larger unit where two are as short. */
    String format(long value) {
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
    private long factor(String unit) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(unit)) {
                return factors[i];
            }
        }
        return 0;
    }
}
