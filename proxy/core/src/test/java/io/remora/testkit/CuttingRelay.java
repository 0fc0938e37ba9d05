package io.remora.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Somebody between the sidecar and a server who ends the connection when he likes: passes on so many octets of what the
 * server sends, and then an end as if there were no more.
 */
public final class CuttingRelay implements AutoCloseable {
    private static final int ALERT = 21;

    private final ServerSocket listening;
    private final int serverPort;
    private final long octets;
    /** Whether the first record of an alert, by which TLS 1.2 shows its end, is taken for the place to cut. */
    private final boolean hidesAlerts;

    public CuttingRelay(int serverPort, long octets, boolean hidesAlerts) {
        this.serverPort = serverPort;
        this.octets = octets;
        this.hidesAlerts = hidesAlerts;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        new Thread(this::accept, "relay").start();
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                new Thread(() -> copy(client, server), "relay to server").start();
                new Thread(() -> cut(server, client), "relay to client").start();
            } catch (IOException e) {
                // closed, or a server that is not there
            }
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // as good as an end
        }
    }

    private void cut(Socket server, Socket client) {
        try (server;
                client) {
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            long left = octets;
            byte[] header = in.readNBytes(5);
            while (header.length == 5 && left > 0) {
                byte[] record = in.readNBytes((header[3] & 0xff) << 8 | header[4] & 0xff);
                if (header[0] == ALERT && hidesAlerts) {
                    break;
                }
                out.write(header, 0, (int) Math.min(left, header.length));
                left -= Math.min(left, header.length);
                out.write(record, 0, (int) Math.min(left, record.length));
                left -= Math.min(left, record.length);
                header = in.readNBytes(5);
            }
            client.shutdownOutput();
            // until the sidecar has ended too: a close on its octets would be a reset
            client.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // the other side went first
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
