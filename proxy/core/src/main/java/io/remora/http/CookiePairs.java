package io.remora.http;

/** Finds a cookie in the value of a Cookie field. Pure functions. Spec: RFC 6265 section 4.2.1. */
public final class CookiePairs {
    private CookiePairs() {}

    /** Returns where the value of the cookie begins, -1 where it is not there. */
    public static int value(byte[] name, byte[] octets, int from, int to) {
        int at = Octets.endOfBlanks(octets, from, to);
        while (at < to) {
            int equals = at + name.length;
            if (equals < to && octets[equals] == '=' && isAt(name, octets, at)) {
                return equals + 1;
            }
            at = Octets.endOfBlanks(octets, end(octets, at, to) + 1, to);
        }
        return -1;
    }

    private static boolean isAt(byte[] name, byte[] octets, int at) {
        for (int i = 0; i < name.length; i++) {
            if (octets[at + i] != name[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns where the pair of the octet at {@code from} ends. */
    public static int end(byte[] octets, int from, int to) {
        int at = from;
        while (at < to && octets[at] != ';') {
            at++;
        }
        return at;
    }
}
