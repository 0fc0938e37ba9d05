package io.remora.testkit;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Octets as text and back, one char an octet, and the reading of lines that end in CR LF and nothing else. */
public final class Wire {
    /** Far above any limit of the sidecar, far below what would hurt a test. */
    private static final int MAX_LINE_BYTES = 1 << 21;

    private Wire() {}

    public static byte[] bytes(String octets) {
        return octets.getBytes(StandardCharsets.ISO_8859_1);
    }

    public static String text(byte[] octets) {
        return new String(octets, StandardCharsets.ISO_8859_1);
    }

    /**
     * One line without its CR LF.
     *
     * @throws EOFException at an end within the line
     * @throws StrictHttp.Violation at a CR or an LF that stands alone
     */
    static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(64);
        while (line.size() < MAX_LINE_BYTES) {
            int octet = octet(in, line);
            if (octet == '\n') {
                throw new StrictHttp.Violation("LF without CR after: " + text(line.toByteArray()));
            }
            if (octet == '\r') {
                if (octet(in, line) != '\n') {
                    throw new StrictHttp.Violation("CR without LF after: " + text(line.toByteArray()));
                }
                return text(line.toByteArray());
            }
            line.write(octet);
        }
        throw new StrictHttp.Violation("line without end");
    }

    private static int octet(InputStream in, ByteArrayOutputStream line) throws IOException {
        int octet = in.read();
        if (octet < 0) {
            throw new EOFException("end within a line, after: " + text(line.toByteArray()));
        }
        return octet;
    }

    /** Exactly {@code length} octets, or EOFException. */
    static byte[] exactly(InputStream in, int length) throws IOException {
        byte[] octets = in.readNBytes(length);
        if (octets.length < length) {
            throw new EOFException("end after " + octets.length + " of " + length + " octets");
        }
        return octets;
    }
}
