package io.remora.config.yaml;

import io.remora.config.model.Address;
import org.jspecify.annotations.Nullable;

/** Addresses as the file writes them: {@code HOST:PORT} and {@code [IPV6]:PORT}. Resolves nothing. */
public final class AddressText {
    /** Stands in a configuration that will not be used for an address that has been reported. */
    public static final Address NONE = new Address("", 0);

    private AddressText() {}

    /** The address at a node, or null when it has been reported. */
    public static @Nullable Address read(Node node, String key, int minPort, Problems problems) {
        String text = node.text;
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        if (node.kind != Node.Kind.TEXT
                || colon < 0
                || text.endsWith("]")
                || (host.indexOf(':') >= 0 && !Address.isBracketed(host))) {
            problems.at(node, key + " is " + node.quoted() + ", expected HOST:PORT or [IPV6]:PORT");
            return null;
        }
        int port = Address.portOf(text.substring(colon + 1));
        if (port < minPort) {
            String ports = minPort == 0 ? "0 (any free one) to 65535" : "1 to 65535";
            String what = key + " " + node.quoted() + " has the port " + Problems.quote(text.substring(colon + 1));
            problems.at(node, what + ", expected " + ports);
            return null;
        }
        if (Address.isBracketed(host) ? !Address.isIpV6(host) : !Address.isHost(host)) {
            String what = key + " " + node.quoted() + " has the host " + Problems.quote(host);
            problems.at(node, what + ", expected a name, an IPv4 address or an IPv6 address in brackets");
            return null;
        }
        return new Address(Address.isBracketed(host) ? host.substring(1, host.length() - 1) : host, port);
    }

    /** Reads an address that may also be {@code unix:/PATH}. */
    public static @Nullable Address readAny(Node node, String key, int minPort, Problems problems) {
        return node.kind == Node.Kind.TEXT && node.text.startsWith(Address.UNIX)
                ? SocketPart.address(node, key, problems)
                : read(node, key, minPort, problems);
    }

    /** The address at a node whose host must be an IPv4 or IPv6 literal, or null when it has been reported. */
    public static @Nullable Address readLiteral(Node node, String key, Problems problems) {
        Address address = read(node, key, 1, problems);
        if (address != null && address.host().indexOf(':') < 0 && !Address.isIpV4(address.host())) {
            String what = key + " " + node.quoted() + " has the host " + Problems.quote(address.host());
            problems.at(node, what + ", expected an IPv4 address, or an IPv6 address in brackets");
            return null;
        }
        return address;
    }
}
