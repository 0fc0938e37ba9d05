package io.remora.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A port whose accept queue is full, so that the kernel drops the SYN of whoever comes next. One thread. */
public final class FullBacklog implements AutoCloseable {
    private static final int ENOUGH = 16;
    private static final int FILL_MS = 50;
    private static final int ACCEPT_MS = 20;

    private final ServerSocket server;
    private final List<SocketChannel> fillers = new ArrayList<>();
    private final List<Socket> accepted = new ArrayList<>();
    private @Nullable Socket late;

    private FullBacklog(ServerSocket server) {
        this.server = server;
    }

    public static FullBacklog open() throws IOException {
        FullBacklog full = new FullBacklog(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        for (int i = 0; i < ENOUGH; i++) {
            SocketChannel filler = SocketChannel.open();
            filler.configureBlocking(false);
            filler.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), full.port()));
            full.fillers.add(filler);
            if (!Await.within(FILL_MS, () -> finished(filler))) {
                return full;
            }
        }
        throw new AssertionError("the kernel queues more than it was asked to");
    }

    private static boolean finished(SocketChannel filler) {
        try {
            return filler.finishConnect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Accepts and closes who is in the queue, so that the next SYN is answered. */
    public void drain() throws IOException {
        for (SocketChannel filler : fillers) {
            if (filler.isConnected()) {
                server.accept().close();
            }
            filler.close();
        }
    }

    /** The head of the first connection that sends one. */
    public String readHead() throws IOException {
        server.setSoTimeout(ACCEPT_MS);
        Await.until("a request", () -> accept() && sending() != null);
        late = sending();
        late().setSoTimeout(Await.TIMEOUT_MS);
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!Wire.text(head.toByteArray()).endsWith("\r\n\r\n")) {
            head.write(late().getInputStream().read());
        }
        return Wire.text(head.toByteArray());
    }

    private boolean accept() {
        try {
            accepted.add(server.accept());
        } catch (SocketTimeoutException none) {
            // One that is here already may send by now.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return true;
    }

    private @Nullable Socket sending() {
        try {
            for (Socket socket : accepted) {
                if (socket.getInputStream().available() > 0) {
                    return socket;
                }
            }
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void readBody(int length) throws IOException {
        if (late().getInputStream().readNBytes(length).length < length) {
            throw new AssertionError("body cut");
        }
    }

    public void write(String octets) throws IOException {
        late().getOutputStream().write(Wire.bytes(octets));
    }

    private Socket late() {
        if (late == null) {
            throw new IllegalStateException("no connection yet");
        }
        return late;
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel filler : fillers) {
            filler.close();
        }
        for (Socket socket : accepted) {
            socket.close();
        }
        server.close();
    }
}
