package io.remora.bundle;

import io.remora.text.Ascii;

/** Judgement on texts that may stand in a bundle: numbers, words, names and addresses. Pure functions. */
final class SafeValue {
    private static final int MAX_CHARS = 100;
    private static final String MARKS = "._:[]-";

    private SafeValue() {}

    /** Returns whether a text is a number, a word, a name or an address with a port; a path or a query is none. */
    static boolean isWord(String text) {
        return isOf(text, MARKS);
    }

    /** Returns whether a text is a rate such as {@code 100/s}. */
    static boolean isRate(String text) {
        int slash = text.indexOf('/');
        return slash > 0
                && isNumber(text.substring(0, slash))
                && text.length() == slash + 2
                && isWord(text.substring(slash + 1));
    }

    /** Returns whether a text is a decimal number, with a unit of at most three letters or a percent sign. */
    static boolean isNumber(String text) {
        int digits = 0;
        while (digits < text.length() && (isDigit(text.charAt(digits)) || "+-.".indexOf(text.charAt(digits)) >= 0)) {
            digits++;
        }
        String unit = text.substring(digits);
        return digits > 0 && unit.length() <= 3 && (unit.isEmpty() || unit.equals("%") || isOf(unit, ""));
    }

    /** Returns whether a text is an IP address, with a port or without one. */
    static boolean isIpAddress(String text) {
        boolean marked = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean mark = c == '.' || c == ':';
            boolean hex = c >= 'a' && c <= 'f' && text.indexOf(':') >= 0;
            if (!mark && !hex && !isDigit(c) && c != '[' && c != ']') {
                return false;
            }
            marked |= mark;
        }
        return marked && text.length() <= MAX_CHARS;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isOf(String text, String marks) {
        for (int i = 0; i < text.length(); i++) {
            if (!Ascii.isAlphanumeric(text.charAt(i)) && marks.indexOf(text.charAt(i)) < 0) {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= MAX_CHARS;
    }
}
