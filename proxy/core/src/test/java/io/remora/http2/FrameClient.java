package io.remora.http2;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.remora.testkit.Await;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A client that sends frames as told, whatever they are, and reads what comes. Its header sections are literals that no table
 * keeps. One thread at a time; every wait has an end.
 */
final class FrameClient implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    static final int NO_ERROR = 0;
    static final int PROTOCOL_ERROR = 1;
    static final int FLOW_CONTROL_ERROR = 3;
    static final int FRAME_SIZE_ERROR = 6;
    static final int REFUSED_STREAM = 7;
    static final int CANCEL = 8;
    static final int ENHANCE_YOUR_CALM = 11;

    static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    static final String[] GET = {":method", "GET", ":scheme", "http", ":authority", "app", ":path", "/"};
    static final String[] POST = {":method", "POST", ":scheme", "http", ":authority", "app", ":path", "/"};

    private final Socket socket;
    private final DataInputStream in;
    private final DefaultHttp2HeadersDecoder headers = new DefaultHttp2HeadersDecoder(false, 1 << 20);
    private final Map<Integer, Answer> answers = new TreeMap<>();
    /** By stream, what the peer has allowed beyond the beginning; of the connection less what was spent. */
    private final Map<Integer, Integer> credit = new TreeMap<>();

    /** Octets of a header block that is not whole. */
    private final ByteArrayOutputStream block = new ByteArrayOutputStream();

    private boolean silent;
    private int goAway = -1;
    private int lastStream = -1;
    private int goAways;

    /** What has come so far. */
    record Frame(int type, int flags, int stream, byte[] payload) {
        int number(int at) {
            return (payload[at] & 0xff) << 24
                    | (payload[at + 1] & 0xff) << 16
                    | (payload[at + 2] & 0xff) << 8
                    | payload[at + 3] & 0xff;
        }
    }

    /** What has come of one stream. */
    static final class Answer {
        final List<Map<String, String>> sections = new ArrayList<>();
        final ByteArrayOutputStream body = new ByteArrayOutputStream();
        boolean ended;
        /** The code of its reset, -1 for none. */
        int reset = -1;

        int status() {
            return Integer.parseInt(sections.get(0).get(":status"));
        }

        @Nullable
        String field(String name) {
            return sections.get(0).get(name);
        }

        String text() {
            return body.toString(StandardCharsets.ISO_8859_1);
        }

        boolean isOpen() {
            return !ended && reset < 0;
        }
    }

    FrameClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Await.TIMEOUT_MS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    /** Nothing is sent yet. */
    static FrameClient raw(InetSocketAddress address) throws IOException {
        return raw(address, 0);
    }

    static FrameClient raw(InetSocketAddress address, int receiveBufferBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.connect(address, Await.TIMEOUT_MS);
        return new FrameClient(socket);
    }

    /** With preface and settings. */
    static FrameClient connect(InetSocketAddress address) throws IOException {
        return raw(address).begin();
    }

    FrameClient begin(int... settings) throws IOException {
        send(PREFACE.getBytes(StandardCharsets.US_ASCII));
        return settings(settings);
    }

    /** From now on it sends nothing by itself. */
    FrameClient silent() {
        silent = true;
        return this;
    }

    // ---- frames out

    FrameClient send(byte[] octets) throws IOException {
        socket.getOutputStream().write(octets);
        return this;
    }

    static byte[] frame(int type, int flags, int stream, byte... payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(payload.length >> 16);
        out.write(payload.length >> 8);
        out.write(payload.length);
        out.write(type);
        out.write(flags);
        out.writeBytes(number(stream));
        out.writeBytes(payload);
        return out.toByteArray();
    }

    static byte[] number(int value) {
        return new byte[] {(byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value};
    }

    /** Pairs of an identifier and a value. */
    FrameClient settings(int... pairs) throws IOException {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (int i = 0; i < pairs.length; i += 2) {
            payload.write(pairs[i] >> 8);
            payload.write(pairs[i]);
            payload.writeBytes(number(pairs[i + 1]));
        }
        return send(frame(SETTINGS, 0, 0, payload.toByteArray()));
    }

    /** Pairs of a name and a value. */
    static byte[] block(String... pairs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < pairs.length; i += 2) {
            out.write(0);
            text(out, pairs[i]);
            text(out, pairs[i + 1]);
        }
        return out.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        int length = text.length();
        if (length < 127) {
            out.write(length);
        } else {
            out.write(127);
            int left = length - 127;
            for (; left >= 128; left >>= 7) {
                out.write(left & 127 | 128);
            }
            out.write(left);
        }
        out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static String[] with(String[] head, String... more) {
        String[] all = new String[head.length + more.length];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(more, 0, all, head.length, more.length);
        return all;
    }

    FrameClient headers(int stream, boolean ends, String... pairs) throws IOException {
        return send(frame(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), stream, block(pairs)));
    }

    /** The same in as many frames as it takes. */
    FrameClient largeHeaders(int stream, String... pairs) throws IOException {
        byte[] block = block(pairs);
        for (int at = 0; at < block.length; at += 16_000) {
            int to = Math.min(block.length, at + 16_000);
            int flags = (at == 0 ? END_STREAM : 0) | (to == block.length ? END_HEADERS : 0);
            send(frame(at == 0 ? HEADERS : CONTINUATION, flags, stream, Arrays.copyOfRange(block, at, to)));
        }
        return this;
    }

    FrameClient get(int stream) throws IOException {
        return headers(stream, true, GET);
    }

    FrameClient data(int stream, boolean ends, byte... octets) throws IOException {
        return send(frame(DATA, ends ? END_STREAM : 0, stream, octets));
    }

    FrameClient data(int stream, boolean ends, String text) throws IOException {
        return data(stream, ends, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    FrameClient reset(int stream, int code) throws IOException {
        return send(frame(RST_STREAM, 0, stream, number(code)));
    }

    FrameClient windowUpdate(int stream, int delta) throws IOException {
        return send(frame(WINDOW_UPDATE, 0, stream, number(delta)));
    }

    FrameClient ping() throws IOException {
        return send(frame(PING, 0, 0, new byte[8]));
    }

    /** Whether all of it went out before the peer ended the connection. */
    boolean trySend(byte[] octets) {
        try {
            send(octets);
            return true;
        } catch (IOException ended) {
            return false;
        }
    }

    // ---- frames in

    /** The next one, null where the peer has ended the connection. Settings are acknowledged. */
    @Nullable
    Frame read() throws IOException {
        Frame frame;
        try {
            int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            byte[] payload = new byte[length];
            in.readFully(payload);
            frame = new Frame(type, flags, stream, payload);
        } catch (EOFException | SocketException ended) {
            return null;
        }
        take(frame);
        return frame;
    }

    private void take(Frame frame) throws IOException {
        Answer answer = answers.computeIfAbsent(frame.stream(), id -> new Answer());
        switch (frame.type()) {
            case DATA -> answer.body.writeBytes(frame.payload());
            case HEADERS, CONTINUATION -> {
                block.writeBytes(frame.payload());
                if ((frame.flags() & END_HEADERS) != 0) {
                    answer.sections.add(section(frame.stream(), block.toByteArray()));
                    block.reset();
                }
            }
            case RST_STREAM -> answer.reset = frame.number(0);
            case GOAWAY -> {
                lastStream = frame.number(0);
                goAway = frame.number(4);
                goAways++;
            }
            case WINDOW_UPDATE -> credit.merge(frame.stream(), frame.number(0), Integer::sum);
            case SETTINGS -> {
                if ((frame.flags() & ACK) == 0 && !silent) {
                    trySend(frame(SETTINGS, ACK, 0));
                }
            }
            default -> {
                // nothing to remember of it
            }
        }
        boolean ends = frame.type() == DATA || frame.type() == HEADERS;
        answer.ended |= ends && (frame.flags() & END_STREAM) != 0;
    }

    private Map<String, String> section(int stream, byte[] whole) {
        try {
            Http2Headers read = headers.decodeHeaders(stream, Unpooled.wrappedBuffer(whole));
            Map<String, String> fields = new TreeMap<>();
            for (Map.Entry<CharSequence, CharSequence> line : read) {
                fields.merge(line.getKey().toString(), line.getValue().toString(), (one, two) -> one + ", " + two);
            }
            return fields;
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
    }

    /** What comes of the stream until it ends. */
    Answer answer(int stream) throws IOException {
        while (so(stream).isOpen()) {
            if (read() == null) {
                throw new AssertionError("ended before stream " + stream + " did, GOAWAY " + goAway);
            }
        }
        return so(stream);
    }

    /** What has come of the stream once there is a head; it has none where the connection ends before. */
    Answer begun(int stream) throws IOException {
        while (so(stream).sections.isEmpty() && read() != null) {
            // not yet
        }
        return so(stream);
    }

    /** What has come of the stream so far. */
    Answer so(int stream) {
        return answers.computeIfAbsent(stream, id -> new Answer());
    }

    /** The code of a GOAWAY, once one is there. */
    int goAway() throws IOException {
        while (goAway < 0) {
            if (read() == null) {
                throw new AssertionError("ended without GOAWAY");
            }
        }
        return goAway;
    }

    int credit(int stream) {
        return credit.getOrDefault(stream, 0);
    }

    /** So much of the connection's window is used. */
    void spend(int octets) {
        credit.merge(0, -octets, Integer::sum);
    }

    int lastStream() {
        return lastStream;
    }

    int goAways() {
        return goAways;
    }

    /** Reads until there is an acknowledgement of what was sent last. */
    FrameClient barrier() throws IOException {
        ping();
        for (Frame frame = read(); frame != null; frame = read()) {
            if (frame.type() == PING && (frame.flags() & ACK) != 0) {
                return this;
            }
        }
        throw new AssertionError("ended, GOAWAY " + goAway);
    }

    /** Reads up to the next GOAWAY. */
    void awaitGoAway() throws IOException {
        int before = goAways;
        while (goAways == before) {
            if (read() == null) {
                throw new AssertionError("ended without a GOAWAY");
            }
        }
    }

    /** Reads to the end that the peer makes; tells the code of its last GOAWAY, -1 for none. */
    int readToEnd() throws IOException {
        while (read() != null) {
            // the next one
        }
        return goAway;
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
