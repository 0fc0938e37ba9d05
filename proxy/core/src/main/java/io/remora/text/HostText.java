package io.remora.text;

import java.util.Locale;

/**
 * The canonical spelling of a host, in which routes, templates, SNI and certificates compare one: a name in lower case, without the dot
 * at its end, and with unreserved octets as themselves; an IPv6 address as eight groups without brackets, or as the IPv4 address that it
 * is mapped to. Pure functions.
 *
 * <p>Internationalised names are compared as clients send them, in A-labels: mapping one here could make two hosts of different owners
 * the same. Cost: no allocation for a host that is canonical already.
 *
 * <p>Spec: RFC 3986 6.2.2; RFC 1034 3.1 for the dot at the end; RFC 4291 2.5.5.2.
 */
public final class HostText {
    private static final int GROUPS = 8;
    private static final int GROUP_BITS = 16;

    private HostText() {}

    /**
     * Returns the canonical spelling of a host without its port. Text that is no host comes back in lower case.
     *
     * @param host as a Host field, a configuration or a certificate has it
     */
    public static String canonical(String host) {
        int length = host.length();
        if (length > 1 && host.charAt(0) == '[') {
            IpAddress address = new IpAddress();
            return address.parse(host.substring(1, length - 1)) ? text(address) : lower(host);
        }
        String name = lower(host.indexOf('%') < 0 ? host : Percent.normalize(host));
        int end = name.length();
        return end > 1 && name.charAt(end - 1) == '.' ? name.substring(0, end - 1) : name;
    }

    private static String lower(String host) {
        for (int i = 0; i < host.length(); i++) {
            if (host.charAt(i) >= 'A' && host.charAt(i) <= 'Z') {
                return host.toLowerCase(Locale.ROOT);
            }
        }
        return host;
    }

    /** Returns the canonical spelling of an address that has been parsed. */
    public static String text(IpAddress address) {
        StringBuilder spelled = new StringBuilder();
        if (address.isV4()) {
            for (int shift = 24; shift >= 0; shift -= 8) {
                spelled.append(spelled.isEmpty() ? "" : ".").append(address.low() >> shift & 0xff);
            }
        } else {
            for (int i = 0; i < GROUPS; i++) {
                long half = i < GROUPS / 2 ? address.high() : address.low();
                long group = half >> (GROUPS / 2 - 1 - i % (GROUPS / 2)) * GROUP_BITS & 0xffff;
                spelled.append(i == 0 ? "" : ":").append(Long.toHexString(group));
            }
        }
        return spelled.toString();
    }
}
