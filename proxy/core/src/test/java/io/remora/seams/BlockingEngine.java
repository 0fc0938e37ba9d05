package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.engine.Cluster;
import io.remora.engine.Engine;
import io.remora.engine.EngineCluster;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.log.LogThrottle;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.Stats;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.testkit.Wire;
import io.remora.transport.Loop;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An engine on blocking sockets: a thread of a small pool serves an attempt from its connect to its close, and hands what
 * comes of it to the exchange's event loop. It speaks HTTP/1.1 with a declared length or chunks, one request a
 * connection, and repeats by itself: where the first endpoint refuses, it tries the next.
 *
 * <p>Thread safe.
 */
public final class BlockingEngine implements Engine {
    private static final int THREADS = 4;
    private static final int READ_OCTETS = 8 << 10;
    /** Pieces of a request that wait for a socket; beyond it the client is not read. */
    private static final int QUEUE = 4;

    /** Attempts that the core asked for. */
    public final AtomicInteger attempts = new AtomicInteger();
    /** Connects, each try of one. */
    public final AtomicInteger connects = new AtomicInteger();

    public final AtomicInteger drained = new AtomicInteger();
    public final AtomicInteger closedClusters = new AtomicInteger();
    public final AtomicInteger closed = new AtomicInteger();
    public final List<Verdict> verdicts = new CopyOnWriteArrayList<>();

    private final Stats stats;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
        Thread thread = new Thread(task, "blocking-engine");
        thread.setDaemon(true);
        return thread;
    });

    public BlockingEngine(Stats stats) {
        this.stats = stats;
    }

    @Override
    public EngineCluster open(ClusterConfig config, @Nullable LogThrottle shared) {
        return new BlockingCluster(config);
    }

    @Override
    public void close() {
        closed.incrementAndGet();
        threads.shutdownNow();
    }

    private final class BlockingCluster implements EngineCluster {
        private final ClusterConfig config;
        private final EndpointStats counts;
        private final Map<Loop, Cluster> onLoops = new HashMap<>();

        BlockingCluster(ClusterConfig config) {
            this.config = config;
            this.counts = stats.add(new EndpointStats(config.name(), "blocking"));
        }

        @Override
        public synchronized Cluster on(Loop loop) {
            return onLoops.computeIfAbsent(loop, key -> new OnLoop(loop, config, counts));
        }

        @Override
        public void drain() {
            drained.incrementAndGet();
            stats.remove(counts);
        }

        @Override
        public void close() {
            closedClusters.incrementAndGet();
        }
    }

    private final class OnLoop extends Cluster {
        private final Loop loop;
        private final ClusterConfig config;
        private final EndpointStats counts;

        OnLoop(Loop loop, ClusterConfig config, EndpointStats counts) {
            this.loop = loop;
            this.config = config;
            this.counts = counts;
        }

        @Override
        public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
            attempts.incrementAndGet();
            client.picked(new Target() {
                @Override
                public String name() {
                    return "blocking";
                }

                @Override
                public void ended(Verdict verdict, long latencyNs) {
                    verdicts.add(verdict);
                }
            });
            threads.execute(() -> connect(client));
        }

        private void connect(StreamClient client) {
            for (Address endpoint : config.endpoints()) {
                connects.incrementAndGet();
                try {
                    Socket socket = new Socket(endpoint.host(), endpoint.port());
                    BlockingStream stream = new BlockingStream(loop, counts, client, socket);
                    loop.eventLoop().execute(() -> stream.begin());
                    stream.serve();
                    return;
                } catch (IOException e) {
                    // the next one, if there is one
                }
            }
            loop.eventLoop().execute(() -> client.refused(Failure.CONNECT_FAILED));
        }

        @Override
        public void newStreamAgain(Target target, StreamClient client) {
            throw new AssertionError("the core repeats for an engine that repeats by itself");
        }

        @Override
        public boolean hasOther(Target tried) {
            return config.endpoints().size() > 1;
        }

        @Override
        public boolean repeatsByItself() {
            return true;
        }
    }

    /** One attempt on its socket: the loop's side is {@link BackendStream}, the thread's is {@link #serve}. */
    private static final class BlockingStream extends BackendStream {
        private static final byte[] END = {};

        private final Loop loop;
        private final EndpointStats counts;
        private final Socket socket;
        private final BlockingQueue<byte[]> request = new LinkedBlockingQueue<>();
        /** Whether the response may be read on: the loop sets it, the thread waits for it. */
        private boolean reading = true;

        private @Nullable StreamClient client;
        private boolean chunked;
        private boolean full;

        BlockingStream(Loop loop, EndpointStats counts, StreamClient client, Socket socket) {
            this.loop = loop;
            this.counts = counts;
            this.client = client;
            this.socket = socket;
        }

        // ---- on the loop

        void begin() {
            counts.increment(EndpointMetric.CONNECTS);
            counts.increment(EndpointMetric.OPENED);
            counts.increment(EndpointMetric.EXCHANGES);
            StreamClient asked = client;
            if (asked != null && !asked.isGone()) {
                asked.ready(this);
            } else {
                finish();
            }
        }

        @Override
        public boolean isReused() {
            return false;
        }

        @Override
        public void send(RequestHead head) {
            chunked = head.bodyLength() < 0;
            StringBuilder text = new StringBuilder(head.method + ' ' + head.target + " HTTP/1.1\r\n");
            for (int i = 0; i < head.fields.size(); i++) {
                text.append(head.fields.name(i))
                        .append(": ")
                        .append(head.fields.value(i))
                        .append("\r\n");
            }
            text.append("Connection: close\r\n").append(chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
            request.add(Wire.bytes(text.toString()));
            if (head.bodyLength() == 0) {
                request.add(END);
            }
        }

        @Override
        public void content(ByteBuf content) {
            byte[] octets = new byte[content.readableBytes()];
            content.readBytes(octets);
            content.release();
            if (octets.length > 0) {
                if (chunked) {
                    request.add(Wire.bytes(Integer.toHexString(octets.length) + "\r\n"));
                }
                request.add(octets);
                if (chunked) {
                    request.add(Wire.bytes("\r\n"));
                }
            }
        }

        @Override
        public void end(@Nullable Fields trailers) {
            if (chunked) {
                request.add(Wire.bytes("0\r\n\r\n"));
            }
            request.add(END);
        }

        /** Each piece is on its way as soon as its thread comes to it. */
        @Override
        public void flush() {}

        @Override
        public boolean isWritable() {
            full = request.size() > QUEUE;
            return !full;
        }

        @Override
        public synchronized void read(boolean wanted) {
            reading = wanted;
            notifyAll();
        }

        private synchronized void awaitReading() throws InterruptedException {
            while (!reading) {
                wait();
            }
        }

        @Override
        public void openTunnel() {
            throw new AssertionError("no upgrade was asked for");
        }

        @Override
        public void release() {
            finish();
        }

        @Override
        public void reset() {
            finish();
        }

        private void finish() {
            if (client != null) {
                client = null;
                read(true);
                counts.decrement(EndpointMetric.EXCHANGES);
                counts.increment(EndpointMetric.CLOSED);
                closeQuietly();
            }
        }

        private void onLoop(Told told) {
            loop.eventLoop().execute(() -> {
                StreamClient asked = client;
                if (asked != null) {
                    told.tell(asked);
                }
            });
        }

        private void drainedSome() {
            onLoop(asked -> {
                if (full && request.size() <= QUEUE) {
                    full = false;
                    asked.writable(true);
                }
            });
        }

        private void broken(boolean anyByte) {
            loop.eventLoop().execute(() -> {
                StreamClient asked = client;
                if (asked != null) {
                    finish();
                    asked.broken(Failure.BACKEND_CLOSED, anyByte);
                }
            });
        }

        // ---- on the thread

        void serve() {
            boolean anyByte = false;
            try {
                OutputStream out = socket.getOutputStream();
                for (byte[] piece = next(); piece != END; piece = next()) {
                    out.write(piece);
                    drainedSome();
                }
                InputStream in = new BufferedInputStream(socket.getInputStream());
                long length = head(in);
                anyByte = true;
                body(in, length);
                onLoop(asked -> {
                    asked.end(null);
                    asked.readComplete();
                });
            } catch (IOException e) {
                broken(anyByte);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private byte[] next() throws InterruptedException, IOException {
            while (!socket.isClosed()) {
                byte[] piece = request.poll(20, TimeUnit.MILLISECONDS);
                if (piece != null) {
                    return piece;
                }
            }
            throw new IOException("nobody waits any longer");
        }

        private long head(InputStream in) throws IOException {
            String status = line(in);
            Fields fields = new Fields();
            long length = 0;
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                int colon = line.indexOf(':');
                String value = line.substring(colon + 1).trim();
                if (line.substring(0, colon).equalsIgnoreCase("Content-Length")) {
                    length = Long.parseLong(value);
                    fields.add(FieldName.CONTENT_LENGTH, value);
                } else {
                    fields.add(FieldName.of(line.substring(0, colon)), value);
                }
            }
            ResponseHead head = new ResponseHead(Integer.parseInt(status.substring(9, 12)), null, fields, length);
            long readyNs = loop.nowNs();
            onLoop(asked -> asked.response(head, readyNs));
            return length;
        }

        private static String line(InputStream in) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int octet = in.read(); octet != '\n'; octet = in.read()) {
                if (octet < 0) {
                    throw new IOException("end within a head");
                }
                if (octet != '\r') {
                    line.append((char) octet);
                }
            }
            return line.toString();
        }

        private void body(InputStream in, long length) throws IOException, InterruptedException {
            byte[] read = new byte[READ_OCTETS];
            long left = length;
            while (left > 0) {
                awaitReading();
                int count = in.read(read, 0, (int) Math.min(left, read.length));
                if (count < 0) {
                    throw new IOException("end within a body");
                }
                left -= count;
                ByteBuf piece = Unpooled.copiedBuffer(read, 0, count);
                loop.eventLoop().submit(() -> hand(piece)).sync();
            }
        }

        private void hand(ByteBuf piece) {
            StreamClient asked = client;
            if (asked == null) {
                piece.release();
            } else {
                asked.content(piece);
                asked.readComplete();
            }
        }

        private void closeQuietly() {
            try {
                socket.close();
            } catch (IOException e) {
                // nothing is left to close
            }
        }

        private interface Told {
            void tell(StreamClient asked);
        }
    }
}
