package io.remora.loadtest;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A server whose behaviour on each accepted connection a test decides; connections are served one after the other. */
final class StubServer implements AutoCloseable {
    static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    /** Serves a connection, whose number counts from 1, until it returns. */
    interface Behaviour {
        void serve(int number, Talk talk) throws IOException;
    }

    /** The server's side of a connection. */
    record Talk(Socket socket) {
        /** False at the end of the connection. */
        boolean awaitRequest() throws IOException {
            InputStream in = socket.getInputStream();
            int matched = 0;
            while (matched < 4) {
                int next = in.read();
                if (next < 0) {
                    return false;
                }
                matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
            }
            return true;
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    private final ServerSocket listener;

    StubServer(Behaviour behaviour) throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> accept(behaviour), "stub server");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept(Behaviour behaviour) {
        for (int number = 1; !listener.isClosed(); number++) {
            try (Socket socket = listener.accept()) {
                behaviour.serve(number, new Talk(socket));
            } catch (IOException e) {
                // The client left, or the test is over; its assertions say what is wrong.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
