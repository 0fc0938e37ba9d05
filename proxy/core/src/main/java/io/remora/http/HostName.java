package io.remora.http;

import io.remora.text.HostText;
import io.remora.text.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The host of an authority where something may be named after it: a file, a name in DNS, a metric. Loaded only where
 * that happens.
 *
 * <p>Its spelling is {@link HostText#canonical}, and stricter. A name consists of labels of up to 63 letters, digits,
 * hyphens and underscores between single dots, up to 253 characters in all. So it means nothing else in any place. A
 * text that could pass for a number (WHATWG URL 3.5) is an IP address, or nothing. No octet of it is percent-encoded.
 *
 * <p>Spec: RFC 1035 2.3.4, RFC 1123 2.1.
 */
public final class HostName {
    private static final int MAX_CHARS = 253;
    private static final int MAX_LABEL_CHARS = 63;

    private HostName() {}

    /** Returns the host in its canonical spelling, null where it is neither a name nor an address. */
    public static @Nullable String of(Octets authority) {
        String given = Authority.hostOf(authority);
        if (given.isEmpty() || given.indexOf('%') >= 0) {
            return null;
        }
        String host = HostText.canonical(given);
        if (given.charAt(0) == '[') {
            return host.charAt(0) == '[' ? null : host;
        }
        boolean valid = isName(host) && (!IpAddress.endsInNumber(host) || new IpAddress().parse(host));
        return valid ? host : null;
    }

    /** Returns whether a host in this spelling is an address. */
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
}
