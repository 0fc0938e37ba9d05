package io.remora.text;

/** Tests on characters and tokens of the US-ASCII that HTTP is written in. */
public final class Ascii {
    /** One bit a character below 128: the tchar of RFC 9110 5.6.2. */
    private static final long[] TOKEN =
            bits("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    /** Longest value in a message, which is one line; a longer one is cut. */
    private static final int MAX_QUOTED_CHARS = 60;

    private Ascii() {}

    public static long[] bits(String characters) {
        long[] bits = new long[2];
        for (int i = 0; i < characters.length(); i++) {
            bits[characters.charAt(i) >> 6] |= 1L << (characters.charAt(i) & 63);
        }
        return bits;
    }

    public static boolean in(long[] bits, int character) {
        return character >= 0 && character < 128 && (bits[character >> 6] & 1L << (character & 63)) != 0;
    }

    public static boolean isTokenCharacter(int character) {
        return in(TOKEN, character);
    }

    public static boolean isDigit(int character) {
        return character >= '0' && character <= '9';
    }

    public static boolean isAlphanumeric(char character) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || isDigit(character);
    }

    public static boolean isBlank(char character) {
        return character == ' ' || character == '\t';
    }

    /** The text without what would move a terminal's cursor. */
    public static String oneLine(String text) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            line.append(Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? ' ' : c);
        }
        return line.toString();
    }

    /** A piece of a configuration as it may stand in a message: on one line, and short. */
    public static String quote(String text) {
        return text.length() <= MAX_QUOTED_CHARS
                ? "'" + oneLine(text) + "'"
                : "'" + oneLine(text.substring(0, MAX_QUOTED_CHARS)) + "...'";
    }
}
