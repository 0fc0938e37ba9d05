package io.remora.proxyprotocol;

import io.netty.channel.Channel;
import io.remora.transport.Handshake;

/**
 * Handshake of a cluster whose endpoints receive each connection's client by the PROXY protocol. The header is the
 * connection's first octets, before TLS or anything else. A connection for no client, such as a health check, is the
 * sidecar's own (LOCAL, or UNKNOWN in version 1).
 *
 * <p>Thread safe. Order: before any other handshake. Cost: a buffer for each connection.
 */
public final class ProxySender implements Handshake {
    private final int version;
    private final Handshake next;
    private final String client;

    /** @param version 1 or 2 */
    public ProxySender(int version, Handshake next) {
        this(version, next, "");
    }

    private ProxySender(int version, Handshake next, String client) {
        this.version = version;
        this.next = next;
        this.client = client;
    }

    @Override
    public Handshake forClient(String address) {
        return new ProxySender(version, next.forClient(address), address);
    }

    @Override
    public void begin(Channel channel, Outcome outcome) {
        // where it fails, what follows does
        channel.writeAndFlush(ProxyHeaderWriter.header(version, client, channel.remoteAddress(), channel.alloc()));
        next.begin(channel, outcome);
    }

    @Override
    public Handshake wrapped() {
        return next;
    }

    @Override
    public void end() {
        next.end();
    }

    @Override
    public void release() {
        next.release();
    }
}
