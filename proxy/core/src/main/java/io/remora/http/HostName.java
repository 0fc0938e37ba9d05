package io.remora.http;

import io.remora.text.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The host of an authority in the one spelling by which something may be named after it: a file, a name in DNS, a metric. Loaded only
 * where that happens.
 *
 * <p>A name is in lower case and has no dot at its end. It consists of labels of up to 63 letters, digits, hyphens and underscores
 * between single dots, up to 253 characters in all, so that it is nothing else anywhere it is put. Whatever could pass for a number
 * (WHATWG URL 3.5) is an IP address, or nothing. Addresses have no brackets.
 *
 * <p>Spec: RFC 1035 2.3.4, RFC 1123 2.1.
 */
public final class HostName {
    private static final int MAX_CHARS = 253;
    private static final int MAX_LABEL_CHARS = 63;
    private static final int GROUPS = 8;
    private static final int GROUP_BITS = 16;

    private HostName() {}

    /** Null where it is neither a name nor an address. */
    public static @Nullable String of(Octets authority) {
        String host = Authority.hostOf(authority);
        int length = host.length();
        if (length > 1 && host.charAt(0) == '[') {
            return address(host.substring(1, length - 1));
        }
        String name = length > 1 && host.charAt(length - 1) == '.' ? host.substring(0, length - 1) : host;
        if (!isName(name)) {
            return null;
        }
        return IpAddress.endsInNumber(name) ? address(name) : name;
    }

    /** Whether a host in this spelling is an address. */
    public static boolean isAddress(String host) {
        return host.indexOf(':') >= 0 || IpAddress.endsInNumber(host);
    }

    private static boolean isName(String name) {
        int labelStart = 0;
        for (int i = 0; i <= name.length(); i++) {
            char c = i < name.length() ? name.charAt(i) : '.';
            if (c == '.') {
                int length = i - labelStart;
                if (length == 0
                        || length > MAX_LABEL_CHARS
                        || name.charAt(labelStart) == '-'
                        || name.charAt(i - 1) == '-') {
                    return false;
                }
                labelStart = i + 1;
            } else if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_')) {
                return false;
            }
        }
        return name.length() <= MAX_CHARS;
    }

    private static @Nullable String address(String text) {
        IpAddress address = new IpAddress();
        if (!address.parse(text)) {
            return null;
        }
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
