package io.remora.dns;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Carries one question to one server: by UDP, and by TCP where the answer does not fit.
 *
 * <p>Owner: one thread, which it blocks; {@link #close} may come from any. Bounds: the time given for each of the two, and
 * what is no answer to the question is passed over 64 times.
 */
final class DnsTransport implements Closeable {
    /** Without EDNS no answer is larger than 512 octets. */
    private static final int MAX_UDP_OCTETS = 4_096;

    private static final int MAX_STRANGERS = 64;

    /** Less is not enough for a question with its answer. */
    static final long LEAST_NS = 20_000_000L;

    private @Nullable Closeable current;
    private boolean closed;

    /**
     * @param timeoutMs by UDP, and again by TCP
     * @param endNs of both, on the clock of {@link System#nanoTime()}
     */
    DnsAnswer ask(InetSocketAddress server, DnsMessage question, int timeoutMs, long endNs) throws IOException {
        if (endNs - System.nanoTime() < LEAST_NS) {
            throw new SocketTimeoutException("no time left");
        }
        byte[] query = question.query();
        byDatagram(server, question, query, Math.min(timeoutMs, leftMs(endNs)));
        if (question.isTruncated()) {
            byStream(server, question, query, Math.min(timeoutMs, leftMs(endNs)));
        }
        return question.answer();
    }

    private void byDatagram(InetSocketAddress server, DnsMessage question, byte[] query, int timeoutMs)
            throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            begin(socket);
            // from then on the kernel drops what comes from anybody else
            socket.connect(server);
            socket.send(new DatagramPacket(query, query.length));
            byte[] octets = new byte[MAX_UDP_OCTETS];
            long endNs = System.nanoTime() + timeoutMs * 1_000_000L;
            for (int strangers = 0; strangers < MAX_STRANGERS; strangers++) {
                socket.setSoTimeout(leftMs(endNs));
                DatagramPacket packet = new DatagramPacket(octets, octets.length);
                socket.receive(packet);
                if (question.isOurs(octets, packet.getLength())) {
                    return;
                }
            }
            throw new DnsException("no answer among " + MAX_STRANGERS + " messages");
        } catch (SocketTimeoutException e) {
            throw new DnsException("no answer within " + timeoutMs + " ms");
        } finally {
            end();
        }
    }

    private void byStream(InetSocketAddress server, DnsMessage question, byte[] query, int timeoutMs)
            throws IOException {
        try (Socket socket = new Socket()) {
            begin(socket);
            long endNs = System.nanoTime() + timeoutMs * 1_000_000L;
            socket.connect(server, timeoutMs);
            byte[] framed = new byte[query.length + 2];
            framed[0] = (byte) (query.length >> 8);
            framed[1] = (byte) query.length;
            System.arraycopy(query, 0, framed, 2, query.length);
            OutputStream out = socket.getOutputStream();
            out.write(framed);
            out.flush();
            byte[] head = new byte[2];
            read(socket, head, endNs);
            byte[] octets = new byte[(head[0] & 0xff) << 8 | head[1] & 0xff];
            read(socket, octets, endNs);
            if (!question.isOurs(octets, octets.length) || question.isTruncated()) {
                throw new DnsException("no answer by TCP either");
            }
        } catch (SocketTimeoutException e) {
            throw new DnsException("no answer by TCP within " + timeoutMs + " ms");
        } finally {
            end();
        }
    }

    /** All of them, however slowly they come, within the time. */
    private static void read(Socket socket, byte[] octets, long endNs) throws IOException {
        InputStream in = socket.getInputStream();
        for (int at = 0; at < octets.length; ) {
            socket.setSoTimeout(leftMs(endNs));
            int count = in.read(octets, at, octets.length - at);
            if (count < 0) {
                throw new DnsException("the connection ended early");
            }
            at += count;
        }
    }

    private static int leftMs(long endNs) throws SocketTimeoutException {
        long leftMs = (endNs - System.nanoTime()) / 1_000_000L;
        if (leftMs <= 0) {
            throw new SocketTimeoutException("no time left");
        }
        return (int) Math.min(Integer.MAX_VALUE, leftMs);
    }

    private synchronized void begin(Closeable socket) throws IOException {
        if (closed) {
            socket.close();
            throw new DnsException("closed", false);
        }
        current = socket;
    }

    private synchronized void end() {
        current = null;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (current != null) {
            try {
                current.close();
            } catch (IOException e) {
                // it is of no use any more
            }
        }
    }
}
