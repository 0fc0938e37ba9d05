package io.remora.finagle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** What connects to it is connected to a server, unless it is cut. */
final class Cable implements AutoCloseable {
    private final ServerSocket listening;
    private final int serverPort;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger answersLeft = new AtomicInteger(Integer.MAX_VALUE);
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
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
            refused.incrementAndGet();
            client.close();
            return;
        }
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            sockets.add(server);
            connected.incrementAndGet();
            daemon(() -> pass(client, server, false));
            daemon(() -> pass(server, client, true));
        } catch (IOException nobodyThere) {
            client.close();
        }
    }

    private void pass(Socket from, Socket to, boolean answers) {
        byte[] octets = new byte[1 << 16];
        try (from;
                to) {
            for (int read = from.getInputStream().read(octets);
                    read >= 0;
                    read = from.getInputStream().read(octets)) {
                if (!answers || answersLeft.getAndDecrement() > 0) {
                    to.getOutputStream().write(octets, 0, read);
                }
            }
        } catch (IOException e) {
            // one of the two went
        }
    }

    /** From now on so many answers pass, and what the server says behind them is lost; what it is asked still reaches it. */
    void answers(int most) {
        answersLeft.set(most);
    }

    /** How often somebody has been connected to the server. */
    int connected() {
        return connected.get();
    }

    /** How often somebody has tried to while it was cut. */
    int refused() {
        return refused.get();
    }

    /** Whatever goes through it ends, and nothing comes through it any more. */
    void cut() throws IOException {
        cut = true;
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    void mend() {
        answersLeft.set(Integer.MAX_VALUE);
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
