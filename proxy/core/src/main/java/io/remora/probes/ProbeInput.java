package io.remora.probes;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/**
 * The octets that an application sends, read within the time of its probe.
 *
 * <p>Owner: the run's thread. Bounds: a buffer of 4 KiB.
 */
final class ProbeInput {
    static final int END = -1;

    private final ProbeCall call;
    private final Socket socket;
    private final InputStream in;
    private final byte[] buffer = new byte[4_096];
    private int at;
    private int end;

    ProbeInput(ProbeCall call, Socket socket) throws IOException {
        this.call = call;
        this.socket = socket;
        this.in = socket.getInputStream();
    }

    /** The next octet, {@link #END} at the end. */
    int read() throws IOException {
        if (at == end) {
            socket.setSoTimeout(call.leftMs());
            end = in.read(buffer, 0, buffer.length);
            at = 0;
            if (end <= 0) {
                end = 0;
                return END;
            }
        }
        return buffer[at++] & 0xff;
    }

    /** The next octet, without which the response is not whole. */
    int next() throws IOException {
        int octet = read();
        if (octet == END) {
            throw new EOFException("the connection ended within the response");
        }
        return octet;
    }

    /** A line of at most {@code most} octets, without its end. */
    String line(int most) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int octet = next(); octet != '\n'; octet = next()) {
            if (line.length() == most) {
                throw new IOException("a line of the response is longer than " + most + " octets");
            }
            line.append((char) octet);
        }
        int length = line.length();
        if (length > 0 && line.charAt(length - 1) == '\r') {
            line.setLength(length - 1);
        }
        return line.toString();
    }
}
