package io.remora.compilelog;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one element, as bytes, which the next element replaces.
 *
 * <p>Bounds: 64 KiB of names and values, and 128 attributes.
 */
final class LogAttributes {
    static final int MAX_BYTES = 1 << 16;
    static final int MAX_COUNT = 128;
    private static final int MAX_DIGITS = 15;

    private final byte[] text = new byte[MAX_BYTES];
    /** A name lies between the end of the value before it and its own value. */
    private final int[] valueAt = new int[MAX_COUNT];

    private final int[] valueEnd = new int[MAX_COUNT];
    private int count;
    private int length;

    void clear() {
        count = 0;
        length = 0;
    }

    boolean hasRoom() {
        return length < MAX_BYTES && count < MAX_COUNT;
    }

    void put(int octet) {
        text[length++] = (byte) octet;
    }

    void beginValue() {
        valueAt[count] = length;
    }

    void endValue() {
        valueEnd[count++] = length;
    }

    /** Returns the first attribute of this name, as {@code method} may come twice; -1 if there is none. */
    private int find(String name) {
        for (int i = 0; i < count; i++) {
            int start = i == 0 ? 0 : valueEnd[i - 1];
            if (valueAt[i] - start == name.length() && isAt(start, name)) {
                return i;
            }
        }
        return -1;
    }

    private boolean isAt(int start, String name) {
        for (int i = 0; i < name.length(); i++) {
            if (text[start + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    boolean has(String name) {
        return find(name) >= 0;
    }

    boolean is(String name, String value) {
        int found = find(name);
        return found >= 0 && valueEnd[found] - valueAt[found] == value.length() && isAt(valueAt[found], value);
    }

    /** Returns a value, null if there is none. Bytes that are not UTF-8 become replacement characters. */
    @Nullable
    String text(String name) {
        int found = find(name);
        return found < 0
                ? null
                : new String(text, valueAt[found], valueEnd[found] - valueAt[found], StandardCharsets.UTF_8);
    }

    /**
     * Returns a decimal number times a power of ten, without what lies behind its last digit.
     *
     * @param decimals digits after the point to keep: 3 makes milliseconds of seconds
     * @return {@code missing} if there is no such attribute
     * @throws NumberFormatException if it is not a number of at most 15 digits
     */
    long number(String name, int decimals, long missing) {
        int found = find(name);
        if (found < 0) {
            return missing;
        }
        int at = valueAt[found];
        int end = valueEnd[found];
        boolean negative = at < end && text[at] == '-';
        int start = negative ? at + 1 : at;
        long number = 0;
        int kept = -1;
        for (int i = start; i < end; i++) {
            if (text[i] == '.' && kept < 0 && decimals > 0 && i > start) {
                kept = 0;
            } else if (text[i] < '0' || text[i] > '9' || i - start >= MAX_DIGITS) {
                throw new NumberFormatException(name);
            } else if (kept < decimals) {
                number = number * 10 + text[i] - '0';
                kept += kept < 0 ? 0 : 1;
            }
        }
        if (start == end) {
            throw new NumberFormatException(name);
        }
        for (int i = Math.max(0, kept); i < decimals; i++) {
            number *= 10;
        }
        return negative ? -number : number;
    }
}
