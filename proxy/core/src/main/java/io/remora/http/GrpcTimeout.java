package io.remora.http;

/**
 * {@code grpc-timeout}: one to eight digits and a unit. Pure functions, loaded only where a call is met.
 *
 * <p>Spec: gRPC's protocol over HTTP/2, Timeout.
 */
public final class GrpcTimeout {
    public static final FieldName FIELD = FieldName.of("grpc-timeout");

    /** Result for a text that cannot be read. */
    public static final long NONE = -1;

    /** The longest wait, some seventy years: the sum with the current time is still a time. */
    public static final long MOST_NS = Long.MAX_VALUE / 4;

    private static final int MOST_DIGITS = 8;
    private static final long MOST = 99_999_999;
    private static final String UNITS = "numSMH";
    private static final long[] FACTORS = {
        1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000L, 3_600_000_000_000L,
    };

    private GrpcTimeout() {}

    /** Reads a field's value, in nanoseconds, at most {@link #MOST_NS}. */
    public static long ns(String text) {
        int digits = text.length() - 1;
        int unit = digits < 1 || digits > MOST_DIGITS ? -1 : UNITS.indexOf(text.charAt(digits));
        if (unit < 0) {
            return NONE;
        }
        long number = 0;
        for (int i = 0; i < digits; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return NONE;
            }
            number = number * 10 + (c - '0');
        }
        return number > MOST_NS / FACTORS[unit] ? MOST_NS : number * FACTORS[unit];
    }

    /** Writes a field's value in the finest unit that has room, rounded down; never zero. */
    public static String text(long ns) {
        long left = Math.max(1, ns);
        int unit = 0;
        while (left / FACTORS[unit] > MOST) {
            unit++;
        }
        return left / FACTORS[unit] + UNITS.substring(unit, unit + 1);
    }
}
