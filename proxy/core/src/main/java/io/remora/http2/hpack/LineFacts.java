package io.remora.http2.hpack;

import io.remora.http.Octets;

/**
 * Facts about a field line that do not depend on the rest of its section, as the bits of an integer: which of the names
 * with a meaning of their own it has, and whether its name and its value are valid. Pure functions.
 *
 * <p>Spec: RFC 9113 sections 8.2 and 8.3, RFC 9110 section 5.5.
 */
public final class LineFacts {
    /** Bits with the number of the name. */
    public static final int NAME = 0x1f;

    // ---- the numbers of names

    public static final int OTHER = 0;
    public static final int METHOD = 1;
    public static final int SCHEME = 2;
    public static final int AUTHORITY = 3;
    public static final int PATH = 4;
    public static final int PROTOCOL = 5;
    public static final int STATUS = 6;
    /** Any other name that begins with a colon. */
    public static final int PSEUDO = 7;

    public static final int HOST = 8;
    public static final int COOKIE = 9;
    public static final int CONTENT_LENGTH = 10;
    public static final int TE = 11;
    /** Any field about a connection of HTTP/1 but TE. */
    public static final int CONNECTION = 12;

    public static final int WEBSOCKET_KEY1 = 13;
    public static final int WEBSOCKET_KEY2 = 14;

    // ---- bits

    /** Bit of a name that is no token in lower case; pseudo-fields are not checked. */
    public static final int BAD_NAME = 0x20;
    /** Bit of a name with an underscore. */
    public static final int UNDERSCORE = 0x40;
    /** Bit of a value with a control character but HTAB, or with white space around it. */
    public static final int BAD_VALUE = 0x80;

    /** Bit of a line whose sender wants no table to have it (RFC 7541 6.2.3). */
    public static final int NEVER_INDEXED = 0x100;

    /** All bits that are about the name. */
    static final int OF_NAME = NAME | BAD_NAME | UNDERSCORE;

    /** Names and their numbers; more than one may have the same. */
    private static final String KNOWN = ":method\1:scheme\2:authority\3:path\4:protocol\5:status\6host\10cookie\11"
            + "content-length\12te\13connection\14keep-alive\14proxy-connection\14transfer-encoding\14upgrade\14"
            + "sec-websocket-key1\15sec-websocket-key2\16";

    private static final int LONGEST = 18;
    /** Known names by their length, each followed by its number. */
    private static final byte[][] BY_LENGTH = byLength();

    private LineFacts() {}

    private static byte[][] byLength() {
        byte[][] sorted = new byte[LONGEST + 1][0];
        int from = 0;
        for (int i = 0; i < KNOWN.length(); i++) {
            if (KNOWN.charAt(i) < ' ') {
                byte[] before = sorted[i - from];
                byte[] after = new byte[before.length + i + 1 - from];
                System.arraycopy(before, 0, after, 0, before.length);
                for (int j = from; j <= i; j++) {
                    after[before.length + j - from] = (byte) KNOWN.charAt(j);
                }
                sorted[i - from] = after;
                from = i + 1;
            }
        }
        return sorted;
    }

    /** Returns whether the name with these facts begins with a colon. */
    public static boolean isPseudo(int facts) {
        int number = facts & NAME;
        return number >= METHOD && number <= PSEUDO;
    }

    static int ofName(byte[] array, int from, int to) {
        int number = number(array, from, to);
        if (number != OTHER) {
            return number;
        }
        if (from == to) {
            return BAD_NAME;
        }
        if (array[from] == ':') {
            return PSEUDO;
        }
        int facts = Octets.endOfToken(array, from, to) == to ? 0 : BAD_NAME;
        for (int i = from; i < to; i++) {
            byte octet = array[i];
            if (octet == '_') {
                facts |= UNDERSCORE;
            } else if (octet >= 'A' && octet <= 'Z') {
                facts |= BAD_NAME;
            }
        }
        return facts;
    }

    private static int number(byte[] array, int from, int to) {
        int length = to - from;
        if (length <= LONGEST) {
            byte[] known = BY_LENGTH[length];
            for (int at = 0; at < known.length; at += length + 1) {
                int i = 0;
                while (i < length && known[at + i] == array[from + i]) {
                    i++;
                }
                if (i == length) {
                    return known[at + length];
                }
            }
        }
        return OTHER;
    }

    static int ofValue(byte[] array, int from, int to) {
        boolean valid = from == to
                || !Octets.isBlank(array[from])
                        && !Octets.isBlank(array[to - 1])
                        && Octets.endOfValue(array, from, to) == to;
        return valid ? 0 : BAD_VALUE;
    }
}
