package io.remora.text;

import java.nio.charset.StandardCharsets;

/** Numbers as lower-case hexadecimal digits, which all ids of traces are. */
public final class Hex {
    public static final int LONG_DIGITS = 16;
    private static final int INT_DIGITS = 8;
    private static final byte[] DIGITS = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
    };

    private Hex() {}

    /** Tells if there is nothing but hexadecimal digits. */
    public static boolean isHex(byte[] octets, int from, int to) {
        for (int i = from; i < to; i++) {
            if (digit(octets[i]) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The number of digits that have been found to be some, sixteen at the most. */
    public static long read(byte[] octets, int from, int to) {
        long number = 0;
        for (int i = from; i < to; i++) {
            number = number << 4 | digit(octets[i]);
        }
        return number;
    }

    private static int digit(byte octet) {
        if (octet >= '0' && octet <= '9') {
            return octet - '0';
        }
        return octet >= 'a' && octet <= 'f' ? octet - 'a' + 10 : -1;
    }

    /**
     * Writes the sixteen digits of a number.
     *
     * @return where the next octet goes
     */
    public static int write(byte[] into, int at, long number) {
        // by halves, as a 32-bit machine shifts those in one instruction
        write(into, at, (int) (number >>> Integer.SIZE));
        write(into, at + INT_DIGITS, (int) number);
        return at + LONG_DIGITS;
    }

    private static void write(byte[] into, int at, int number) {
        int rest = number;
        for (int i = at + INT_DIGITS - 1; i >= at; i--) {
            into[i] = DIGITS[rest & 15];
            rest >>>= 4;
        }
    }

    /** The thirty-two digits of two numbers. */
    public static String text(long high, long low) {
        byte[] digits = new byte[2 * LONG_DIGITS];
        write(digits, write(digits, 0, high), low);
        return new String(digits, StandardCharsets.ISO_8859_1);
    }

    public static char digit(long number, int shift) {
        return (char) DIGITS[(int) (number >>> shift) & 15];
    }
}
