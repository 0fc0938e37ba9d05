package io.remora.http2;

import io.remora.http.Octets;

/**
 * The fields that are about a connection of HTTP/1, which have no place in HTTP/2.
 *
 * <p>Spec: RFC 9113 section 8.2.2.
 */
final class ConnectionFields {
    private static final byte[][] NAMES = {
        octets("te"),
        octets("upgrade"),
        octets("connection"),
        octets("keep-alive"),
        octets("proxy-connection"),
        octets("transfer-encoding")
    };

    private ConnectionFields() {}

    private static byte[] octets(String name) {
        return Octets.of(name).array;
    }

    /** Returns whether the name, letter case aside, is one of them; TE is, which only a request may have. */
    static boolean contain(byte[] octets, int from, int to) {
        for (byte[] name : NAMES) {
            if (Octets.equalsIgnoreCase(octets, from, to, name)) {
                return true;
            }
        }
        return false;
    }
}
