package io.remora.loadtest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Reads responses with a Content-Length from one connection, one after the other. Not safe for use by several threads. */
final class ResponseReader {
    private final byte[] buffer = new byte[65_536];
    private final InputStream in;

    ResponseReader(InputStream in) {
        this.in = in;
    }

    /** Reads a whole response, and returns its status. */
    int read() throws IOException {
        int filled = 0;
        int headEnd = -1;
        while (headEnd < 0) {
            filled += more(filled, buffer.length - filled);
            headEnd = endOfHead(filled);
        }
        String head = new String(buffer, 0, headEnd, StandardCharsets.ISO_8859_1);
        long left = contentLength(head.toLowerCase(Locale.ROOT)) - (filled - headEnd - 4);
        while (left > 0) {
            left -= more(0, (int) Math.min(left, buffer.length));
        }
        return Integer.parseInt(head, 9, 12, 10);
    }

    private int more(int offset, int length) throws IOException {
        int count = in.read(buffer, offset, length);
        if (count < 0) {
            throw new IOException("closed in the middle of a response");
        }
        return count;
    }

    private int endOfHead(int filled) throws IOException {
        for (int i = 0; i + 3 < filled; i++) {
            if (buffer[i] == '\r' && buffer[i + 1] == '\n' && buffer[i + 2] == '\r' && buffer[i + 3] == '\n') {
                return i;
            }
        }
        if (filled == buffer.length) {
            throw new IOException("a head of more than " + filled + " bytes");
        }
        return -1;
    }

    private static long contentLength(String head) throws IOException {
        int at = head.indexOf("\r\ncontent-length:");
        if (at < 0) {
            throw new IOException("a response without Content-Length");
        }
        int end = head.indexOf("\r\n", at + 2);
        return Long.parseLong(
                head.substring(at + 17, end < 0 ? head.length() : end).trim());
    }
}
