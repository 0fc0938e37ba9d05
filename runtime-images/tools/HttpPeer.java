import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One end of an HTTP/1.1 connection, which writes bytes as they are given and reads message by message. One thread at a time. */
final class HttpPeer implements Closeable {
    private static final int READ_TIMEOUT_MS = 20_000;

    private final Socket socket;
    private final InputStream in;

    HttpPeer(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new java.io.BufferedInputStream(socket.getInputStream());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_TIMEOUT_MS);
    }

    static HttpPeer connect(int port) throws IOException {
        return new HttpPeer(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    void write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** A head with its empty line. */
    String readHead() throws IOException {
        StringBuilder head = new StringBuilder();
        String line;
        do {
            line = readLine();
            head.append(line).append('\n');
        } while (!line.isEmpty());
        return head.toString();
    }

    /** The bytes of the body that a head announces; none where it announces none. */
    int skipBody(String head) throws IOException {
        String lower = head.toLowerCase(Locale.ROOT);
        int length = lower.indexOf("\ncontent-length: ");
        if (length >= 0) {
            return skip(Integer.parseInt(lower.substring(length + 17, lower.indexOf('\n', length + 1))));
        }
        int bytes = 0;
        if (lower.contains("\ntransfer-encoding: chunked")) {
            for (int size = readChunkSize(); size > 0; size = readChunkSize()) {
                bytes += skip(size);
                readLine();
            }
            readHead();
        }
        return bytes;
    }

    private int readChunkSize() throws IOException {
        return Integer.parseInt(readLine(), 16);
    }

    int skip(int bytes) throws IOException {
        if (in.readNBytes(bytes).length < bytes) {
            throw new EOFException("the connection ended within a body");
        }
        return bytes;
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended after \"" + line + "\"");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
