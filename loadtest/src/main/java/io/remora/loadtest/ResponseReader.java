package io.remora.loadtest;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads HTTP/1.1 responses with a Content-Length from a keep-alive connection, one after the other, and throws their
 * bodies away.
 *
 * <p>Owner: the connection's thread. Bounds: a head of 64 KiB; a body of any size. What a response says beyond its
 * own end is an error: nothing was asked.
 */
final class ResponseReader {
    private static final int HEAD_BYTES = 65_536;
    private static final String LENGTH = "\r\ncontent-length:";

    private final InputStream in;
    private final byte[] buffer = new byte[HEAD_BYTES];
    private int filled;
    private boolean closing;
    private String lastHead = "";

    ResponseReader(InputStream in) {
        this.in = in;
    }

    /** Whether the last response announced the connection's end. */
    boolean closing() {
        return closing;
    }

    /** The first such field of the last response, in lower case; empty where it had none. */
    String field(String lowerCaseName) {
        String line = "\r\n" + lowerCaseName + ":";
        int at = lastHead.indexOf(line);
        return at < 0
                ? ""
                : lastHead.substring(at + line.length(), lastHead.indexOf("\r\n", at + 2))
                        .trim();
    }

    /** The status of the next response, interim ones left out, once its last byte has arrived. */
    int read() throws IOException {
        int status;
        do {
            int headBytes = fillHead();
            String head = new String(buffer, 0, headBytes - 2, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
            lastHead = head;
            drop(headBytes);
            status = status(head);
            closing = head.contains("\r\nconnection: close\r\n");
            skip(bodyBytes(status, head));
        } while (status < 200);
        if (filled > 0) {
            throw new IOException("more bytes than the response announced");
        }
        return status;
    }

    /** Reads until the buffer has a whole head, and returns its length with the empty line. */
    private int fillHead() throws IOException {
        int from = 0;
        while (true) {
            for (int i = from; i + 3 < filled; i++) {
                if (buffer[i] == '\r' && buffer[i + 1] == '\n' && buffer[i + 2] == '\r' && buffer[i + 3] == '\n') {
                    return i + 4;
                }
            }
            from = Math.max(0, filled - 3);
            if (filled == buffer.length) {
                throw new IOException("a response's head is longer than " + HEAD_BYTES + " bytes");
            }
            filled += fill(filled);
        }
    }

    private int fill(int offset) throws IOException {
        int count = in.read(buffer, offset, buffer.length - offset);
        if (count < 0) {
            throw new EOFException("closed in the middle of a response");
        }
        return count;
    }

    private void skip(long bytes) throws IOException {
        long missing = bytes;
        while (missing > filled) {
            missing -= filled;
            filled = fill(0);
        }
        drop((int) missing);
    }

    /** What is behind those bytes moves to the buffer's beginning. */
    private void drop(int bytes) {
        filled -= bytes;
        System.arraycopy(buffer, bytes, buffer, 0, filled);
    }

    private static int status(String head) throws IOException {
        if (head.length() < 12 || !head.startsWith("http/1.")) {
            throw new IOException("not an HTTP/1.1 response");
        }
        return (int) number(head.substring(9, 12));
    }

    private static long bodyBytes(int status, String head) throws IOException {
        if (status < 200 || status == 204 || status == 304) {
            return 0;
        }
        int at = head.indexOf(LENGTH);
        if (at < 0) {
            throw new IOException("a response without Content-Length");
        }
        return number(head.substring(at + LENGTH.length(), head.indexOf("\r\n", at + 2)));
    }

    private static long number(String text) throws IOException {
        try {
            return Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            throw new IOException("not a number in a response's head: " + text, e);
        }
    }
}
