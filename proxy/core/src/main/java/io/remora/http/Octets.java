package io.remora.http;

import io.remora.text.Ascii;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a message's octets, with its text made on first use.
 *
 * <p>Owner: one event loop. The octets are those of the message and must not be changed as long as the piece is used.
 */
public final class Octets {
    public static final byte[] NONE = new byte[0];
    /** Characters of a token, such as a field's name or a method. */
    private static final boolean[] TOKEN = new boolean[256];

    static {
        for (int i = 0; i < 128; i++) {
            TOKEN[i] = Ascii.isTokenCharacter(i);
        }
    }

    public final byte[] array;
    public final int start;
    public final int end;
    private @Nullable String text;

    public Octets(byte[] array, int start, int end) {
        this.array = array;
        this.start = start;
        this.end = end;
    }

    public static Octets of(String text) {
        byte[] array = text.getBytes(StandardCharsets.ISO_8859_1);
        Octets octets = new Octets(array, 0, array.length);
        octets.text = text;
        return octets;
    }

    /** All octets of an array, which nobody changes from then on. */
    public static Octets of(byte[] array) {
        return new Octets(array, 0, array.length);
    }

    public int length() {
        return end - start;
    }

    /** Returns whether both are the same octets, letter case included. */
    public boolean contentEquals(Octets other) {
        if (length() != other.length()) {
            return false;
        }
        for (int i = start, j = other.start; i < end; i++, j++) {
            if (array[i] != other.array[j]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        String made = text;
        if (made == null) {
            made = text(array, start, end);
            text = made;
        }
        return made;
    }

    // ---- on any octets

    /** Returns the text, one character an octet. */
    public static String text(byte[] octets, int from, int to) {
        return new String(octets, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** The first place from {@code from} on where no token character stands, {@code to} for none. */
    public static int endOfToken(byte[] octets, int from, int to) {
        int i = from;
        while (i < to && TOKEN[octets[i] & 0xff]) {
            i++;
        }
        return i;
    }

    /** The first place from {@code from} on where neither a space nor a tab stands, {@code to} for none. */
    public static int endOfBlanks(byte[] octets, int from, int to) {
        int at = from;
        while (at < to && isBlank(octets[at])) {
            at++;
        }
        return at;
    }

    /** Returns where the spaces and tabs before {@code to} begin. */
    public static int startOfBlanks(byte[] octets, int from, int to) {
        int at = to;
        while (at > from && isBlank(octets[at - 1])) {
            at--;
        }
        return at;
    }

    /** The place of the next comma, {@code to} for none. */
    public static int endOfElement(byte[] octets, int from, int to) {
        int at = from;
        while (at < to && octets[at] != ',') {
            at++;
        }
        return at;
    }

    /** Returns where the first control character but HTAB stands (RFC 9110 5.5). */
    public static int endOfValue(byte[] array, int from, int to) {
        int at = from;
        while (at < to) {
            byte octet = array[at];
            // octets of 0x80 and above are negative
            if ((octet < ' ' || octet == 0x7f) && octet >= 0 && octet != '\t') {
                break;
            }
            at++;
        }
        return at;
    }

    /** Returns the place after the CR LF that should stand at {@code at}. */
    public static int endOfLine(byte[] array, int at, int to) {
        if (at == to || array[at] != '\r') {
            return ~at;
        }
        if (at + 1 == to || array[at + 1] != '\n') {
            return ~(at + 1);
        }
        return at + 2;
    }

    public static boolean isBlank(byte octet) {
        return octet == ' ' || octet == '\t';
    }

    public static boolean isDigit(byte octet) {
        return octet >= '0' && octet <= '9';
    }

    public static byte toLower(byte octet) {
        return octet >= 'A' && octet <= 'Z' ? (byte) (octet | 0x20) : octet;
    }

    /** Returns whether the octets equal {@code lower}, which is in lower case, letter case aside. */
    public static boolean equalsIgnoreCase(byte[] octets, int from, int to, byte[] lower) {
        if (to - from != lower.length) {
            return false;
        }
        for (int i = 0; i < lower.length; i++) {
            if (toLower(octets[from + i]) != lower[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads a decimal number of digits only.
     *
     * @return -1 for no digits, anything else among them, and more than a long can hold
     */
    public static long decimal(byte[] octets, int from, int to) {
        long value = from < to ? 0 : -1;
        for (int i = from; i < to && value >= 0; i++) {
            int digit = octets[i] - '0';
            boolean fits = digit >= 0 && digit <= 9 && value <= Long.MAX_VALUE / 10;
            // the last digit may still be too much, which shows as a negative number
            value = fits ? value * 10 + digit : -1;
        }
        return value < 0 ? -1 : value;
    }
}
