package io.remora.http;

import io.remora.text.Ascii;

/**
 * Judges the value of a Host field or the authority of a target: a host, and perhaps a port.
 *
 * <p>Spec: RFC 9112 section 3.2, RFC 9110 section 7.2, RFC 3986 section 3.2.2. User information is refused (RFC 9110
 * 4.2.4).
 */
public final class HostField {
    /** reg-name without percent-encoding's sign, which {@link #isRegisteredName} reads itself. */
    private static final long[] NAME =
            Ascii.bits("-._~!$&'()*+;=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    private static final long[] IP_LITERAL = Ascii.bits("0123456789abcdefABCDEF:.vV");

    private HostField() {}

    /**
     * Whether it may stand in a Host field; an empty value may not, as no listener serves a target without an
     * authority.
     */
    public static boolean isValid(CharSequence value) {
        int hostEnd = endOfHost(value);
        return hostEnd > 0 && isPort(value, hostEnd);
    }

    /** The host in lower case, without its port. */
    public static String hostOf(String value) {
        int end = endOfHost(value);
        return toLowerCase(end < 0 ? value : value.substring(0, end));
    }

    /** Whether {@code host:port} has a port of one digit or more that is not above 65535, as CONNECT demands. */
    public static boolean hasPort(String value) {
        int hostEnd = endOfHost(value);
        return hostEnd > 0 && hostEnd + 1 < value.length() && isPort(value, hostEnd);
    }

    private static int endOfHost(CharSequence value) {
        if (value.length() > 0 && value.charAt(0) == '[') {
            return endOfLiteral(value);
        }
        int end = 0;
        while (end < value.length() && value.charAt(end) != ':') {
            end++;
        }
        return isRegisteredName(value, end) ? end : -1;
    }

    private static int endOfLiteral(CharSequence value) {
        int i = 1;
        while (i < value.length() && Ascii.in(IP_LITERAL, value.charAt(i))) {
            i++;
        }
        return i > 2 && i < value.length() && value.charAt(i) == ']' ? i + 1 : -1;
    }

    private static boolean isRegisteredName(CharSequence value, int end) {
        for (int i = 0; i < end; i++) {
            if (value.charAt(i) == '%') {
                if (i + 2 >= end || !isHex(value.charAt(i + 1)) || !isHex(value.charAt(i + 2))) {
                    return false;
                }
            } else if (!Ascii.in(NAME, value.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isHex(char character) {
        return Character.digit(character, 16) >= 0 && character < 128;
    }

    private static boolean isPort(CharSequence value, int hostEnd) {
        if (hostEnd == value.length()) {
            return true;
        }
        int port = 0;
        for (int i = hostEnd + 1; i < value.length(); i++) {
            if (!Ascii.isDigit(value.charAt(i)) || port > 65_535) {
                return false;
            }
            port = port * 10 + value.charAt(i) - '0';
        }
        return value.charAt(hostEnd) == ':' && port <= 65_535;
    }

    private static String toLowerCase(String host) {
        for (int i = 0; i < host.length(); i++) {
            if (host.charAt(i) >= 'A' && host.charAt(i) <= 'Z') {
                return host.toLowerCase(java.util.Locale.ROOT);
            }
        }
        return host;
    }
}
