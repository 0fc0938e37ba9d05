package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The server's end of a connection of HTTP/2: frames in and out, field sections without compression. */
public final class Http2Peer implements AutoCloseable {
    /** The number of a connection's first stream; 1 is what an upgraded request would have. */
    public static final int FIRST = 3;

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PUSH_PROMISE = 5;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;

    public static final int HEADER_TABLE_SIZE = 1;
    public static final int MAX_CONCURRENT_STREAMS = 3;
    public static final int INITIAL_WINDOW_SIZE = 4;
    public static final int MAX_HEADER_LIST_SIZE = 6;

    public static final int PROTOCOL_ERROR = 1;
    public static final int INTERNAL_ERROR = 2;
    public static final int FLOW_CONTROL_ERROR = 3;
    public static final int FRAME_SIZE_ERROR = 6;
    public static final int REFUSED_STREAM = 7;
    public static final int CANCEL = 8;
    public static final int COMPRESSION_ERROR = 9;
    public static final int ENHANCE_YOUR_CALM = 11;

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private final Socket socket;
    /** Frames that have come and that nobody has read yet. */
    private final Deque<Frame> aside = new ArrayDeque<>();

    private final DataInputStream in;
    private final OutputStream out;
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, 1 << 20);

    Http2Peer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new DataInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /** As it was received. */
    public record Frame(int type, int flags, int stream, byte[] payload) {
        public boolean isLast() {
            return (flags & END_STREAM) != 0;
        }

        /** Of RST_STREAM and, behind the last stream, of GOAWAY; the increment of WINDOW_UPDATE. */
        public int number(int at) {
            int value = 0;
            for (int i = at; i < at + 4; i++) {
                value = value << 8 | payload[i] & 0xff;
            }
            return value;
        }
    }

    /** The fields of a HEADERS frame, in order, as {@code name: value}. */
    public record Head(int stream, List<String> lines, boolean isLast) {
        /** The value of the first, null for none. */
        public @Nullable String value(String name) {
            for (String line : lines) {
                if (line.startsWith(name + ": ")) {
                    return line.substring(name.length() + 2);
                }
            }
            return null;
        }
    }

    // ---- the preface

    /** Reads the client's preface, and answers it with settings of these identifiers and values by turns. */
    public Http2Peer begin(int... settings) throws IOException {
        byte[] preface = in.readNBytes(PREFACE.length());
        if (!new String(preface, StandardCharsets.US_ASCII).equals(PREFACE)) {
            throw new AssertionError("no preface: " + new String(preface, StandardCharsets.ISO_8859_1));
        }
        return settings(settings);
    }

    public Http2Peer settings(int... settings) throws IOException {
        byte[] payload = new byte[settings.length / 2 * 6];
        for (int i = 0, at = 0; i < settings.length; i += 2) {
            payload[at++] = 0;
            payload[at++] = (byte) settings[i];
            at = put(payload, at, settings[i + 1]);
        }
        return frame(SETTINGS, 0, 0, payload);
    }

    // ---- what comes

    /** Null at the end of the connection. */
    public @Nullable Frame read() throws IOException {
        return aside.isEmpty() ? receive() : aside.poll();
    }

    private @Nullable Frame receive() throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int length = first << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        return new Frame(type, flags, stream, in.readNBytes(length));
    }

    /** The next of this type, past all others. */
    public Frame next(int type) throws IOException {
        Frame frame = read();
        while (frame != null && frame.type() != type) {
            frame = read();
        }
        if (frame == null) {
            throw new AssertionError("closed before a frame of type " + type);
        }
        return frame;
    }

    /** The next request, or trailers, past whatever else comes. */
    public Head head() throws IOException {
        return head(next(HEADERS));
    }

    /** The same, or null where the connection has ended before it. */
    public @Nullable Head headOrEnd() throws IOException {
        Frame frame = read();
        while (frame != null && frame.type() != HEADERS) {
            frame = read();
        }
        return frame == null ? null : head(frame);
    }

    /** The fields of a HEADERS frame that has just been read, and of what continues it. */
    public Head head(Frame frame) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.writeBytes(frame.payload());
        int flags = frame.flags();
        while ((flags & END_HEADERS) == 0) {
            Frame more = next(CONTINUATION);
            block.writeBytes(more.payload());
            flags = more.flags();
        }
        return new Head(frame.stream(), lines(frame.stream(), block.toByteArray()), frame.isLast());
    }

    private List<String> lines(int stream, byte[] block) {
        List<String> lines = new ArrayList<>();
        ByteBuf buffer = Unpooled.wrappedBuffer(block);
        try {
            Http2Headers headers = decoder.decodeHeaders(stream, buffer);
            for (Map.Entry<CharSequence, CharSequence> line : headers) {
                lines.add(line.getKey() + ": " + line.getValue());
            }
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        return lines;
    }

    /** All content of a stream, up to its end; opens the windows as it goes. Frames of other streams are kept for later reads. */
    public byte[] body(int stream) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        Deque<Frame> earlier = new ArrayDeque<>(aside);
        aside.clear();
        Frame frame;
        do {
            frame = earlier.isEmpty() ? receive() : earlier.poll();
            if (frame == null) {
                throw new AssertionError("closed before the end of stream " + stream);
            }
            if (frame.stream() != 0 && frame.stream() != stream) {
                aside.add(frame);
            }
            if (frame.stream() != stream || frame.type() != DATA) {
                continue;
            }
            body.writeBytes(frame.payload());
            if (frame.payload().length > 0) {
                windowUpdate(0, frame.payload().length);
                windowUpdate(stream, frame.payload().length);
            }
        } while (frame.stream() != stream || frame.type() != DATA || !frame.isLast());
        aside.addAll(earlier);
        return body.toByteArray();
    }

    /** Reads until the other side closes. */
    public void awaitEnd() throws IOException {
        while (read() != null) {
            // whatever it has to say
        }
    }

    // ---- what is sent

    public Http2Peer raw(byte[] octets) throws IOException {
        out.write(octets);
        out.flush();
        return this;
    }

    public Http2Peer frame(int type, int flags, int stream, byte... payload) throws IOException {
        return raw(octets(type, flags, stream, payload));
    }

    /** A frame as it stands on the wire. */
    public static byte[] octets(int type, int flags, int stream, byte... payload) {
        byte[] frame = new byte[9 + payload.length];
        frame[0] = (byte) (payload.length >> 16);
        frame[1] = (byte) (payload.length >> 8);
        frame[2] = (byte) payload.length;
        frame[3] = (byte) type;
        frame[4] = (byte) flags;
        put(frame, 5, stream);
        System.arraycopy(payload, 0, frame, 9, payload.length);
        return frame;
    }

    /** A field section of names and values by turns, as they are. */
    public static byte[] block(String... namesAndValues) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            block.write(0);
            text(block, namesAndValues[i]);
            text(block, namesAndValues[i + 1]);
        }
        return block.toByteArray();
    }

    // RFC 7541 5.1 and 5.2, without Huffman
    private static void text(ByteArrayOutputStream block, String text) {
        int length = text.length();
        if (length < 127) {
            block.write(length);
        } else {
            block.write(127);
            length -= 127;
            while (length >= 128) {
                block.write(length & 127 | 128);
                length >>= 7;
            }
            block.write(length);
        }
        block.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Http2Peer headers(int stream, boolean last, String... namesAndValues) throws IOException {
        return frame(HEADERS, END_HEADERS | (last ? END_STREAM : 0), stream, block(namesAndValues));
    }

    public Http2Peer data(int stream, boolean last, String content) throws IOException {
        return frame(DATA, last ? END_STREAM : 0, stream, content.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** A whole response with a body. */
    public Http2Peer respond(int stream, String body) throws IOException {
        return headers(stream, false, ":status", "200", "content-type", "text/plain")
                .data(stream, true, body);
    }

    public Http2Peer reset(int stream, int error) throws IOException {
        return frame(RST_STREAM, 0, stream, number(error));
    }

    public Http2Peer goAway(int last, int error) throws IOException {
        byte[] payload = new byte[8];
        put(payload, put(payload, 0, last), error);
        return frame(GOAWAY, 0, 0, payload);
    }

    public Http2Peer windowUpdate(int stream, int increment) throws IOException {
        return frame(WINDOW_UPDATE, 0, stream, number(increment));
    }

    private static byte[] number(int value) {
        byte[] octets = new byte[4];
        put(octets, 0, value);
        return octets;
    }

    private static int put(byte[] target, int at, int value) {
        target[at] = (byte) (value >> 24);
        target[at + 1] = (byte) (value >> 16);
        target[at + 2] = (byte) (value >> 8);
        target[at + 3] = (byte) value;
        return at + 4;
    }

    /** Sends no more, and reads on: the other side sees an end, never a reset. */
    public void finish() throws IOException {
        socket.shutdownOutput();
        awaitEnd();
    }

    /** The other side sees a reset behind what was sent. */
    public void abort() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** The other side sees an end; a reset where it has sent what nobody has read. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
