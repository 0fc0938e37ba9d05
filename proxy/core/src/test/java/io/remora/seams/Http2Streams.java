package io.remora.seams;

import io.remora.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint of HTTP/2 that reads everything and leaves the responses to the test, stream by stream, unless {@link #answering} is called.
 *
 * <p>Owner: one thread reads each connection; a test writes from one of its own at a time.
 */
public final class Http2Streams implements AutoCloseable {
    /** The window of a stream and of a connection, where nothing else is agreed. */
    public static final int WINDOW = 65_535;

    private static final int PIECE = 16 << 10;

    private final int[] settings;
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final Http2Backend backend;
    private volatile boolean answering;

    private Http2Streams(int[] settings) {
        this.settings = settings;
        this.backend = Http2Backend.start(this::serve);
    }

    /** Starts one with settings of these identifiers and values by turns. */
    public static Http2Streams start(int... settings) {
        return new Http2Streams(settings);
    }

    private void serve(Http2Peer peer, int number) throws IOException {
        Connection connection = new Connection(peer.begin(settings));
        connections.add(connection);
        try {
            Http2Peer.Frame frame = peer.read();
            while (frame != null) {
                Stream ended = connection.take(frame);
                if (ended != null && answering) {
                    connection.respond(ended, "ok");
                }
                frame = peer.read();
            }
        } finally {
            connection.ended = true;
        }
    }

    /** Answers each request that is whole from now on. */
    public Http2Streams answering() {
        answering = true;
        return this;
    }

    public int port() {
        return backend.port();
    }

    /** Returns how many requests have begun, on all connections. */
    public int requests() {
        return connections.stream().mapToInt(one -> one.streams.size()).sum();
    }

    public List<Connection> connections() {
        return connections;
    }

    /** The connection with this number, from 0, once it is there. */
    public Connection connection(int number) {
        Await.until("connection " + number, () -> connections.size() > number);
        return connections.get(number);
    }

    /** Answers every request that is there. */
    public void respondAll(String body) throws IOException {
        for (Connection connection : connections) {
            for (Stream stream : connection.streams.values()) {
                connection.respond(stream, body);
            }
        }
    }

    @Override
    public void close() {
        backend.close();
    }

    /** A connection, with what has come on it. */
    public static final class Connection {
        private final Http2Peer peer;
        private final Map<Integer, Stream> streams = new ConcurrentSkipListMap<>();
        /** The credit by stream, and that of the connection for 0. Under the lock of this. */
        private final Map<Integer, Integer> credit = new ConcurrentSkipListMap<>();

        private int window = WINDOW;
        private volatile boolean holdsBack;
        private volatile boolean ended;

        private Connection(Http2Peer peer) {
            this.peer = peer;
        }

        public Http2Peer peer() {
            return peer;
        }

        public int streams() {
            return streams.size();
        }

        public boolean isEnded() {
            return ended;
        }

        /** Sets whether it opens the windows of streams no more; that of the connection stays open. */
        public void holdsBack(boolean whether) {
            holdsBack = whether;
        }

        /** The request for a path, once its head is there. */
        public Stream stream(String path) {
            Await.until("a request for " + path, () -> find(path) != null);
            return find(path);
        }

        private @Nullable Stream find(String path) {
            for (Stream stream : streams.values()) {
                if (path.equals(stream.head.value(":path"))) {
                    return stream;
                }
            }
            return null;
        }

        /** The request for a path, once it is whole. */
        public Stream whole(String path) {
            Stream stream = stream(path);
            Await.until(path + " is whole", () -> stream.ended);
            return stream;
        }

        public void respond(Stream stream, String body) throws IOException {
            peer.respond(stream.number, body);
        }

        /** Sends content as the windows allow, for as long as it takes. */
        public void sendBody(Stream stream, int octets) throws IOException, InterruptedException {
            for (int sent = 0; sent < octets; ) {
                int length = take(stream.number, Math.min(PIECE, octets - sent));
                peer.frame(Http2Peer.DATA, 0, stream.number, new byte[length]);
                sent += length;
            }
            peer.data(stream.number, true, "");
        }

        private synchronized int take(int stream, int most) throws InterruptedException {
            int allowed = allowed(stream);
            while (allowed <= 0) {
                wait();
                allowed = allowed(stream);
            }
            int taken = Math.min(most, allowed);
            credit.merge(stream, -taken, Integer::sum);
            credit.merge(0, -taken, Integer::sum);
            return taken;
        }

        private int allowed(int stream) {
            return Math.min(window + credit.getOrDefault(stream, 0), WINDOW + credit.getOrDefault(0, 0));
        }

        /** The stream that this frame has ended, null for none. */
        private @Nullable Stream take(Http2Peer.Frame frame) throws IOException {
            int number = frame.stream();
            switch (frame.type()) {
                case Http2Peer.HEADERS -> {
                    Http2Peer.Head head = peer.head(frame);
                    Stream known = streams.get(number);
                    if (known == null) {
                        known = new Stream(number, head);
                        streams.put(number, known);
                    } else {
                        known.trailers = head;
                    }
                    return ends(known, frame);
                }
                case Http2Peer.DATA -> {
                    Stream of = streams.get(number);
                    of.took(frame.payload());
                    open(number, frame.payload().length);
                    return ends(of, frame);
                }
                case Http2Peer.RST_STREAM -> streams.get(number).reset = true;
                case Http2Peer.WINDOW_UPDATE -> allow(number, frame.number(0));
                case Http2Peer.SETTINGS -> settings(frame);
                default -> {
                    // nothing depends on it
                }
            }
            return null;
        }

        private static @Nullable Stream ends(Stream stream, Http2Peer.Frame frame) {
            stream.ended |= frame.isLast();
            return frame.isLast() ? stream : null;
        }

        private void open(int stream, int octets) throws IOException {
            if (octets > 0) {
                peer.windowUpdate(0, octets);
                if (!holdsBack) {
                    peer.windowUpdate(stream, octets);
                }
            }
        }

        private synchronized void allow(int stream, int octets) {
            credit.merge(stream, octets, Integer::sum);
            notifyAll();
        }

        private synchronized void settings(Http2Peer.Frame frame) {
            byte[] payload = frame.payload();
            for (int at = 0; at < payload.length; at += 6) {
                if (payload[at + 1] == Http2Peer.INITIAL_WINDOW_SIZE) {
                    window = frame.number(at + 2);
                }
            }
            notifyAll();
        }
    }

    /** A request as far as it has come. */
    public static final class Stream {
        private final int number;
        private final Http2Peer.Head head;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private volatile Http2Peer.@Nullable Head trailers;
        private volatile boolean ended;
        private volatile boolean reset;

        private Stream(int number, Http2Peer.Head head) {
            this.number = number;
            this.head = head;
        }

        public int number() {
            return number;
        }

        private synchronized void took(byte[] octets) {
            body.writeBytes(octets);
        }

        public synchronized int octets() {
            return body.size();
        }

        public synchronized String body() {
            return body.toString(StandardCharsets.ISO_8859_1);
        }

        /** The value of a field of its trailers, null for none. */
        public @Nullable String trailer(String name) {
            Http2Peer.Head last = trailers;
            return last == null ? null : last.value(name);
        }

        public boolean isReset() {
            return reset;
        }
    }
}
