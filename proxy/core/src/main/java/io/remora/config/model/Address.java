package io.remora.config.model;

import io.remora.text.Ascii;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * A host and a port as written in the configuration, or the path of a Unix socket; nothing is resolved here.
 *
 * @param host a name, an IPv4 literal, an IPv6 literal without its brackets, or an absolute path
 * @param port 0 to 65535; 0 asks the kernel for a free port and is legal for listeners only; 0 for a path
 */
public record Address(String host, int port) {
    /** The prefix of a Unix socket's path. */
    public static final String UNIX = "unix:";

    private static final int MAX_HOST_CHARS = 253;
    private static final int MAX_LABEL_CHARS = 63;

    /** Returns whether {@link #host} is the path of a Unix socket. */
    public boolean isUnix() {
        return host.startsWith("/");
    }

    @Override
    public String toString() {
        if (isUnix()) {
            return UNIX + host;
        }
        return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }

    public boolean isLoopback() {
        if (host.indexOf(':') >= 0) {
            InetAddress literal = ipV6("[" + host + "]");
            return literal != null && literal.isLoopbackAddress();
        }
        return host.equalsIgnoreCase("localhost") || (host.startsWith("127.") && isIpV4(host));
    }

    /** Returns whether it stands for every address of the machine. */
    public boolean isWildcard() {
        InetAddress literal = host.indexOf(':') < 0 ? null : ipV6("[" + host + "]");
        return literal == null ? host.equals("0.0.0.0") : literal.isAnyLocalAddress();
    }

    /**
     * Returns whether both are the same address, letter case apart. Not {@code equals}: a record's is put together at
     * its first call, from many classes.
     */
    public boolean isSame(Address other) {
        return isUnix() || other.isUnix()
                ? host.equals(other.host)
                : port == other.port && host.equalsIgnoreCase(other.host);
    }

    /** A name of labels, or an IPv4 address; an IPv6 address never passes. */
    public static boolean isHost(String host) {
        boolean numeric = !host.isEmpty();
        int labelStart = 0;
        for (int i = 0; i <= host.length(); i++) {
            char c = i < host.length() ? host.charAt(i) : '.';
            if (c == '.') {
                boolean rootDot = i == host.length() && i > 0 && host.charAt(i - 1) == '.';
                int length = i - labelStart;
                if ((length == 0 && !(rootDot && i > 1)) || length > MAX_LABEL_CHARS) {
                    return false;
                }
                labelStart = i + 1;
            } else if (!isNameChar(c)) {
                return false;
            }
            numeric &= c == '.' || (c >= '0' && c <= '9');
        }
        return host.length() <= MAX_HOST_CHARS && (!numeric || isIpV4(host));
    }

    private static boolean isNameChar(char c) {
        return Ascii.isAlphanumeric(c) || c == '-' || c == '_';
    }

    /** Four numbers up to 255, none with a leading zero, which some read as octal. */
    public static boolean isIpV4(String host) {
        int dots = 0;
        int number = -1;
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (c == '.') {
                if (number < 0 || ++dots > 3) {
                    return false;
                }
                number = -1;
            } else if (c < '0' || c > '9' || number == 0) {
                return false;
            } else {
                number = Math.max(number, 0) * 10 + c - '0';
                if (number > 255) {
                    return false;
                }
            }
        }
        return dots == 3 && number >= 0;
    }

    /** An IPv6 address in brackets. */
    public static boolean isIpV6(String host) {
        return isBracketed(host) && ipV6(host) != null;
    }

    public static boolean isBracketed(String host) {
        return host.startsWith("[") && host.endsWith("]");
    }

    /**
     * Reads an IPv6 literal. In brackets the JDK takes nothing but a literal, so that no name is ever looked up here.
     */
    private static @Nullable InetAddress ipV6(String bracketed) {
        // The zone names an interface, and a file may be judged on a machine that has none of this name.
        int zone = bracketed.indexOf('%');
        String literal = zone < 0 ? bracketed : bracketed.substring(0, zone) + "]";
        try {
            return literal.indexOf(':') < 0 ? null : InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** A host, with a port or without. */
    public static boolean isAuthority(String text) {
        int colon = text.endsWith("]") ? -1 : text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        String port = text.substring(colon + 1);
        return (isHost(host) || isIpV6(host)) && (colon < 0 || port.length() < 6 && portOf(port) > 0);
    }

    /** The port, or -1 for anything but a number up to 65535. */
    public static int portOf(String text) {
        int port = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            port = port * 10 + c - '0';
            if (c < '0' || c > '9' || port > 65_535) {
                return -1;
            }
        }
        return text.isEmpty() ? -1 : port;
    }
}
