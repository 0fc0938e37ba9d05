package io.remora.http2;

import io.remora.http.Octets;

/**
 * The fields that are about a connection of HTTP/1, which have no place in HTTP/2.
 *
 * <p>Spec: RFC 9113 section 8.2.2.
 */
final class ConnectionFields {
    private static final byte[] TE = Octets.of("te").array;
    private static final byte[] UPGRADE = Octets.of("upgrade").array;
    private static final byte[] CONNECTION = Octets.of("connection").array;
    private static final byte[] KEEP_ALIVE = Octets.of("keep-alive").array;
    private static final byte[] PROXY_CONNECTION = Octets.of("proxy-connection").array;
    private static final byte[] TRANSFER_ENCODING = Octets.of("transfer-encoding").array;

    private ConnectionFields() {}

    /** Returns whether the name, letter case aside, is one of them; TE is, which only a request may have. */
    static boolean contain(byte[] octets, int from, int to) {
        return switch (to - from) {
            case 2 -> Octets.equalsIgnoreCase(octets, from, to, TE);
            case 7 -> Octets.equalsIgnoreCase(octets, from, to, UPGRADE);
            case 10 ->
                Octets.equalsIgnoreCase(octets, from, to, CONNECTION)
                        || Octets.equalsIgnoreCase(octets, from, to, KEEP_ALIVE);
            case 16 -> Octets.equalsIgnoreCase(octets, from, to, PROXY_CONNECTION);
            case 17 -> Octets.equalsIgnoreCase(octets, from, to, TRANSFER_ENCODING);
            default -> false;
        };
    }
}
