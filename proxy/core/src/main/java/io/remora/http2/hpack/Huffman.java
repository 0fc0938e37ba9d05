package io.remora.http2.hpack;

import io.remora.http.Octets;

/**
 * The Huffman code for strings. It is canonical: the codes of one length follow one another in the order of their
 * symbols, and after those of the shorter lengths. All tables come from the lengths. Pure functions.
 *
 * <p>Cost: three kilobytes for all connections. Codes of up to eight bits, which are those of text, take one look at a
 * table. Spec: RFC 7541 section 5.2 and appendix B.
 */
final class Huffman {
    /** Lengths of the codes by symbol, the end of a string last; {@code a} is five bits. */
    private static final String LENGTHS = "isxxxxxxxtzxxzxxxxxxxxzxxxxxxxxxbffhibdgffdgdbbbaaabbbbbbbcdkbhf"
            + "ibccccccccccccccccccccccdcdioijbkabababbbaccbbbabcbaabccccckgjix"
            + "prpprrrsrssssststtrstssssqrsrsstrqprrssqsrrtqrssqqrqsrssprrrsrrs"
            + "vvporsruvvvwwvtuoqvwwvwtqqvvxwwwptpqrqqsrruuttvsvwvvwwwwwxwwwwwv"
            + "z";

    private static final int SYMBOLS = 257;
    private static final int END = 256;
    private static final int SHORTEST = 5;
    private static final int LONGEST = 30;
    /** Codes of up to so many bits are in {@link #SHORT}. */
    private static final int SHORT_BITS = 8;

    private static final byte[] BITS = new byte[SYMBOLS];
    private static final int[] CODES = new int[SYMBOLS];
    /** By the next eight bits, a symbol and, in the upper octet, its length; 0 for a longer one. */
    private static final short[] SHORT = new short[1 << SHORT_BITS];

    // ---- of the longer codes

    /** Symbols in the order of their codes. */
    private static final char[] SORTED = new char[SYMBOLS];
    /** By length, the code behind the last one, as the first of 30 bits. */
    private static final int[] BEHIND = new int[LONGEST + 1];
    /** By length, the place in {@link #SORTED} of a code of 0. */
    private static final int[] PLACES = new int[LONGEST + 1];

    static {
        int code = 0;
        int place = 0;
        for (int bits = SHORTEST; bits <= LONGEST; bits++) {
            PLACES[bits] = place - code;
            for (int symbol = 0; symbol < SYMBOLS; symbol++) {
                if (LENGTHS.charAt(symbol) - 'a' + SHORTEST == bits) {
                    BITS[symbol] = (byte) bits;
                    CODES[symbol] = code;
                    SORTED[place++] = (char) symbol;
                    if (bits <= SHORT_BITS) {
                        int first = code << SHORT_BITS - bits;
                        for (int i = first; i < first + (1 << SHORT_BITS - bits); i++) {
                            SHORT[i] = (short) (bits << 8 | symbol);
                        }
                    }
                    code++;
                }
            }
            BEHIND[bits] = code << LONGEST - bits;
            code <<= 1;
        }
    }

    private Huffman() {}

    // ---- decoding

    /** Returns the most octets that come of so many. */
    static int mostOctets(int length) {
        return length / SHORTEST * 8 + 8;
    }

    /**
     * Decodes a whole string.
     *
     * @param out with room for {@link #mostOctets}
     * @return where it ends there; negative where it has an end, or ends in anything but up to seven bits of ones
     */
    static int decode(byte[] in, int from, int to, byte[] out, int at) {
        int place = at;
        int next = from;
        // the lower bits are still to be read
        int window = 0;
        int bits = 0;
        while (true) {
            while (bits <= Integer.SIZE - 8 && next < to) {
                window = window << 8 | in[next++] & 0xff;
                bits += 8;
            }
            if (bits < SHORT_BITS) {
                return tail(window, bits, out, place);
            }
            int found = SHORT[window >>> bits - SHORT_BITS & 0xff];
            if (found == 0) {
                int start = 8 * next - bits;
                int code = code(in, start, to);
                int length = longLength(code);
                int symbol = SORTED[PLACES[length] + (code >>> LONGEST - length)];
                if (symbol == END || start + length > 8 * to) {
                    return -1;
                }
                out[place++] = (byte) symbol;
                next = start + length >>> 3;
                bits = -(start + length) & 7;
                window = bits == 0 ? 0 : in[next++];
            } else {
                out[place++] = (byte) found;
                bits -= found >> 8;
            }
        }
    }

    // fewer than eight bits: at most one symbol, and ones
    private static int tail(int window, int bits, byte[] out, int at) {
        int ones = (1 << SHORT_BITS - bits) - 1;
        int found = SHORT[(window << SHORT_BITS - bits | ones) & 0xff];
        int left = bits - (found >> 8);
        int place = at;
        if (found != 0 && left >= 0) {
            out[place++] = (byte) found;
        } else {
            left = bits;
        }
        int mask = (1 << left) - 1;
        return (window & mask) == mask ? place : -1;
    }

    // the 30 bits from that one on, with ones behind the end
    private static int code(byte[] in, int bit, int to) {
        long octets = 0;
        int first = bit >>> 3;
        for (int i = first; i < first + 5; i++) {
            octets = octets << 8 | (i < to ? in[i] & 0xff : 0xff);
        }
        return (int) (octets >>> 40 - LONGEST - (bit & 7)) & (1 << LONGEST) - 1;
    }

    private static int longLength(int code) {
        int length = SHORT_BITS + 1;
        while (code >= BEHIND[length]) {
            length++;
        }
        return length;
    }

    // ---- encoding

    /** Returns how many octets a string has in this code. */
    static int length(byte[] array, int from, int to, boolean lower) {
        int bits = 0;
        for (int i = from; i < to; i++) {
            bits += BITS[(lower ? Octets.toLower(array[i]) : array[i]) & 0xff];
        }
        return bits + 7 >>> 3;
    }

    /** Writes a string in this code, in lower case if {@code lower}. */
    static void encode(HeaderBlock out, byte[] array, int from, int to, boolean lower) {
        long window = 0;
        int bits = 0;
        for (int i = from; i < to; i++) {
            int symbol = (lower ? Octets.toLower(array[i]) : array[i]) & 0xff;
            window = window << BITS[symbol] | CODES[symbol];
            bits += BITS[symbol];
            while (bits >= 8) {
                bits -= 8;
                out.write((int) (window >>> bits));
            }
        }
        if (bits > 0) {
            out.write((int) (window << 8 - bits) | 0xff >>> bits);
        }
    }
}
