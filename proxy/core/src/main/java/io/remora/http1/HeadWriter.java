package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.transport.SharedBuffer;

/**
 * Writes the heads of messages, each into one buffer of exactly its size.
 *
 * <p>Owner: one event loop. Cost: a head is put together in an array that is used again and again, and copied into the
 * buffer at once: pieces are cheaper to copy between arrays.
 *
 * <p>Spec: RFC 9112 sections 3, 4 and 6.1.
 */
public final class HeadWriter {
    private static final int USUAL_OCTETS = 1_024;
    /** Size above which an array for a head is not kept. */
    private static final int KEPT_OCTETS = 16 * 1_024;

    private static final byte[] REQUEST_VERSION = Octets.of(" HTTP/1.1\r\n").array;
    private static final byte[] RESPONSE_VERSION = Octets.of("HTTP/1.1 ").array;
    private static final byte[] CHUNKED = Octets.of("Transfer-Encoding: chunked\r\n").array;
    private static final byte[] CLOSE = Octets.of("Connection: close\r\n").array;
    private static final int STATUS_DIGITS = 3;
    private static final int LINE_END = 2;

    private byte[] octets = new byte[USUAL_OCTETS];
    private int end;

    /**
     * Writes a request's head.
     *
     * @param fields without Transfer-Encoding
     * @param chunked whether the body is
     */
    public ByteBuf request(ByteBufAllocator allocator, String method, Octets target, Fields fields, boolean chunked) {
        begin(method.length() + 1 + target.length() + REQUEST_VERSION.length, fields);
        for (int i = 0; i < method.length(); i++) {
            octets[end++] = (byte) method.charAt(i);
        }
        octets[end++] = ' ';
        put(target.array, target.start, target.length());
        put(REQUEST_VERSION);
        end = fields.writeTo(octets, end);
        if (chunked) {
            put(CHUNKED);
        }
        return finish(allocator, 0);
    }

    /**
     * Writes a response's head.
     *
     * @param status of three digits
     * @param fields without Transfer-Encoding and Connection
     * @param chunked whether the body is
     * @param close whether the connection ends with this response
     * @param room for content behind the head, in octets
     */
    ByteBuf response(
            ByteBufAllocator allocator,
            int status,
            Octets reason,
            Fields fields,
            boolean chunked,
            boolean close,
            int room) {
        begin(RESPONSE_VERSION.length + STATUS_DIGITS + 1 + reason.length() + LINE_END, fields);
        put(RESPONSE_VERSION);
        octets[end++] = (byte) ('0' + status / 100);
        octets[end++] = (byte) ('0' + status / 10 % 10);
        octets[end++] = (byte) ('0' + status % 10);
        octets[end++] = ' ';
        put(reason.array, reason.start, reason.length());
        endLine();
        end = fields.writeTo(octets, end);
        if (chunked) {
            put(CHUNKED);
        }
        if (close) {
            put(CLOSE);
        }
        return finish(allocator, room);
    }

    private void begin(int startLine, Fields fields) {
        int room = startLine + fields.length() + CHUNKED.length + CLOSE.length + LINE_END;
        if (room > octets.length) {
            octets = new byte[room];
        }
        end = 0;
    }

    private void put(byte[] array) {
        put(array, 0, array.length);
    }

    private void put(byte[] array, int from, int length) {
        System.arraycopy(array, from, octets, end, length);
        end += length;
    }

    private void endLine() {
        octets[end++] = '\r';
        octets[end++] = '\n';
    }

    private ByteBuf finish(ByteBufAllocator allocator, int room) {
        endLine();
        ByteBuf head = SharedBuffer.WRITE.take(allocator, end + room, end + room);
        head.writeBytes(octets, 0, end);
        if (octets.length > KEPT_OCTETS) {
            octets = new byte[USUAL_OCTETS];
        }
        return head;
    }
}
