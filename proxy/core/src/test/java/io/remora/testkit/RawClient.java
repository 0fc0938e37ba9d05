package io.remora.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** A client that sends octets as told and reads responses strictly. One thread at a time; every wait has an end. */
public final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    /**
     * The usual source of connections. A socket is not bound to it: a bound one needs a port that is in no other's use, in TIME_WAIT
     * neither, and a crowd of them would use up all of the machine's for a minute.
     */
    public static final String LOOPBACK = "127.0.0.1";

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    public static RawClient connect(InetSocketAddress address) {
        return connect(address, 0);
    }

    /**
     * @param receiveBufferBytes what the kernel may hold for a client that does not read; 0 for the kernel's own
     */
    public static RawClient connect(InetSocketAddress address, int receiveBufferBytes) {
        try {
            Socket socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(Await.TIMEOUT_MS);
            if (receiveBufferBytes > 0) {
                socket.setReceiveBufferSize(receiveBufferBytes);
            }
            socket.connect(address, Await.TIMEOUT_MS);
            return new RawClient(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From another address of this machine than the usual one. */
    public static RawClient connectFrom(String source, InetSocketAddress address) {
        try {
            Socket socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(Await.TIMEOUT_MS);
            if (!source.equals(LOOPBACK)) {
                socket.bind(new InetSocketAddress(source, 0));
            }
            socket.connect(address, Await.TIMEOUT_MS);
            return new RawClient(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public RawClient send(String octets) throws IOException {
        return send(Wire.bytes(octets));
    }

    public RawClient send(byte[] octets) throws IOException {
        out.write(octets);
        return this;
    }

    /** Sends what the peer may refuse to read to its end; true if all of it went out. */
    public boolean trySend(byte[] octets) {
        try {
            out.write(octets);
            return true;
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    /** In two writes, with {@code between} in the middle. */
    public RawClient sendSplit(byte[] octets, int at, Runnable between) throws IOException {
        out.write(octets, 0, at);
        between.run();
        out.write(octets, at, octets.length - at);
        return this;
    }

    /** One octet a packet, as far as the peer reads. */
    public RawClient sendOctetByOctet(byte[] octets) throws IOException {
        for (byte octet : octets) {
            out.write(octet);
        }
        return this;
    }

    public RawClient shutdownOutput() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /** The same on a connection that the peer may have ended meanwhile. */
    public RawClient shutdownOutputQuietly() {
        try {
            socket.shutdownOutput();
        } catch (IOException ended) {
            // Then there is nothing to shut down.
        }
        return this;
    }

    /** Ends the connection with RST. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** The final response to a method other than HEAD, with its interim responses. */
    public RawResponse response() throws IOException {
        return response("GET");
    }

    public RawResponse response(String method) throws IOException {
        return StrictHttp.response(in, method);
    }

    /** A status line and its fields, interim or final, and nothing of the body. */
    public RawResponse responseHead() throws IOException {
        return StrictHttp.responseHead(in);
    }

    /** Exactly so many octets. */
    public byte[] read(int length) throws IOException {
        return Wire.exactly(in, length);
    }

    /** The octets as they come, for what is too large to be held. */
    public InputStream input() {
        return in;
    }

    /** What comes until the peer ends the connection, with FIN or RST. */
    public byte[] readToEnd() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (SocketException reset) {
            // As much an end as FIN is.
        }
        return all.toByteArray();
    }

    /** Whether the peer ends the connection without sending another octet. */
    public boolean closedByPeer() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketTimeoutException stillOpen) {
            return false;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** For waits shorter or longer than the usual. */
    public RawClient readTimeoutMs(int timeoutMs) throws IOException {
        socket.setSoTimeout(timeoutMs);
        return this;
    }

    public Socket socket() {
        return socket;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
