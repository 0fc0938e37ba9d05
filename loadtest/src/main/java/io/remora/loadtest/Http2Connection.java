package io.remora.loadtest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection of HTTP/2, by prior knowledge or over TLS, to a port of this machine, for many requests at a time.
 *
 * <p>Owner: one thread sends, and one receives, which may be the same. What the server says about the connection is obeyed by whoever
 * receives. An answer of gRPC is good where its trailers say so. GOAWAY ends the connection, and what is unanswered with it.
 */
final class Http2Connection implements Closeable {
    private static final byte[] PREFACE = Http2Frames.ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    private static final int DEFAULT_WINDOW = 65_535;
    /** What the server may send on the connection before it is told to go on, less the window that it has by default. */
    private static final int MORE_WINDOW = (1 << 30) - DEFAULT_WINDOW;

    /** Stands for what gRPC tells of a failure in the application (INTERNAL). */
    static final int ERROR = 500;

    /** Stands for any other status of gRPC but 0, and for a call without a message or without a status. */
    static final int BROKEN_CALL = 502;

    private final Map<Integer, Stream> streams = new ConcurrentHashMap<>();
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
    private final Socket socket;
    private final Http2Frames frames;
    private final boolean alone;
    private long connectionWindow = DEFAULT_WINDOW;
    private int initialWindow = DEFAULT_WINDOW;
    private int mostStreams = Integer.MAX_VALUE;
    private int next = 1;
    private boolean givenUp;
    private long taken;
    private volatile @Nullable Stalled stalled;
    /** What came while one thread alone was still sending. */
    private @Nullable Answer early;

    /** A request that is waited for: when it was due, and who is told of it. */
    record Owed(long dueNs, Requests requests) {}

    /** What became of a request: its status, 0 where its stream was reset. */
    record Answer(Http2Request request, Owed owed, int status) {}

    /** window is guarded by the connection, the rest is the receiver's. */
    private static final class Stream {
        final Http2Request request;
        final Owed owed;
        long window;
        int status;

        @Nullable
        String grpcStatus;

        boolean hasContent;
        int taken;

        Stream(Http2Request request, Owed owed, long window) {
            this.request = request;
            this.owed = owed;
            this.window = window;
        }

        /** Of the answer as a whole. */
        int answer() {
            if (!request.isCall() || status != 200) {
                return status;
            }
            if ("13".equals(grpcStatus)) {
                return ERROR;
            }
            return "0".equals(grpcStatus) && hasContent ? 200 : BROKEN_CALL;
        }
    }

    /** One whose client takes no more than a window of it. */
    private static final class Stalled {
        final int id;
        int status;
        int octets;
        boolean isOver;

        Stalled(int id) {
            this.id = id;
        }
    }

    /**
     * Opens the connection, and waits for the server's settings.
     *
     * @param alone whether one thread does all, so that it has to receive where a window is full
     * @param tls of HTTPS, in which the server has to be {@code localhost}; null for prior knowledge
     */
    Http2Connection(int port, boolean alone, @Nullable SSLSocketFactory tls) throws IOException {
        this.alone = alone;
        socket = open(port, tls);
        try {
            frames = new Http2Frames(socket.getInputStream(), socket.getOutputStream());
            frames.preface(PREFACE, MORE_WINDOW);
            Http2Frames.Frame first = frames.read(false);
            if (first.type() != Http2Frames.SETTINGS) {
                throw new IOException("the server begins with a frame of type " + first.type());
            }
            settings(first);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket open(int port, @Nullable SSLSocketFactory tls) throws IOException {
        Socket plain = new Socket();
        try {
            plain.setTcpNoDelay(true);
            plain.setSoTimeout(Connection.TIMEOUT_MS);
            plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Connection.TIMEOUT_MS);
            return tls == null ? plain : Connection.secure(plain, tls, "h2");
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    /** How many requests the server takes at a time. */
    synchronized int mostStreams() {
        return mostStreams;
    }

    /** Gives up what is unanswered, and tells what that is; nothing is sent from then on. */
    synchronized List<Owed> giveUp() {
        givenUp = true;
        List<Owed> left = streams.values().stream().map(stream -> stream.owed).toList();
        streams.clear();
        return left;
    }

    /** Sends a request, as far as the windows let it; the answer will tell what was owed. */
    void send(Http2Request request, Owed owed) throws IOException {
        int id;
        Stream stream;
        synchronized (this) {
            if (givenUp) {
                owed.requests().lost(owed.dueNs());
                return;
            }
            id = next;
            next += 2;
            stream = new Stream(request, owed, initialWindow);
            streams.put(id, stream);
            boolean ends = request.content().length == 0;
            frames.write(
                    Http2Frames.HEADERS,
                    Http2Frames.END_HEADERS | (ends ? Http2Frames.END_STREAM : 0),
                    id,
                    encoded(id, request));
        }
        for (int sent = 0; sent < request.content().length && early == null; ) {
            sent += sendContent(id, stream, request.content(), sent);
        }
    }

    private byte[] encoded(int id, Http2Request request) throws IOException {
        ByteBuf block = Unpooled.buffer();
        try {
            encoder.encodeHeaders(id, request.fields(), block);
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
        byte[] bytes = new byte[block.readableBytes()];
        block.readBytes(bytes);
        return bytes;
    }

    /** Sends a frame of it, or nothing where an answer has come early; waits where the windows are full. */
    private synchronized int sendContent(int id, Stream stream, byte[] content, int from) throws IOException {
        awaitWindow(stream);
        if (early != null) {
            return 0;
        }
        int length = (int)
                Math.min(Math.min(connectionWindow, stream.window), Math.min(Http2Frames.MOST, content.length - from));
        connectionWindow -= length;
        stream.window -= length;
        byte[] piece = new byte[length];
        System.arraycopy(content, from, piece, 0, length);
        frames.write(Http2Frames.DATA, from + length == content.length ? Http2Frames.END_STREAM : 0, id, piece);
        return length;
    }

    private synchronized void awaitWindow(Stream stream) throws IOException {
        long untilNs = System.nanoTime() + Connection.TIMEOUT_MS * 1_000_000L;
        while (Math.min(connectionWindow, stream.window) <= 0 && early == null) {
            if (System.nanoTime() > untilNs || socket.isClosed()) {
                throw new IOException("the server opens no window");
            }
            if (alone) {
                early = step();
                continue;
            }
            try {
                wait(100);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    /** Sends a request on a stream whose window is never opened again, so that the answer stalls once that is full. */
    synchronized void sendStalled(Http2Request request) throws IOException {
        int id = next;
        next += 2;
        stalled = new Stalled(id);
        frames.write(Http2Frames.HEADERS, Http2Frames.END_HEADERS | Http2Frames.END_STREAM, id, encoded(id, request));
    }

    /** Whether that stream has a window full of a good answer, and has not been ended. */
    boolean isStalled() {
        Stalled held = stalled;
        return held != null && held.status == 200 && held.octets == DEFAULT_WINDOW && !held.isOver;
    }

    /** Waits for the next answer that is whole. */
    Answer receive() throws IOException {
        Answer answer = early;
        early = null;
        while (answer == null) {
            answer = step();
        }
        return answer;
    }

    /** Takes one frame, and returns the answer that it ends, if it ends one. */
    private @Nullable Answer step() throws IOException {
        Http2Frames.Frame frame = frames.read(!streams.isEmpty());
        Stream stream = streams.get(frame.stream());
        switch (frame.type()) {
            case Http2Frames.SETTINGS -> settings(frame);
            case Http2Frames.WINDOW_UPDATE -> opened(stream, frame);
            case Http2Frames.PING -> pong(frame);
            case Http2Frames.GOAWAY -> throw new IOException("GOAWAY with code " + frame.number(4));
            case Http2Frames.HEADERS -> fields(stream, frame);
            case Http2Frames.DATA -> content(stream, frame);
            default -> {}
        }
        boolean reset = frame.type() == Http2Frames.RST_STREAM;
        Stalled held = stalled;
        if (held != null && frame.stream() == held.id && (reset || frame.endsStream())) {
            held.isOver = true;
        }
        if (stream == null || !reset && !frame.endsStream()) {
            return null;
        }
        streams.remove(frame.stream());
        return new Answer(stream.request, stream.owed, reset ? 0 : stream.answer());
    }

    private void settings(Http2Frames.Frame frame) throws IOException {
        if (frame.has(Http2Frames.ACK)) {
            return;
        }
        ByteBuffer settings = ByteBuffer.wrap(frame.payload());
        synchronized (this) {
            while (settings.hasRemaining()) {
                int key = settings.getShort();
                int value = settings.getInt();
                if (key == Http2Frames.MAX_CONCURRENT_STREAMS) {
                    mostStreams = value < 0 ? Integer.MAX_VALUE : value;
                } else if (key == Http2Frames.INITIAL_WINDOW_SIZE) {
                    int more = value - initialWindow;
                    streams.values().forEach(stream -> stream.window += more);
                    initialWindow = value;
                } else if (key == Http2Frames.HEADER_TABLE_SIZE) {
                    limitTable(value);
                }
            }
            notifyAll();
            frames.write(Http2Frames.SETTINGS, Http2Frames.ACK, 0, new byte[0]);
        }
    }

    private void limitTable(int bytes) throws IOException {
        try {
            encoder.maxHeaderTableSize(Math.min(4_096, bytes & 0xffff_ffffL));
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
    }

    private synchronized void opened(@Nullable Stream stream, Http2Frames.Frame frame) {
        if (frame.stream() == 0) {
            connectionWindow += frame.number(0);
        } else if (stream != null) {
            stream.window += frame.number(0);
        }
        notifyAll();
    }

    private synchronized void pong(Http2Frames.Frame frame) throws IOException {
        if (!frame.has(Http2Frames.ACK)) {
            frames.write(Http2Frames.PING, Http2Frames.ACK, 0, frame.payload());
        }
    }

    /** Each section is decoded, as the table that they share changes by each. */
    private void fields(@Nullable Stream stream, Http2Frames.Frame frame) throws IOException {
        Http2Headers found;
        try {
            found = decoder.decodeHeaders(frame.stream(), Unpooled.wrappedBuffer(frame.content()));
        } catch (Http2Exception e) {
            throw new IOException(
                    "fields that cannot be decoded: " + HexFormat.of().formatHex(frame.content()), e);
        }
        int status =
                found.status() == null ? 0 : Integer.parseInt(found.status().toString());
        Stalled held = stalled;
        if (held != null && frame.stream() == held.id) {
            held.status = status;
        }
        if (stream == null) {
            return;
        }
        if (status != 0) {
            stream.status = status;
        }
        CharSequence told = found.get("grpc-status");
        if (told != null) {
            stream.grpcStatus = told.toString();
        }
    }

    /** Opens the windows again once half of them is used. */
    private synchronized void content(@Nullable Stream stream, Http2Frames.Frame frame) throws IOException {
        taken += frame.payload().length;
        if (taken > MORE_WINDOW / 2) {
            frames.write(Http2Frames.WINDOW_UPDATE, 0, 0, Http2Frames.number((int) taken));
            taken = 0;
        }
        Stalled held = stalled;
        if (held != null && frame.stream() == held.id) {
            held.octets += frame.payload().length;
        }
        if (stream != null && frame.payload().length > 0) {
            stream.hasContent = true;
        }
        if (stream != null && !frame.endsStream()) {
            stream.taken += frame.payload().length;
            if (stream.taken > DEFAULT_WINDOW / 2) {
                frames.write(Http2Frames.WINDOW_UPDATE, 0, frame.stream(), Http2Frames.number(stream.taken));
                stream.taken = 0;
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
