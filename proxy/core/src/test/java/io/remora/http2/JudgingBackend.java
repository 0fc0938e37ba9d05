package io.remora.http2;

import io.remora.testkit.RawRequest;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A backend that reads nothing but requests of HTTP/1.1 as RFC 9112 has them, and keeps what it has read until it is asked.
 * Whatever it cannot read is a fault of who sent it.
 *
 * <p>Owner: one thread accepts, one thread a connection answers; everything else may be called from any.
 */
final class JudgingBackend implements AutoCloseable {
    private static final int BACKLOG = 1_024;
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final String CHUNKED = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-trailer: a\r\n\r\n";
    private static final String LAST = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

    /** Whether it was there to its end. */
    record Seen(RawRequest request, boolean whole) {}

    private final ServerSocket server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    private final List<Seen> seen = new ArrayList<>();
    private @Nullable String fault;
    private long accepted;
    private int open;
    private int busy;
    private volatile int manner;

    JudgingBackend() throws IOException {
        daemon(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** How requests are answered from now on: before their body or behind it, at once or in parts, the last one or not. */
    void manner(int number) {
        manner = number % 4;
    }

    synchronized long accepted() {
        return accepted;
    }

    synchronized int open() {
        return open;
    }

    /** Whether every connection waits for a request to begin. */
    synchronized boolean isIdle() {
        return busy == 0;
    }

    /** What has come since the last call. */
    synchronized List<Seen> take() {
        if (fault != null) {
            throw new AssertionError(fault);
        }
        List<Seen> taken = List.copyOf(seen);
        seen.clear();
        return taken;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "judging-backend");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                change(1, 0);
                daemon(() -> serve(socket));
            }
        } catch (IOException closed) {
            // by close()
        }
    }

    private synchronized void change(int opened, int begun) {
        accepted += Math.max(0, opened);
        open += opened;
        busy += begun;
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            in.mark(1);
            while (in.read() >= 0) {
                in.reset();
                change(0, 1);
                try {
                    if (!answer(in, socket)) {
                        return;
                    }
                } finally {
                    change(0, -1);
                }
                in.mark(1);
            }
        } catch (StrictHttp.Violation e) {
            blame(e);
        } catch (IOException gone) {
            // the sidecar has cut it
        } finally {
            change(-1, 0);
        }
    }

    private synchronized void blame(Exception what) {
        fault = what.toString();
    }

    /** Whether another request may follow. */
    private boolean answer(InputStream in, Socket socket) throws IOException {
        int how = manner;
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        RawRequest head = StrictHttp.requestHead(recording(in, octets));
        if (how == 1) {
            socket.getOutputStream().write(Wire.bytes(OK));
        }
        RawRequest whole = whole(new SequenceInputStream(new ByteArrayInputStream(octets.toByteArray()), in));
        note(new Seen(whole == null ? head : whole, whole != null));
        if (whole == null) {
            return false;
        }
        if (how != 1) {
            socket.getOutputStream().write(Wire.bytes(how == 0 ? OK : how == 2 ? CHUNKED : LAST));
        }
        return how != 3;
    }

    private static InputStream recording(InputStream in, ByteArrayOutputStream octets) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                int octet = super.read();
                if (octet >= 0) {
                    octets.write(octet);
                }
                return octet;
            }
        };
    }

    /** With its body; null where it ends too early. */
    private static @Nullable RawRequest whole(InputStream in) throws IOException {
        try {
            return StrictHttp.request(in);
        } catch (EOFException | SocketException cut) {
            return null;
        } catch (ArithmeticException longerThanAnyBody) {
            in.transferTo(OutputStream.nullOutputStream());
            return null;
        }
    }

    private synchronized void note(Seen one) {
        seen.add(one);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
