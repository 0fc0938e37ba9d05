package io.remora.inject;

import io.remora.text.Ascii;
import io.remora.text.IpAddress;

/** An IP address or a network in CIDR notation, as {@code remora-capture} takes it. Spec: RFC 4632 3.1, RFC 4291 2.3. */
final class CidrBlock {
    private static final int V4_BITS = 32;
    private static final int BITS = 128;

    private CidrBlock() {}

    /** Returns whether a text is an address, or a network with a prefix from 1 and without bits after the prefix. */
    static boolean isOne(String text) {
        int slash = text.indexOf('/');
        IpAddress address = new IpAddress();
        if (slash < 0 || !address.parse(text.substring(0, slash))) {
            return slash < 0 && address.parse(text);
        }
        int bits = text.lastIndexOf(':', slash) < 0 ? V4_BITS : BITS;
        int prefix = prefix(text.substring(slash + 1));
        if (prefix < 1 || prefix > bits) {
            return false;
        }
        // an IPv4 address is at the end of its IPv6 address
        int before = BITS - bits + prefix;
        long high = before >= Long.SIZE ? 0 : -1L >>> before;
        long low = before >= BITS ? 0 : before <= Long.SIZE ? -1L : -1L >>> (before - Long.SIZE);
        return (address.high() & high) == 0 && (address.low() & low) == 0;
    }

    /** Returns a number of at most three digits without leading zeros; -1 for any other text. */
    private static int prefix(String text) {
        if (text.isEmpty() || text.length() > 3 || text.charAt(0) == '0') {
            return -1;
        }
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            if (!Ascii.isDigit(text.charAt(i))) {
                return -1;
            }
            number = number * 10 + text.charAt(i) - '0';
        }
        return number;
    }
}
