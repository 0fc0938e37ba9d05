package io.remora.loadtest;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The frames of a client's connection of HTTP/2 (RFC 9113, section 4.1); a header section of several frames is read as one.
 *
 * <p>Owner: whoever receives reads; writes must not come at the same time.
 */
final class Http2Frames {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int ACK = 0x1;
    static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;
    static final int HEADER_TABLE_SIZE = 1;
    static final int MAX_CONCURRENT_STREAMS = 3;
    static final int INITIAL_WINDOW_SIZE = 4;
    /** Of a payload. */
    static final int MOST = 16_384;

    private static final int PUSH_PROMISE = 5;
    private static final int CONTINUATION = 9;
    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;
    private static final int HEAD = 9;
    private static final int ENABLE_PUSH = 2;

    private final DataInputStream in;
    private final OutputStream out;

    static final class Frame {
        private final int type;
        private final int flags;
        private final int stream;
        private final byte[] payload;

        Frame(int type, int flags, int stream, byte[] payload) {
            this.type = type;
            this.flags = flags;
            this.stream = stream;
            this.payload = payload;
        }

        int type() {
            return type;
        }

        int flags() {
            return flags;
        }

        int stream() {
            return stream;
        }

        byte[] payload() {
            return payload;
        }

        boolean has(int flag) {
            return (flags & flag) != 0;
        }

        boolean endsStream() {
            return (type == DATA || type == HEADERS) && has(END_STREAM);
        }

        int number(int offset) {
            return ByteBuffer.wrap(payload).getInt(offset) & 0x7fff_ffff;
        }

        /** Without padding and priority. */
        byte[] content() {
            int from = (has(PADDED) ? 1 : 0) + (has(PRIORITY) ? 5 : 0);
            int padding = has(PADDED) ? payload[0] & 0xff : 0;
            byte[] content = new byte[payload.length - from - padding];
            System.arraycopy(payload, from, content, 0, content.length);
            return content;
        }
    }

    Http2Frames(InputStream in, OutputStream out) {
        this.in = new DataInputStream(new BufferedInputStream(in, 2 * MOST));
        this.out = out;
    }

    /** What a client begins with: no pushes, and a wider window for the connection. */
    void preface(byte[] preface, int moreWindow) throws IOException {
        ByteBuffer settings =
                ByteBuffer.allocate(6).putShort((short) ENABLE_PUSH).putInt(0);
        ByteArrayOutputStream first = new ByteArrayOutputStream();
        first.write(preface);
        first.write(frame(SETTINGS, 0, 0, settings.array()));
        first.write(frame(WINDOW_UPDATE, 0, 0, number(moreWindow)));
        out.write(first.toByteArray());
    }

    void write(int type, int flags, int stream, byte[] payload) throws IOException {
        out.write(frame(type, flags, stream, payload));
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(HEAD + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** Waits for a frame; for as long as it takes where nothing is owed. */
    Frame read(boolean owed) throws IOException {
        Frame frame = one(owed);
        if (frame.type() == PUSH_PROMISE) {
            throw new IOException("the server pushes");
        }
        if (frame.type() != HEADERS || frame.has(END_HEADERS)) {
            return frame;
        }
        ByteArrayOutputStream section = new ByteArrayOutputStream();
        section.write(frame.content());
        Frame more;
        do {
            more = one(true);
            if (more.type() != CONTINUATION) {
                throw new IOException("a header section without its end");
            }
            section.write(more.payload());
        } while (!more.has(END_HEADERS));
        return new Frame(HEADERS, frame.flags() & END_STREAM | END_HEADERS, frame.stream(), section.toByteArray());
    }

    private Frame one(boolean owed) throws IOException {
        int first = first(owed);
        int length = first << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt() & 0x7fff_ffff;
        byte[] payload = new byte[length];
        in.readFully(payload);
        return new Frame(type, flags, stream, payload);
    }

    private int first(boolean owed) throws IOException {
        while (true) {
            try {
                int first = in.read();
                if (first < 0) {
                    throw new EOFException("the server has closed the connection");
                }
                return first;
            } catch (SocketTimeoutException e) {
                if (owed) {
                    throw e;
                }
            }
        }
    }

    static byte[] number(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
