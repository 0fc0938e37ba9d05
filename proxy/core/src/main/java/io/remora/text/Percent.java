package io.remora.text;

import java.nio.charset.StandardCharsets;

/**
 * Percent-encoding in the parts of a URI. Pure functions.
 *
 * <p>Spec: RFC 3986 2.1 to 2.4 and 6.2.2. What is decoded is decoded once: {@code %2561} stays as it is.
 */
public final class Percent {
    /** Octets of a triplet, such as {@code %2F}. */
    static final int TRIPLET = 3;

    private static final int RADIX = 16;
    private static final byte UPPER_CASE = ~0x20;
    /** Unreserved characters besides letters and digits. */
    private static final String UNRESERVED = "-._~";

    private Percent() {}

    /** Returns the octet that a percent sign and two digits at {@code at} stand for, -1 where there is no such triplet. */
    public static int octet(byte[] octets, int at, int to) {
        if (octets[at] != '%' || at + 2 >= to) {
            return -1;
        }
        int high = Character.digit(octets[at + 1], RADIX);
        int low = Character.digit(octets[at + 2], RADIX);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    /** Tells if an octet means the same with and without its percent-encoding (RFC 3986 2.3). */
    public static boolean isUnreserved(int octet) {
        return octet >= 0 && octet < 0x80 && (Ascii.isAlphanumeric((char) octet) || UNRESERVED.indexOf(octet) >= 0);
    }

    /**
     * Copies octets in their normalized encoding: unreserved ones as themselves, the digits of other triplets in upper case, and what is no
     * triplet as it is. What is copied has no triplets that the octets do not have: where a percent sign without its digits would get some by
     * decoding, as in {@code %6%31}, they stay encoded.
     *
     * @param into with room for as many octets from {@code end} on; may be {@code octets} where {@code end} is not beyond {@code from}
     * @return where the next octet goes
     */
    public static int normalize(byte[] octets, int from, int to, byte[] into, int end) {
        int next = end;
        // where the last percent sign without digits went
        int stray = Integer.MIN_VALUE;
        for (int at = from; at < to; ) {
            int encoded = octet(octets, at, to);
            if (encoded < 0) {
                stray = octets[at] == '%' ? next : stray;
                into[next++] = octets[at++];
            } else if (isUnreserved(encoded) && !completes(into, stray, next, encoded)) {
                into[next++] = (byte) encoded;
                at += TRIPLET;
            } else {
                into[next++] = '%';
                into[next++] = upper(octets[at + 1]);
                into[next++] = upper(octets[at + 2]);
                at += TRIPLET;
            }
        }
        return next;
    }

    private static boolean completes(byte[] octets, int stray, int next, int octet) {
        boolean behind = next == stray + 1 || next == stray + 2 && Character.digit(octets[stray + 1], RADIX) >= 0;
        return behind && Character.digit(octet, RADIX) >= 0;
    }

    /** Changes the digits of all triplets to upper case. */
    static void upperDigits(byte[] octets) {
        for (int at = 0; at < octets.length; at++) {
            if (octet(octets, at, octets.length) >= 0) {
                octets[at + 1] = upper(octets[at + 1]);
                octets[at + 2] = upper(octets[at + 2]);
                at += 2;
            }
        }
    }

    private static byte upper(byte digit) {
        return digit > '9' ? (byte) (digit & UPPER_CASE) : digit;
    }

    /** Returns text of one character an octet in its normalized encoding. */
    static String normalize(String text) {
        byte[] octets = text.getBytes(StandardCharsets.ISO_8859_1);
        int end = normalize(octets, 0, octets.length, octets, 0);
        return new String(octets, 0, end, StandardCharsets.ISO_8859_1);
    }
}
