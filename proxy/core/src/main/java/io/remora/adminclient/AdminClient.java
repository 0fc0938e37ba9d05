package io.remora.adminclient;

import io.remora.config.model.Address;
import io.remora.tls.ClientSockets;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A client of an admin listener, over TCP, TLS or a Unix socket, with a connection for each page.
 *
 * <p>Owner: one thread. Bounds: {@value #TIMEOUT_MS} ms for a connection over TCP and for each read of a page, and
 * {@value #MAX_BYTES} octets of a page. Spec: RFC 9112.
 */
public final class AdminClient {
    private static final int TIMEOUT_MS = 10_000;
    private static final int MAX_BYTES = 32 << 20;
    private static final int READ_BYTES = 8_192;
    private static final int OK = 200;
    private static final int HEX = 16;

    private final Address address;
    private final String serverName;
    /** Null without TLS. */
    private final @Nullable ClientSockets tls;

    private AdminClient(Address address, String serverName, @Nullable ClientSockets tls) {
        this.address = address;
        this.serverName = serverName;
        this.tls = tls;
    }

    /**
     * Returns the client of a listener, and connects to nothing.
     *
     * @throws IOException naming the file of TLS that cannot be used
     */
    public static AdminClient of(AdminTarget target) throws IOException {
        String trust = target.trust();
        return new AdminClient(
                target.address(),
                target.serverName(),
                trust == null ? null : ClientSockets.of(trust, target.chain(), target.key()));
    }

    /**
     * Returns the body of a page.
     *
     * @throws IOException naming the address, where nobody answers, or with another status than 200
     */
    public String get(String page) throws IOException {
        byte[] response;
        try {
            response = call(
                    "GET " + page + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                    AdminClient::read,
                    TIMEOUT_MS);
        } catch (IOException e) {
            throw new IOException("no response of " + address + " for " + page + ": " + e.getMessage(), e);
        }
        // each octet is one character here, so that lengths count octets
        String text = new String(response, StandardCharsets.ISO_8859_1);
        int status = status(text);
        int head = text.indexOf("\r\n\r\n");
        if (status != OK || head < 0) {
            throw new PageException(
                    address + " answers " + page + " with "
                            + (status < 0 ? "no HTTP; does the listener expect TLS?" : "status " + status),
                    status);
        }
        String body = text.substring(head + 4);
        boolean chunked = text.substring(0, head).toLowerCase(Locale.ROOT).contains("\r\ntransfer-encoding: chunked");
        return new String(
                (chunked ? joined(body) : body).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** Reader of a response while it arrives. */
    public interface Answer {
        /**
         * Reads the response.
         *
         * @param body ends with the connection
         * @return what {@link #post} returns
         * @throws IOException if the body is not whole
         */
        boolean read(int status, InputStream body) throws IOException;
    }

    /**
     * Posts to a page without content, and reads the response while it arrives.
     *
     * @param silenceMs time in which the next octets have to arrive
     * @return what the reader returns
     * @throws IOException naming the address, if there is no response, or the problem of the reader
     */
    public boolean post(String page, int silenceMs, Answer answer) throws IOException {
        boolean[] begun = {false};
        try {
            return call(
                    "POST " + page + " HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
                    octets -> {
                        InputStream in = new BufferedInputStream(octets);
                        int status = status(line(in));
                        if (status < 0) {
                            throw new PageException("no HTTP response; does the listener require TLS?", status);
                        }
                        while (!line(in).isEmpty()) {
                            // a body that ends with the connection needs none of the fields
                        }
                        begun[0] = true;
                        return answer.read(status, in);
                    },
                    silenceMs);
        } catch (IOException e) {
            throw begun[0] ? e : new IOException(address + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns a line of a response without its end.
     *
     * @throws IOException if the response ends within the line, or the line has more than 8 KiB
     */
    public static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int octet = in.read(); octet != '\n'; octet = in.read()) {
            if (octet < 0) {
                throw new IOException("the response is not whole");
            }
            if (line.length() == READ_BYTES) {
                throw new IOException("a line of the response is too long");
            }
            line.append((char) octet);
        }
        int end = line.length() > 0 && line.charAt(line.length() - 1) == '\r' ? line.length() - 1 : line.length();
        return line.substring(0, end);
    }

    private static int status(String text) {
        if (!text.startsWith("HTTP/1.1 ") || text.length() < 12) {
            return -1;
        }
        int status = 0;
        for (int i = 9; i < 12; i++) {
            char c = text.charAt(i);
            status = c < '0' || c > '9' ? -1_000 : status * 10 + c - '0';
        }
        return Math.max(-1, status);
    }

    private static String joined(String chunks) throws IOException {
        StringBuilder body = new StringBuilder(chunks.length());
        int at = 0;
        while (true) {
            int end = chunks.indexOf("\r\n", at);
            int size = end < 0 ? -1 : Integer.parseInt(chunks, at, end, HEX);
            if (size == 0) {
                return body.toString();
            }
            if (size < 0 || end + 4 + size > chunks.length()) {
                throw new IOException("the response ended early");
            }
            body.append(chunks, end + 2, end + 2 + size);
            at = end + 2 + size + 2;
        }
    }

    /** Use of a response. */
    private interface Reading<T> {
        T of(InputStream in) throws IOException;
    }

    private <T> T call(String request, Reading<T> reading, int silenceMs) throws IOException {
        byte[] octets = request.getBytes(StandardCharsets.US_ASCII);
        if (address.isUnix()) {
            try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                channel.connect(UnixDomainSocketAddress.of(address.host()));
                channel.write(ByteBuffer.wrap(octets));
                try (SocketChannelInput in = new SocketChannelInput(channel, silenceMs)) {
                    return reading.of(in);
                }
            }
        }
        InetSocketAddress at = new InetSocketAddress(address.host(), address.port());
        if (at.isUnresolved()) {
            throw new IOException("no such host");
        }
        try (Socket socket = connect(at)) {
            socket.setSoTimeout(silenceMs);
            OutputStream out = socket.getOutputStream();
            out.write(octets);
            out.flush();
            return reading.of(socket.getInputStream());
        }
    }

    private Socket connect(InetSocketAddress at) throws IOException {
        if (tls != null) {
            return tls.connect(at, serverName, TIMEOUT_MS);
        }
        Socket socket = new Socket();
        boolean connected = false;
        try {
            socket.connect(at, TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            connected = true;
            return socket;
        } finally {
            if (!connected) {
                socket.close();
            }
        }
    }

    private static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] part = new byte[READ_BYTES];
        int count;
        while ((count = in.read(part)) > 0) {
            all.write(part, 0, count);
            if (all.size() > MAX_BYTES) {
                throw new IOException("more than " + MAX_BYTES + " bytes");
            }
        }
        return all.toByteArray();
    }

    /** A response other than a page. */
    public static final class PageException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int status;

        PageException(String message, int status) {
            super(message);
            this.status = status;
        }

        /** Returns the status of the response, negative where it was no HTTP. */
        public int status() {
            return status;
        }
    }
}
