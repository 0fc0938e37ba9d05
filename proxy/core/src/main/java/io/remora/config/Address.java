package io.remora.config;

/**
 * A host and a port as written in the configuration, or the path of a Unix socket; nothing is resolved here.
 *
 * @param host a name, an IPv4 literal, an IPv6 literal without its brackets, or an absolute path
 * @param port 0 to 65535; 0 asks the kernel for a free port and is legal for listeners only; 0 beside a path
 */
public record Address(String host, int port) {
    /** Whether {@link #host} is the path of a Unix socket. */
    public boolean isUnix() {
        return host.startsWith("/");
    }

    @Override
    public String toString() {
        if (isUnix()) {
            return AddressText.UNIX + host;
        }
        return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }
}
