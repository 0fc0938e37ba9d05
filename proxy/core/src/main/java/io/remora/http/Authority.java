package io.remora.http;

import java.util.Locale;

/**
 * Judges the octets of a Host field or of a target's authority: a host, and perhaps a port.
 *
 * <p>Spec: RFC 9112 section 3.2, RFC 9110 section 7.2, RFC 3986 section 3.2.2. User information is refused (RFC 9110
 * 4.2.4).
 */
public final class Authority {
    private static final byte NAME = 1;
    private static final byte LITERAL = 2;
    private static final byte HEX = 4;
    /**
     * Classes of octets: characters of a reg-name but for the percent sign, of an IP literal, and hexadecimal digits.
     */
    private static final byte[] KINDS = new byte[256];

    private static final int MAX_PORT = 65_535;

    static {
        mark(NAME, "-._~!$&'()*+;=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        mark(LITERAL, "0123456789abcdefABCDEF:.vV");
        mark(HEX, "0123456789abcdefABCDEF");
    }

    private Authority() {}

    private static void mark(byte kind, String characters) {
        for (int i = 0; i < characters.length(); i++) {
            KINDS[characters.charAt(i)] |= kind;
        }
    }

    /**
     * Returns whether the octets may stand in a Host field. An empty value may not, as no listener serves a target
     * without an authority.
     */
    public static boolean isValid(byte[] octets, int from, int to) {
        int hostEnd = endOfHost(octets, from, to);
        return hostEnd > from && isPort(octets, hostEnd, to);
    }

    /**
     * Returns whether the octets are {@code host:port}, with a port of one digit or more that is not above 65535, as
     * CONNECT demands.
     */
    public static boolean hasPort(byte[] octets, int from, int to) {
        int hostEnd = endOfHost(octets, from, to);
        return hostEnd > from && hostEnd + 1 < to && isPort(octets, hostEnd, to);
    }

    /** Returns the host in lower case, without its port; all of it where it is not valid. */
    public static String hostOf(Octets authority) {
        int end = endOfHost(authority.array, authority.start, authority.end);
        String host = Octets.text(authority.array, authority.start, end < 0 ? authority.end : end);
        for (int i = 0; i < host.length(); i++) {
            if (host.charAt(i) >= 'A' && host.charAt(i) <= 'Z') {
                return host.toLowerCase(Locale.ROOT);
            }
        }
        return host;
    }

    /** Returns the port, or another one where it has none; 0 is a port that nobody has. */
    public static int portOf(Octets authority, int byDefault) {
        int end = endOfHost(authority.array, authority.start, authority.end);
        int port = 0;
        for (int i = end + 1; end >= 0 && i < authority.end; i++) {
            port = port * 10 + authority.array[i] - '0';
        }
        return end < 0 || end + 1 >= authority.end ? byDefault : port;
    }

    private static int endOfHost(byte[] octets, int from, int to) {
        if (from < to && octets[from] == '[') {
            return endOfLiteral(octets, from, to);
        }
        int at = from;
        while (at < to && octets[at] != ':') {
            int octet = octets[at] & 0xff;
            if ((KINDS[octet] & NAME) != 0) {
                at++;
            } else if (octet == '%' && at + 2 < to && isHex(octets[at + 1]) && isHex(octets[at + 2])) {
                at += 3;
            } else {
                return -1;
            }
        }
        return at;
    }

    private static int endOfLiteral(byte[] octets, int from, int to) {
        int at = from + 1;
        while (at < to && (KINDS[octets[at] & 0xff] & LITERAL) != 0) {
            at++;
        }
        return at > from + 2 && at < to && octets[at] == ']' ? at + 1 : -1;
    }

    private static boolean isHex(byte octet) {
        return (KINDS[octet & 0xff] & HEX) != 0;
    }

    private static boolean isPort(byte[] octets, int hostEnd, int to) {
        if (hostEnd == to) {
            return true;
        }
        int port = 0;
        for (int i = hostEnd + 1; i < to; i++) {
            if (!Octets.isDigit(octets[i]) || port > MAX_PORT) {
                return false;
            }
            port = port * 10 + octets[i] - '0';
        }
        return octets[hostEnd] == ':' && port <= MAX_PORT;
    }
}
