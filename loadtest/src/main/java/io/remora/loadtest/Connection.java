package io.remora.loadtest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A keep-alive HTTP/1.1 connection to a port of this machine, for one request after the other.
 *
 * <p>Owner: one thread. Opened by the first request, and by the next after it broke or the server announced its end.
 */
final class Connection implements Requester {
    static final int TIMEOUT_MS = 10_000;

    private final @Nullable SSLSocketFactory tls;
    private final InetSocketAddress address;
    private final Http1Requests requests;
    private @Nullable Open open;
    private @Nullable ResponseReader last;

    private record Open(Socket socket, ResponseReader responses) {}

    Connection(int port, String path) {
        this(port, path, null);
    }

    /**
     * @param tls of HTTPS, in which the server has to be {@code localhost}; null for plain HTTP
     */
    Connection(int port, String path, @Nullable SSLSocketFactory tls) {
        this(port, gets(path), tls);
    }

    /** Makes a connection that sends the request of each id. */
    Connection(int port, Http1Requests requests, @Nullable SSLSocketFactory tls) {
        this(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), requests, tls);
    }

    Connection(InetSocketAddress address, String path, @Nullable SSLSocketFactory tls) {
        this(address, gets(path), tls);
    }

    private Connection(InetSocketAddress address, Http1Requests requests, @Nullable SSLSocketFactory tls) {
        this.tls = tls;
        this.address = address;
        this.requests = requests;
    }

    /** GETs of a path that carry their ids. */
    static Http1Requests gets(String path) {
        String head =
                "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: fixed-rate\r\nAccept: */*\r\nX-Probe: ";
        return id -> (head + id + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public int get(String id) throws IOException {
        try {
            Open current = open == null ? open() : open;
            current.socket().getOutputStream().write(requests.octets(id));
            last = current.responses();
            int status = current.responses().read();
            if (current.responses().closing()) {
                close();
            }
            return status;
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    @Override
    public boolean isGood(String id, int status) {
        return requests.good(id).has(status);
    }

    /** A field of the last answer, in lower case; empty where it had none. */
    String field(String lowerCaseName) {
        return last == null ? "" : last.field(lowerCaseName);
    }

    private Open open() throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MS);
            socket.connect(address, TIMEOUT_MS);
            Socket used = tls == null ? socket : secure(socket, tls, null);
            Open opened = new Open(used, new ResponseReader(used.getInputStream()));
            open = opened;
            return opened;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Secures a connected socket, for a protocol that the server has to choose by ALPN if one is named. */
    static Socket secure(Socket socket, SSLSocketFactory tls, @Nullable String protocol) throws IOException {
        SSLSocket secured = (SSLSocket) tls.createSocket(socket, "localhost", socket.getPort(), true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (protocol != null) {
            parameters.setApplicationProtocols(new String[] {protocol});
        }
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        if (protocol != null && !protocol.equals(secured.getApplicationProtocol())) {
            throw new IOException("the server did not choose " + protocol);
        }
        return secured;
    }

    @Override
    public void close() throws IOException {
        Open closing = open;
        open = null;
        if (closing != null) {
            closing.socket().close();
        }
    }
}
