package io.remora.config;

import io.remora.text.Ascii;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** Addresses as the file writes them: {@code HOST:PORT} and {@code [IPV6]:PORT}. Resolves nothing. */
final class AddressText {
    /** Stands in a configuration that will not be used for an address that has been reported. */
    static final Address NONE = new Address("", 0);

    /** What the path of a Unix socket stands behind. */
    static final String UNIX = "unix:";

    private static final int MAX_HOST_CHARS = 253;
    private static final int MAX_LABEL_CHARS = 63;

    private AddressText() {}

    /** The address at a node, or null when it has been reported. */
    static @Nullable Address read(Node node, String key, int minPort, Problems problems) {
        String text = node.text;
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        if (node.kind != Node.Kind.TEXT
                || colon < 0
                || text.endsWith("]")
                || (host.indexOf(':') >= 0 && !bracketed(host))) {
            problems.at(node, key + " is " + node.quoted() + ", expected HOST:PORT or [IPV6]:PORT");
            return null;
        }
        int port = port(text.substring(colon + 1));
        if (port < minPort) {
            String ports = minPort == 0 ? "0 (any free one) to 65535" : "1 to 65535";
            String what = key + " " + node.quoted() + " has the port " + Problems.quote(text.substring(colon + 1));
            problems.at(node, what + ", expected " + ports);
            return null;
        }
        if (bracketed(host) ? !isIpV6(host) : !isHost(host)) {
            String what = key + " " + node.quoted() + " has the host " + Problems.quote(host);
            problems.at(node, what + ", expected a name, an IPv4 address or an IPv6 address in brackets");
            return null;
        }
        return new Address(bracketed(host) ? host.substring(1, host.length() - 1) : host, port);
    }

    /** The same, or {@code unix:/PATH}. */
    static @Nullable Address readAny(Node node, String key, int minPort, Problems problems) {
        return node.kind == Node.Kind.TEXT && node.text.startsWith(UNIX)
                ? SocketReader.address(node, key, problems)
                : read(node, key, minPort, problems);
    }

    /** The address at a node whose host must be an IPv4 or IPv6 literal, or null when it has been reported. */
    static @Nullable Address readLiteral(Node node, String key, Problems problems) {
        Address address = read(node, key, 1, problems);
        if (address != null && address.host().indexOf(':') < 0 && !isIpV4(address.host())) {
            String what = key + " " + node.quoted() + " has the host " + Problems.quote(address.host());
            problems.at(node, what + ", expected an IPv4 address, or an IPv6 address in brackets");
            return null;
        }
        return address;
    }

    static boolean isLoopback(Address address) {
        String host = address.host();
        if (host.indexOf(':') >= 0) {
            InetAddress literal = ipV6("[" + host + "]");
            return literal != null && literal.isLoopbackAddress();
        }
        return host.equalsIgnoreCase("localhost") || (host.startsWith("127.") && isIpV4(host));
    }

    /** Whether it stands for every address of the machine. */
    static boolean isWildcard(Address address) {
        String host = address.host();
        InetAddress literal = host.indexOf(':') < 0 ? null : ipV6("[" + host + "]");
        return literal == null ? host.equals("0.0.0.0") : literal.isAnyLocalAddress();
    }

    /** Letter case apart. Not {@code equals}: a record's is put together at its first call, from many classes. */
    static boolean same(Address one, Address other) {
        return one.isUnix() || other.isUnix()
                ? one.host().equals(other.host())
                : one.port() == other.port() && one.host().equalsIgnoreCase(other.host());
    }

    /** A name of labels, or an IPv4 address; an IPv6 address never passes. */
    static boolean isHost(String host) {
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
    static boolean isIpV4(String host) {
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
    static boolean isIpV6(String host) {
        return bracketed(host) && ipV6(host) != null;
    }

    private static boolean bracketed(String host) {
        return host.startsWith("[") && host.endsWith("]");
    }

    /** In brackets the JDK takes nothing but a literal, so that no name is ever looked up here. */
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
    static boolean isAuthority(String text) {
        int colon = text.endsWith("]") ? -1 : text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        String port = text.substring(colon + 1);
        return (isHost(host) || isIpV6(host)) && (colon < 0 || port.length() < 6 && port(port) > 0);
    }

    /** The port, or -1 for anything but a number up to 65535. */
    private static int port(String text) {
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
