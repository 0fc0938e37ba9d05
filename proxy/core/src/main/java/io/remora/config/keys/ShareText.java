package io.remora.config.keys;

/**
 * A part of a whole as the file writes it, {@code 0.1} for a tenth and {@code 1} for all. Pure functions; loaded only where one is
 * written or shown.
 *
 * <p>Bounds: six decimals, and never 0.
 */
public final class ShareText {
    private static final int DECIMALS = 6;
    private static final int WHOLE = 1_000_000;

    private ShareText() {}

    /** The millionths that a text says; -1 or 0 where it is no share. */
    public static int millionths(String text) {
        boolean one = text.startsWith("1");
        int digits = text.length() - 2;
        if (!one && !text.startsWith("0") || digits == 0 || digits > DECIMALS || digits > 0 && text.charAt(1) != '.') {
            return -1;
        }
        int millionths = one ? 1 : 0;
        for (int i = 0; i < DECIMALS; i++) {
            char digit = i < digits ? text.charAt(2 + i) : '0';
            if (digit < '0' || digit > '9') {
                return -1;
            }
            millionths = 10 * millionths + digit - '0';
        }
        return millionths;
    }

    public static String text(int millionths) {
        if (millionths % WHOLE == 0) {
            return millionths == 0 ? "0" : "1";
        }
        String digits = Integer.toString(WHOLE + millionths).substring(1);
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return "0." + digits.substring(0, end);
    }
}
