package io.remora.config;

/**
 * A host and a port as written in the configuration; nothing is resolved here.
 *
 * @param host a name, an IPv4 literal, or an IPv6 literal without its brackets
 * @param port 0 to 65535; 0 asks the kernel for a free port and is legal for listeners only
 */
public record Address(String host, int port) {
    @Override
    public String toString() {
        return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }
}
