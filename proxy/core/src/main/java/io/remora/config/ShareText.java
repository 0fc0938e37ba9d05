package io.remora.config;

/**
 * A part of a whole as the file writes it, {@code 0.1} for a tenth and {@code 1} for all. Pure functions; loaded only where one is
 * written or shown.
 *
 * <p>Bounds: six decimals, and never 0.
 */
final class ShareText {
    private static final int DECIMALS = 6;

    private ShareText() {}

    /** In millionths; all where that is a problem. */
    static int read(Node node, Key key, Problems problems) {
        int millionths = millionths(node.text);
        if (millionths <= 0 || millionths > AccessLogConfig.ALL) {
            problems.at(node, key.name + " is " + node.quoted() + ", expected a share such as 0.1, from 0.000001 to 1");
            return AccessLogConfig.ALL;
        }
        return millionths;
    }

    /** -1 where it is none. */
    private static int millionths(String text) {
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

    static String text(int millionths) {
        if (millionths == AccessLogConfig.ALL) {
            return "1";
        }
        String digits = Integer.toString(AccessLogConfig.ALL + millionths).substring(1);
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return "0." + digits.substring(0, end);
    }
}
