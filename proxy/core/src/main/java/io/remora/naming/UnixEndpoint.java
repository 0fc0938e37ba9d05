package io.remora.naming;

import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** The address of an endpoint on a Unix socket. Loaded only where one is configured. */
final class UnixEndpoint {
    private UnixEndpoint() {}

    static SocketAddress address(String path) {
        return UnixDomainSocketAddress.of(path);
    }
}
