package io.remora.dns;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/** A question on its way to one server and back. Owner: its round's thread. */
abstract class DnsFlight implements Closeable {
    private static final long MS = 1_000_000L;

    final DnsQuestion question;
    /** Index of its server. */
    final int server;
    /** Name in the message: that of the question, or one for which that is an alias. */
    final String name;

    /** Number of aliases that led there. */
    final int aliases;

    /** The shortest time to live of those. */
    final long ttlSeconds;

    final DnsMessage message;
    final long untilNs;
    private final long beganNs;
    private @Nullable SelectableChannel channel;

    DnsFlight(DnsQuestion question, int server, String name, int aliases, long ttlSeconds, long untilNs, long beganNs) {
        this.question = question;
        this.server = server;
        this.name = name;
        this.aliases = aliases;
        this.ttlSeconds = ttlSeconds;
        this.message = new DnsMessage(question.nextId(), name, question.type);
        this.untilNs = untilNs;
        this.beganNs = beganNs;
    }

    /** Sends it, or begins to. */
    abstract void open(Selector selector) throws IOException;

    /** Goes on as far as it can; whether the answer is there. */
    abstract boolean take(SelectionKey key, ByteBuffer buffer) throws IOException;

    abstract String how();

    /** The reason for a failure where nothing has come. */
    final String silence(long nowNs) {
        long lastedNs = (nowNs - untilNs < 0 ? nowNs : untilNs) - beganNs;
        return "no answer" + how() + " within " + lastedNs / MS + " ms";
    }

    final void ready(SelectionKey key, ByteBuffer buffer) {
        if (channel == null) {
            return;
        }
        try {
            if (take(key, buffer)) {
                question.answered(this);
            }
        } catch (IOException e) {
            question.failed(this, e);
        }
    }

    final <C extends SelectableChannel> C opened(C opened) throws IOException {
        channel = opened;
        opened.configureBlocking(false);
        return opened;
    }

    @Override
    public final void close() {
        SelectableChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // it is of no use any more
            }
        }
    }
}
