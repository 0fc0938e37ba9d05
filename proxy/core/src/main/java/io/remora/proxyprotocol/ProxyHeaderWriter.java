package io.remora.proxyprotocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.remora.text.IpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writer of one header. The destination in it is the endpoint, to which the connection goes. The client has no port, as
 * a connection serves all that the client has open. Where the two are of different families, both are written as IPv6.
 *
 * <p>Thread safe. Spec: the PROXY protocol, versions 1 and 2, 2020-03-05, sections 2.1 and 2.2.
 */
final class ProxyHeaderWriter {
    private static final byte[] SIGNATURE = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int TCP4 = 0x11;
    private static final int TCP6 = 0x21;
    private static final int V4_OCTETS = 12;
    private static final int V6_OCTETS = 36;
    private static final int MOST_OCTETS = 108;
    private static final int GROUP_BITS = 16;

    private ProxyHeaderWriter() {}

    /**
     * @param client its address without brackets, anything else where nobody knows it
     * @param endpoint where the connection goes
     */
    static ByteBuf header(int version, String client, @Nullable SocketAddress endpoint, ByteBufAllocator allocator) {
        ByteBuf header = allocator.buffer(MOST_OCTETS);
        IpAddress from = new IpAddress();
        IpAddress to = new IpAddress();
        boolean told = endpoint instanceof InetSocketAddress inet && from.parse(client) && parse(to, inet.getAddress());
        int port = endpoint instanceof InetSocketAddress inet ? inet.getPort() : 0;
        if (version == 1) {
            header.writeCharSequence(told ? line(from, to, port) : "PROXY UNKNOWN\r\n", StandardCharsets.US_ASCII);
        } else {
            header.writeBytes(SIGNATURE).writeByte(told ? PROXY : LOCAL);
            if (told) {
                addresses(header, from, to, port);
            } else {
                header.writeByte(0).writeShort(0);
            }
        }
        return header;
    }

    private static boolean parse(IpAddress into, @Nullable InetAddress address) {
        if (address == null) {
            return false;
        }
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return into.parse(zone < 0 ? text : text.substring(0, zone));
    }

    private static String line(IpAddress from, IpAddress to, int port) {
        boolean v4 = from.isV4() && to.isV4();
        StringBuilder line = new StringBuilder(MOST_OCTETS).append(v4 ? "PROXY TCP4 " : "PROXY TCP6 ");
        text(line, from, v4);
        text(line.append(' '), to, v4);
        return line.append(" 0 ").append(port).append("\r\n").toString();
    }

    private static void text(StringBuilder line, IpAddress address, boolean v4) {
        if (v4) {
            for (int shift = 24; shift >= 0; shift -= 8) {
                line.append(address.low() >>> shift & 0xff).append(shift == 0 ? "" : ".");
            }
            return;
        }
        for (int group = 0; group < 8; group++) {
            long half = group < 4 ? address.high() : address.low();
            int shift = (3 - (group & 3)) * GROUP_BITS;
            line.append(group == 0 ? "" : ":").append(Long.toHexString(half >>> shift & 0xffff));
        }
    }

    private static void addresses(ByteBuf header, IpAddress from, IpAddress to, int port) {
        if (from.isV4() && to.isV4()) {
            header.writeByte(TCP4)
                    .writeShort(V4_OCTETS)
                    .writeInt((int) from.low())
                    .writeInt((int) to.low());
        } else {
            header.writeByte(TCP6).writeShort(V6_OCTETS);
            header.writeLong(from.high()).writeLong(from.low());
            header.writeLong(to.high()).writeLong(to.low());
        }
        header.writeShort(0).writeShort(port);
    }
}
