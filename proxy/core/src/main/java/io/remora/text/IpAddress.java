package io.remora.text;

/**
 * The number that an IPv4 or IPv6 address in text stands for. An IPv4 address is the same as the IPv6 address that it is
 * mapped to, so that a client is who it is whichever socket it came by.
 *
 * <p>Owner: one thread. Cost: no allocation for what is parsed. Spec: RFC 4291 2.2 and 2.5.5.2; in IPv4 addresses four
 * numbers without leading zeros, which some read as octal. Zones are refused: they mean something on one machine only.
 */
public final class IpAddress {
    /** Characters of the longest: eight groups, the last two as an IPv4 address. */
    public static final int LONGEST = 45;

    private static final int GROUPS = 8;
    private static final long MAPPED = 0xffffL;

    private final byte[] scratch = new byte[LONGEST];
    private final int[] groups = new int[GROUPS];
    private int count;
    /** Group before which zeros are left out; -1 for none. */
    private int gap;

    private long high;
    private long low;

    /**
     * Tells if a host in lower case can only be an address: its last label is a number, or begins as one in hexadecimal
     * does. That is stricter than WHATWG URL 3.5.
     */
    public static boolean endsInNumber(String host) {
        int start = host.lastIndexOf('.') + 1;
        if (host.startsWith("0x", start)) {
            return true;
        }
        for (int i = start; i < host.length(); i++) {
            if (host.charAt(i) < '0' || host.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** Parses an address without brackets or port, which becomes the current one; returns whether the text is one. */
    public boolean parse(String text) {
        int length = text.length();
        if (length > LONGEST) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char character = text.charAt(i);
            // what is beyond ASCII becomes what no address has
            scratch[i] = character < 128 ? (byte) character : 0;
        }
        return parse(scratch, 0, length);
    }

    /** Parses octets as {@link #parse(String)} does. */
    public boolean parse(byte[] octets, int from, int to) {
        high = 0;
        low = 0;
        if (to - from > LONGEST) {
            return false;
        }
        for (int i = from; i < to; i++) {
            if (octets[i] == ':') {
                return parseV6(octets, from, to);
            }
        }
        long number = v4(octets, from, to);
        low = MAPPED << 32 | number;
        return number >= 0;
    }

    /** The number of an IPv4 address, -1 where it is none. */
    private static long v4(byte[] octets, int from, int to) {
        long address = 0;
        int number = -1;
        int dots = 0;
        for (int i = from; i < to; i++) {
            int digit = octets[i] - '0';
            if (octets[i] == '.' && number >= 0 && ++dots < 4) {
                address = address << 8 | number;
                number = -1;
            } else if (digit >= 0 && digit <= 9 && number != 0 && number <= 25) {
                number = Math.max(number, 0) * 10 + digit;
            } else {
                return -1;
            }
            if (number > 255) {
                return -1;
            }
        }
        return dots == 3 && number >= 0 ? address << 8 | number : -1;
    }

    private boolean parseV6(byte[] octets, int from, int to) {
        count = 0;
        gap = -1;
        int at = from;
        if (octets[at] == ':') {
            if (to - from < 2 || octets[at + 1] != ':') {
                return false;
            }
            gap = 0;
            at += 2;
        }
        while (at >= 0 && at < to) {
            at = parseGroup(octets, at, to);
        }
        // the gap stands for one group or more
        if (at < 0 || (gap < 0 ? count != GROUPS : count >= GROUPS)) {
            return false;
        }
        join();
        return true;
    }

    /** Takes a group with the colons after it; tells where the next one begins, -1 where this is none. */
    private int parseGroup(byte[] octets, int from, int to) {
        int at = from;
        int value = 0;
        while (at < to && at - from < 5 && hex(octets[at]) >= 0) {
            value = value << 4 | hex(octets[at++]);
        }
        if (at < to && octets[at] == '.') {
            return parseTail(octets, from, to);
        }
        if (at == from || at - from > 4 || count == GROUPS) {
            return -1;
        }
        groups[count++] = value;
        if (at == to) {
            return to;
        }
        if (octets[at] != ':' || ++at == to) {
            return -1;
        }
        if (octets[at] == ':') {
            if (gap >= 0) {
                return -1;
            }
            gap = count;
            at++;
        }
        return at;
    }

    /** The last two groups as an IPv4 address. */
    private int parseTail(byte[] octets, int from, int to) {
        long number = v4(octets, from, to);
        if (number < 0 || count > GROUPS - 2) {
            return -1;
        }
        groups[count++] = (int) (number >> 16);
        groups[count++] = (int) (number & 0xffff);
        return to;
    }

    private void join() {
        int zeros = GROUPS - count;
        for (int i = 0; i < GROUPS; i++) {
            int group;
            if (gap < 0 || i < gap) {
                group = groups[i];
            } else {
                group = i < gap + zeros ? 0 : groups[i - zeros];
            }
            if (i < GROUPS / 2) {
                high = high << 16 | group;
            } else {
                low = low << 16 | group;
            }
        }
    }

    private static int hex(byte octet) {
        if (octet >= '0' && octet <= '9') {
            return octet - '0';
        }
        int lower = octet | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    /** The upper half. */
    public long high() {
        return high;
    }

    /** The lower half. */
    public long low() {
        return low;
    }

    public boolean isV4() {
        return high == 0 && low >>> 32 == MAPPED;
    }
}
