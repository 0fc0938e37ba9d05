package io.remora.http;

/**
 * A wait as a field has it: whole milliseconds, or a duration as Go writes it, {@code 250ms}, {@code 1.5s}, {@code
 * 1m30s}. Pure functions.
 */
public final class WaitText {
    /** Result for a text that cannot be read, or is no wait. */
    public static final long NONE = -1;

    private static final int MOST_CHARS = 32;
    private static final long MS = 1_000_000L;
    /** A day; a longer wait is one for ever. */
    private static final double MOST_NS = 86_400e9;

    private WaitText() {}

    /** Returns whether the number has no unit, so that it means milliseconds. */
    public static boolean isPlain(String text) {
        return text.isEmpty() || isDigit(text.charAt(text.length() - 1));
    }

    /** Reads a wait, in nanoseconds. It is {@link #NONE} for any other text, for zero, and for more than a day. */
    public static long ns(String text) {
        if (text.isEmpty() || text.length() > MOST_CHARS) {
            return NONE;
        }
        double sum = 0;
        int at = 0;
        while (at < text.length()) {
            int behind = endOfNumber(text, at);
            int end = endOfUnit(text, behind);
            double factor = factor(text, behind, end, at == 0);
            double number = number(text, at, behind);
            if (number < 0 || factor < 0) {
                return NONE;
            }
            sum += number * factor;
            at = end;
        }
        return sum >= 1 && sum <= MOST_NS ? (long) sum : NONE;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int endOfNumber(String text, int from) {
        int at = from;
        while (at < text.length() && (isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        return at;
    }

    private static int endOfUnit(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= 'a' && text.charAt(at) <= 'z') {
            at++;
        }
        // what is no unit ends nothing, and makes the number behind it one without digits
        return at;
    }

    private static double number(String text, int from, int to) {
        double number = 0;
        double place = 1;
        boolean fraction = false;
        boolean any = false;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c == '.') {
                if (fraction) {
                    return -1;
                }
                fraction = true;
            } else {
                any = true;
                place = fraction ? place / 10 : 1;
                number = fraction ? number + (c - '0') * place : number * 10 + (c - '0');
            }
        }
        return any ? number : -1;
    }

    private static double factor(String text, int from, int to, boolean first) {
        return switch (text.substring(from, to)) {
            case "ns" -> 1;
            case "us" -> 1_000;
            case "ms" -> MS;
            case "s" -> 1e9;
            case "m" -> 60e9;
            case "h" -> 3_600e9;
            // only a number that stands alone does without a unit, and it is a whole one
            case "" -> first && to == text.length() && text.indexOf('.') < 0 ? MS : -1;
            default -> -1;
        };
    }
}
