package io.remora.dns;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/** A question by UDP. Bounds: 64 messages that are no answer to it. */
final class DatagramFlight extends DnsFlight {
    private static final int MAX_STRANGERS = 64;

    private @Nullable DatagramChannel channel;
    private int strangers;

    DatagramFlight(DnsQuestion question, int server, String name, long untilNs, long beganNs) {
        super(question, server, name, 0, Long.MAX_VALUE, untilNs, beganNs);
    }

    /** A question for the name that an alias leads to, at the same server. */
    DatagramFlight(DnsQuestion question, DnsFlight before, String target, long ttlSeconds, long untilNs, long beganNs) {
        super(question, before.server, target, before.aliases + 1, ttlSeconds, untilNs, beganNs);
    }

    @Override
    void open(Selector selector) throws IOException {
        byte[] query = message.query();
        DatagramChannel opened = opened(DatagramChannel.open());
        channel = opened;
        // from then on the kernel drops what comes from anybody else
        opened.connect(question.address(server));
        opened.register(selector, SelectionKey.OP_READ, this);
        opened.write(ByteBuffer.wrap(query));
    }

    @Override
    boolean take(SelectionKey key, ByteBuffer buffer) throws IOException {
        DatagramChannel open = channel;
        if (open == null) {
            return false;
        }
        buffer.clear();
        open.read(buffer);
        byte[] octets = new byte[buffer.position()];
        buffer.flip().get(octets);
        boolean isOurs = message.isOurs(octets, octets.length);
        if (!isOurs && ++strangers == MAX_STRANGERS) {
            throw new DnsException("no answer among " + MAX_STRANGERS + " messages");
        }
        return isOurs;
    }

    @Override
    String how() {
        return "";
    }
}
