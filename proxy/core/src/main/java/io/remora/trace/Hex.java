package io.remora.trace;

/** Numbers as lower-case hexadecimal digits, which all ids of traces are. */
final class Hex {
    static final int LONG_DIGITS = 16;
    private static final String DIGITS = "0123456789abcdef";

    private Hex() {}

    /** Whether there is nothing but digits. */
    static boolean isHex(byte[] octets, int from, int to) {
        for (int i = from; i < to; i++) {
            if (digit(octets[i]) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The number of digits that have been found to be some, sixteen at the most. */
    static long read(byte[] octets, int from, int to) {
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

    static void append(StringBuilder text, long number) {
        for (int shift = 60; shift >= 0; shift -= 4) {
            text.append(DIGITS.charAt((int) (number >>> shift) & 15));
        }
    }

    static char digit(long number, int shift) {
        return DIGITS.charAt((int) (number >>> shift) & 15);
    }
}
