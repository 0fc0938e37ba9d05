package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** A port at which connects get no answer: its queue is full, and nobody accepts. */
public final class DeafPort implements AutoCloseable {
    private static final int MOST = 64;
    private static final int WAIT_MS = 200;

    private final ServerSocket server;
    private final List<Socket> queued = new ArrayList<>();

    public DeafPort(int port) {
        try {
            server = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
            fill();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fill() throws IOException {
        for (int i = 0; i < MOST; i++) {
            Socket socket = new Socket();
            queued.add(socket);
            try {
                socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), WAIT_MS);
            } catch (SocketTimeoutException full) {
                return;
            }
        }
        throw new AssertionError("the queue is never full");
    }

    public int port() {
        return server.getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : queued) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
