package io.remora.finagle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What connects to it is connected to a server, unless it is cut. */
final class Cable implements AutoCloseable {
    private final ServerSocket listening;
    private final int serverPort;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean cut;

    Cable(int serverPort) {
        this.serverPort = serverPort;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "cable");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                connect(listening.accept());
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void connect(Socket client) throws IOException {
        sockets.add(client);
        if (cut) {
            client.close();
            return;
        }
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            sockets.add(server);
            daemon(() -> pass(client, server));
            daemon(() -> pass(server, client));
        } catch (IOException nobodyThere) {
            client.close();
        }
    }

    private static void pass(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // one of the two went
        }
    }

    /** Whatever goes through it ends, and nothing comes through it any more. */
    void cut() throws IOException {
        cut = true;
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    void mend() {
        cut = false;
    }

    @Override
    public void close() {
        try {
            listening.close();
            cut();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
