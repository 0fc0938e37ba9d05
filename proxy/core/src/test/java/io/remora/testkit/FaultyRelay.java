package io.remora.testkit;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Somebody between a client and a server of TLS who does to one direction what networks and attackers do: passes its octets one by
 * one, stops passing them at a place, or resets both connections there. The other direction passes.
 */
public final class FaultyRelay implements AutoCloseable {
    /** What becomes of the direction at its place. */
    public enum Fault {
        /** Each octet leaves by itself; there is no place. */
        DRIBBLE,
        STOP,
        RESET
    }

    private final ServerSocket listening;
    private final int serverPort;
    private final boolean ofServer;
    private final Fault fault;
    private final int records;
    private final int octets;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean struck;

    /**
     * @param ofServer whether the direction is the one from the server to the client
     * @param records whole ones that pass before the place
     * @param octets of the record behind these that pass too
     */
    public FaultyRelay(int serverPort, boolean ofServer, Fault fault, int records, int octets) {
        this.serverPort = serverPort;
        this.ofServer = ofServer;
        this.fault = fault;
        this.records = records;
        this.octets = octets;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** Whether the place was reached. */
    public boolean struck() {
        return struck;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "faulty relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                sockets.addAll(List.of(client, server));
                daemon(() -> pass(ofServer ? client : server, ofServer ? server : client));
                daemon(() -> strike(ofServer ? server : client, ofServer ? client : server));
            } catch (IOException e) {
                // closed, or a server that is not there
            }
        }
    }

    private static void pass(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // one of the two went
        }
    }

    private void strike(Socket from, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            if (fault == Fault.DRIBBLE) {
                struck = true;
                for (int octet = from.getInputStream().read();
                        octet >= 0;
                        octet = from.getInputStream().read()) {
                    out.write(octet);
                }
                to.shutdownOutput();
                return;
            }
            DataInputStream in = new DataInputStream(from.getInputStream());
            for (int i = 0; i < records; i++) {
                out.write(record(in));
            }
            byte[] last = octets == 0 ? new byte[0] : record(in);
            out.write(last, 0, Math.min(octets, last.length));
            struck = true;
            if (fault == Fault.RESET) {
                reset(to);
                reset(from);
            }
        } catch (IOException e) {
            // one of the two went
        }
    }

    private static byte[] record(DataInputStream in) throws IOException {
        byte[] header = in.readNBytes(5);
        if (header.length < 5) {
            throw new EOFException();
        }
        byte[] record = Arrays.copyOf(header, 5 + ((header[3] & 0xff) << 8 | header[4] & 0xff));
        in.readFully(record, 5, record.length - 5);
        return record;
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() {
        try {
            listening.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
