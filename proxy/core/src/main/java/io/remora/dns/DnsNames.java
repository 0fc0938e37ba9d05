package io.remora.dns;

import java.util.Locale;

/**
 * Names as messages write them. Pure functions. Bounds: 255 octets on the wire, 63 a label (RFC 1035 2.3.4). Spec: RFC 1035
 * 4.1.4.
 */
final class DnsNames {
    private static final int MAX_OCTETS = 255;
    private static final int MAX_LABEL = 63;
    private static final int POINTER = 0xc0;
    /** A name of so many labels has no need of more. */
    private static final int MAX_POINTERS = 127;

    private DnsNames() {}

    /**
     * Writes a name after {@code at}.
     *
     * @param name without the dot of the root
     * @return where the next octet goes
     * @throws DnsException where no message can have such a name
     */
    static int write(String name, byte[] to, int at) throws DnsException {
        int next = at;
        for (int from = 0; from <= name.length(); ) {
            int dot = name.indexOf('.', from);
            int end = dot < 0 ? name.length() : dot;
            int length = end - from;
            if (length == 0 || length > MAX_LABEL || next - at + length + 2 > MAX_OCTETS) {
                throw new DnsException("no name: " + name, false);
            }
            to[next++] = (byte) length;
            for (int i = from; i < end; i++) {
                to[next++] = (byte) name.charAt(i);
            }
            from = end + 1;
        }
        to[next++] = 0;
        return next;
    }

    /** Tells if a message can have such a name. */
    static boolean isName(String name) {
        try {
            write(name, new byte[MAX_OCTETS + 1], 0);
            return true;
        } catch (DnsException e) {
            return false;
        }
    }

    /**
     * The name at a place, in lower case. Pointers lead back only, each further than the one before, so that none leads in a
     * circle.
     *
     * @throws DnsException where there is none
     */
    static String read(byte[] message, int length, int at) throws DnsException {
        StringBuilder name = new StringBuilder();
        int next = at;
        int before = at;
        int pointers = 0;
        while (true) {
            int octet = octet(message, length, next);
            if (octet == 0) {
                return name.toString();
            }
            if (octet >= POINTER) {
                int to = (octet & 0x3f) << 8 | octet(message, length, next + 1);
                if (to >= before || ++pointers > MAX_POINTERS) {
                    throw new DnsException("an invalid compression pointer");
                }
                before = to;
                next = to;
            } else {
                if (octet > MAX_LABEL || next + octet >= length || name.length() + octet + 2 > MAX_OCTETS) {
                    throw new DnsException("a name that is too long");
                }
                append(name, message, next + 1, octet);
                next += octet + 1;
            }
        }
    }

    private static void append(StringBuilder name, byte[] message, int at, int count) throws DnsException {
        if (name.length() > 0) {
            name.append('.');
        }
        for (int i = at; i < at + count; i++) {
            int octet = message[i] & 0xff;
            // in text a dot within a label would pass for two labels, and the rest is nobody's host name
            if (octet <= ' ' || octet > '~' || octet == '.') {
                throw new DnsException("an invalid host name");
            }
            name.append((char) (octet >= 'A' && octet <= 'Z' ? octet + ('a' - 'A') : octet));
        }
    }

    /** Returns the position after the name. */
    static int skip(byte[] message, int length, int at) throws DnsException {
        int next = at;
        while (next - at <= MAX_OCTETS) {
            int octet = octet(message, length, next);
            if (octet == 0) {
                return next + 1;
            }
            if (octet >= POINTER) {
                octet(message, length, next + 1);
                return next + 2;
            }
            if (octet > MAX_LABEL) {
                break;
            }
            next += octet + 1;
        }
        throw new DnsException("a name that is too long");
    }

    private static int octet(byte[] message, int length, int at) throws DnsException {
        if (at >= length) {
            throw new DnsException("a truncated message");
        }
        return message[at] & 0xff;
    }

    /** Returns a name in the form for comparisons: in lower case, without the dot of the root. */
    static String canonical(String name) {
        String relative = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        return relative.toLowerCase(Locale.ROOT);
    }
}
