package io.remora.dns;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A question by TCP, where the answer does not fit into a datagram. Spec: RFC 7766. Bounds: 64 KiB. */
final class StreamFlight extends DnsFlight {
    private static final int LENGTH_OCTETS = 2;

    private final ByteBuffer length = ByteBuffer.allocate(LENGTH_OCTETS);
    private ByteBuffer query = length;
    private @Nullable ByteBuffer answer;
    private @Nullable SocketChannel channel;

    StreamFlight(DnsQuestion question, DnsFlight before, long untilNs, long beganNs) {
        super(question, before.server, before.name, before.aliases, before.ttlSeconds, untilNs, beganNs);
    }

    @Override
    void open(Selector selector) throws IOException {
        byte[] octets = message.query();
        query = ByteBuffer.allocate(LENGTH_OCTETS + octets.length)
                .putShort((short) octets.length)
                .put(octets)
                .flip();
        SocketChannel opened = opened(SocketChannel.open());
        channel = opened;
        boolean connected = opened.connect(question.address(server));
        opened.register(selector, connected ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, this);
    }

    @Override
    boolean take(SelectionKey key, ByteBuffer buffer) throws IOException {
        SocketChannel open = channel;
        if (open == null || !open.isConnected() && !open.finishConnect()) {
            return false;
        }
        open.write(query);
        key.interestOps(query.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        return !query.hasRemaining() && isRead(open);
    }

    private boolean isRead(SocketChannel open) throws IOException {
        if (!isFull(open, length)) {
            return false;
        }
        ByteBuffer whole = answer;
        if (whole == null) {
            whole = ByteBuffer.allocate(length.getShort(0) & 0xffff);
            answer = whole;
        }
        if (!isFull(open, whole)) {
            return false;
        }
        if (!message.isOurs(whole.array(), whole.capacity()) || message.isTruncated()) {
            throw new DnsException("no response over TCP either");
        }
        return true;
    }

    private static boolean isFull(SocketChannel open, ByteBuffer into) throws IOException {
        if (into.hasRemaining() && open.read(into) < 0) {
            throw new DnsException("the connection ended early");
        }
        return !into.hasRemaining();
    }

    @Override
    String how() {
        return " by TCP";
    }
}
