package io.remora.compilelog;

/** Numbers as the report shows them. */
final class Figures {
    private static final long THOUSAND = 1_000;
    private static final long MILLION = 1_000_000;

    private Figures() {}

    /** Returns a number with a comma before each three digits: {@code 12,345}. */
    static String grouped(long number) {
        String digits = Long.toString(Math.abs(number));
        StringBuilder out = new StringBuilder(number < 0 ? "-" : "");
        for (int i = 0; i < digits.length(); i++) {
            if (i > 0 && (digits.length() - i) % 3 == 0) {
                out.append(',');
            }
            out.append(digits.charAt(i));
        }
        return out.toString();
    }

    /** Returns a number of events, empty for none, so that a table shows where there are some. */
    static String some(long number) {
        return number == 0 ? "" : grouped(number);
    }

    /** Returns a size: {@code 950 B}, {@code 1.5 kB} or {@code 2.3 MB}. */
    static String bytes(long bytes) {
        if (bytes < THOUSAND) {
            return bytes + " B";
        }
        return bytes < MILLION ? tenths(bytes, THOUSAND) + " kB" : tenths(bytes, MILLION) + " MB";
    }

    /** Returns milliseconds as seconds: {@code 12.345}. */
    static String seconds(long ms) {
        return decimals(ms, THOUSAND, THOUSAND);
    }

    /** Returns milliseconds as seconds, empty for none. */
    static String someSeconds(long ms) {
        return ms == 0 ? "" : seconds(ms);
    }

    /** Returns nanoseconds as milliseconds: {@code 1.25}. */
    static String ms(long ns) {
        return decimals(ns, MILLION, 100);
    }

    /** Returns a quotient with one decimal. */
    static String tenths(long number, long unit) {
        return decimals(number, unit, 10);
    }

    private static String decimals(long number, long unit, long scale) {
        long scaled = Math.round((double) number / unit * scale);
        String decimals = Long.toString(scale + Math.abs(scaled % scale)).substring(1);
        return grouped(scaled / scale) + '.' + decimals;
    }
}
