package io.remora.dns;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;

/**
 * Questions that are sent together, each to one server after the other. The next server gets a question without waiting
 * for a silent one, which may still answer.
 *
 * <p>Owner: one thread, which {@link #await} blocks. Cost: a selector, and a socket for each question at each server, as each has a
 * port of its own (RFC 5452 9.2).
 */
public final class DnsRound implements Closeable {
    private static final long MS = 1_000_000L;

    /** Octets of a read; without EDNS no answer by UDP is larger than 512. */
    private static final int BUFFER_OCTETS = 4_096;

    private final DnsClient client;
    private final Selector selector;
    private final DnsQuestion[] questions;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_OCTETS);

    DnsRound(DnsClient client, String name, DnsType... types) throws DnsException {
        this.client = client;
        this.selector = client.open();
        this.questions = new DnsQuestion[types.length];
        for (int i = 0; i < types.length; i++) {
            questions[i] = new DnsQuestion(client, selector, name, types[i]);
        }
    }

    /** One of them, in the order of their types. */
    public DnsQuestion question(int place) {
        return questions[place];
    }

    private int done() {
        int done = 0;
        for (DnsQuestion question : questions) {
            done += question.isDone() ? 1 : 0;
        }
        return done;
    }

    /**
     * Waits until one more of them is done, or all are.
     *
     * @param untilNs on the clock of {@link System#nanoTime()}
     * @return false where the time is over before
     */
    public boolean await(long untilNs) {
        int before = done();
        while (true) {
            long nowNs = System.nanoTime();
            long waitNs = untilNs - nowNs;
            for (DnsQuestion question : questions) {
                if (!question.isDone()) {
                    waitNs = Math.min(waitNs, question.turn(nowNs));
                }
            }
            int done = done();
            if (done > before || done == questions.length) {
                return true;
            }
            if (untilNs - nowNs <= 0) {
                return false;
            }
            take(Math.max(1, (waitNs + MS - 1) / MS));
        }
    }

    private void take(long waitMs) {
        try {
            selector.select(waitMs);
            if (client.isClosed()) {
                end(new DnsException("closed", false));
                return;
            }
            Set<SelectionKey> ready = selector.selectedKeys();
            for (SelectionKey key : ready) {
                ((DnsFlight) key.attachment()).ready(key, buffer);
            }
            ready.clear();
        } catch (IOException e) {
            end(new DnsException(String.valueOf(e.getMessage()), false));
        }
    }

    /** Returns the time by which all questions have an answer, or have failed. */
    public long endNs() {
        return client.endNs();
    }

    /** Fails the questions that are not done. */
    public void giveUp() {
        for (DnsQuestion question : questions) {
            question.giveUp();
        }
    }

    private void end(DnsException why) {
        for (DnsQuestion question : questions) {
            question.end(why);
        }
    }

    /** Gives up what is not done. */
    @Override
    public void close() {
        end(new DnsException("given up", false));
        client.close(selector);
    }
}
