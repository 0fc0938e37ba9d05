package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.memory.TightSidecar;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Swarm;
import io.remora.testkit.Wire;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hostile peers that only HTTP/2 has, beyond those of {@link io.remora.memory}. */
final class Http2HostileMemoryIT {
    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int HEADERS_OCTETS = 16_000;
    private static final int STREAMS = 100;
    private static final String LONG_LINES = ("X: " + "x".repeat(693) + "\r\n").repeat(90);
    private static final String SHORT_LINES = "a:b\r\n".repeat(900);

    @TempDir
    private Path directory;

    private final RecordingBackend backend = RecordingBackend.start();
    private final AtomicInteger asked = new AtomicInteger();

    @AfterEach
    void close() {
        backend.close();
    }

    // ---- clients

    @Test
    void unfinishedHeaderBlocks() throws IOException {
        byte[] block = FrameClient.block(FrameClient.with(FrameClient.GET, "cookie", "y".repeat(30_000)));
        ByteArrayOutputStream octets = begun();
        octets.writeBytes(FrameClient.frame(FrameClient.HEADERS, 0, 1, Arrays.copyOf(block, HEADERS_OCTETS)));
        byte[] rest = Arrays.copyOfRange(block, HEADERS_OCTETS, block.length);
        octets.writeBytes(FrameClient.frame(FrameClient.CONTINUATION, 0, 1, rest));
        crowd(2_000, octets.toByteArray());
    }

    /** Each connection fills the table by which the sidecar reads what its client has compressed. */
    @Test
    void compressionTables() throws IOException {
        ByteArrayOutputStream octets = begun();
        for (int request = 0; request < 2; request++) {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            block.writeBytes(FrameClient.block(FrameClient.GET));
            block.writeBytes(tableEntries());
            int flags = FrameClient.END_HEADERS | FrameClient.END_STREAM;
            octets.writeBytes(FrameClient.frame(FrameClient.HEADERS, flags, 1 + 2 * request, block.toByteArray()));
        }
        crowd(2_000, octets.toByteArray());
    }

    /** Fields that take most of the heap for their place in a table, each of which is entered there. */
    private static byte[] tableEntries() {
        ByteArrayOutputStream entries = new ByteArrayOutputStream();
        for (int i = 0; i < 90; i++) {
            char name = (char) ('a' + i % 26);
            char value = (char) ('0' + i / 2);
            // RFC 7541 6.2.1: a literal with incremental indexing, whose name is new
            entries.writeBytes(new byte[] {0x40, 1, (byte) name, 1, (byte) value});
        }
        return entries.toByteArray();
    }

    private static ByteArrayOutputStream begun(int... settings) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        octets.writeBytes(Wire.bytes(FrameClient.PREFACE));
        octets.writeBytes(settings(settings));
        return octets;
    }

    private static byte[] settings(int... pairs) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (int i = 0; i < pairs.length; i += 2) {
            payload.write(pairs[i] >> 8);
            payload.write(pairs[i]);
            payload.writeBytes(FrameClient.number(pairs[i + 1]));
        }
        return FrameClient.frame(FrameClient.SETTINGS, 0, 0, payload.toByteArray());
    }

    private void crowd(int size, byte[] octets) throws IOException {
        try (TightSidecar sidecar = start("")) {
            try (Swarm swarm = Swarm.of(sidecar.address(), size, octets)) {
                swarm.awaitSettled();
                sidecar.awaitStill();
                sidecar.assertServes();
            }
            sidecar.assertRecovers();
        }
    }

    private TightSidecar start(String cluster) throws IOException {
        return TightSidecar.start(
                directory, Setup.before(backend).listener("protocol: auto").cluster(cluster));
    }

    // ---- endpoints of HTTP/1.1, and clients that take nothing

    @Test
    void interimResponsesWithoutEnd() throws IOException {
        byte[] said = Wire.bytes("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n".repeat(1_000));
        streams(1, begun(), connection -> {
            while (true) {
                connection.write(said);
            }
        });
    }

    @Test
    void longInterimResponses() throws IOException {
        byte[] said = Wire.bytes(("HTTP/1.1 103 Early Hints\r\n" + LONG_LINES + "\r\n").repeat(90));
        streams(20, begun(), connection -> connection.write(said));
    }

    /** All of them are one client's. */
    @Test
    void longInterimResponsesOfOneClientMakeRoomForAnother() throws IOException {
        byte[] said = Wire.bytes(("HTTP/1.1 103 Early Hints\r\n" + LONG_LINES + "\r\n").repeat(90));
        backend.onRequest(connection -> serve(connection, hostile -> hostile.write(said)));
        try (TightSidecar sidecar = start("");
                Swarm swarm = Swarm.of(sidecar.address(), 20, requests(begun()))) {
            swarm.awaitSettled();
            awaitAsked();
            Await.until("refused", () -> sidecar.metrics().sum("remora_memory_refused_total") > 0);
            sidecar.awaitOld();
            Await.until("served", () -> sidecar.canary("127.0.0.2") == 200);
            for (int i = 0; i < 50; i++) {
                assertThat(sidecar.canary("127.0.0.2")).as(sidecar.log()).isEqualTo(200);
            }
        }
    }

    @Test
    void longHeads() throws IOException {
        byte[] said = Wire.bytes("HTTP/1.1 304 Not Modified\r\n" + LONG_LINES + "\r\n");
        streams(20, begun(), connection -> connection.write(said));
    }

    @Test
    void trailersBehindAClosedWindow() throws IOException {
        String head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n";
        byte[] said = Wire.bytes(head + LONG_LINES + "\r\n");
        streams(20, begun(INITIAL_WINDOW_SIZE, 0), connection -> connection.write(said));
    }

    @Test
    void trailersOfShortLinesBehindAClosedWindow() throws IOException {
        String head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n";
        byte[] said = Wire.bytes(head + SHORT_LINES + "\r\n");
        streams(20, begun(INITIAL_WINDOW_SIZE, 0), connection -> connection.write(said));
    }

    // ---- endpoints of HTTP/2 that take one request a connection

    @Test
    void unfinishedHeaderBlocksOfEndpoints() throws IOException {
        byte[] block = FrameClient.block(":status", "200", "x", "y".repeat(60_000));
        endpoint(stream -> {
            ByteArrayOutputStream octets = new ByteArrayOutputStream();
            for (int at = 0; at < block.length; at += HEADERS_OCTETS) {
                byte[] part = Arrays.copyOfRange(block, at, Math.min(block.length, at + HEADERS_OCTETS));
                octets.writeBytes(
                        FrameClient.frame(at == 0 ? FrameClient.HEADERS : FrameClient.CONTINUATION, 0, stream, part));
            }
            return octets.toByteArray();
        });
    }

    @Test
    void compressionTablesOfEndpoints() throws IOException {
        endpoint(stream -> {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            block.writeBytes(FrameClient.block(":status", "200"));
            block.writeBytes(tableEntries());
            return FrameClient.frame(FrameClient.HEADERS, FrameClient.END_HEADERS, stream, block.toByteArray());
        });
    }

    /** The response may announce content, and none of it comes. */
    private void endpoint(IntFunction<byte[]> response) throws IOException {
        backend.onRequest(connection -> {
            try {
                asked.incrementAndGet();
                connection.write(settings(MAX_CONCURRENT_STREAMS, 1));
                connection.write(response.apply(headersFrame(connection.input())));
                connection.readToEnd();
            } catch (IOException cut) {
                // the sidecar has had enough
            }
        });
        try (TightSidecar sidecar = start("protocol: http2")) {
            byte[] get = Wire.bytes("GET / HTTP/1.1\r\nHost: app\r\n\r\n");
            try (Swarm swarm = Swarm.of(sidecar.address(), 500, get)) {
                swarm.awaitSettled();
                awaitAsked();
                sidecar.awaitStill();
            }
            backend.onRequest(connection -> connection.close());
            for (BackendConnection connection : backend.connections()) {
                connection.close();
            }
            sidecar.awaitNothingHeld();
        }
    }

    /** Reads up to the first HEADERS frame, and tells its stream. */
    private static int headersFrame(InputStream in) throws IOException {
        DataInputStream frames = new DataInputStream(in);
        frames.readFully(new byte[FrameClient.PREFACE.length()]);
        while (true) {
            int length = frames.readUnsignedShort() << 8 | frames.readUnsignedByte();
            int type = frames.readUnsignedByte();
            frames.readUnsignedByte();
            int stream = frames.readInt();
            frames.readFully(new byte[length]);
            if (type == FrameClient.HEADERS) {
                return stream;
            }
        }
    }

    /** Opens connections, each with as many requests as it may have at once. */
    private void streams(int connections, ByteArrayOutputStream octets, RecordingBackend.Script script)
            throws IOException {
        backend.onRequest(connection -> serve(connection, script));
        byte[] requests = requests(octets);
        try (TightSidecar sidecar = start("")) {
            try (Swarm swarm = Swarm.of(sidecar.address(), connections, requests)) {
                swarm.awaitSettled();
                sidecar.assertServes();
                awaitAsked();
                sidecar.awaitStill();
                sidecar.assertServes();
            }
            for (BackendConnection connection : backend.connections()) {
                connection.close();
            }
            sidecar.assertRecovers();
        }
    }

    private static byte[] requests(ByteArrayOutputStream begun) {
        for (int i = 0; i < STREAMS; i++) {
            int flags = FrameClient.END_HEADERS | FrameClient.END_STREAM;
            begun.writeBytes(
                    FrameClient.frame(FrameClient.HEADERS, flags, 1 + 2 * i, FrameClient.block(FrameClient.GET)));
        }
        return begun.toByteArray();
    }

    private void awaitAsked() {
        Await.until("an endpoint is asked", () -> asked.get() > 0);
    }

    private void serve(BackendConnection connection, RecordingBackend.Script script) {
        try {
            if (connection.readRequest().target().equals("/canary")) {
                connection.write(RecordingBackend.OK);
                return;
            }
            asked.incrementAndGet();
            script.serve(connection);
        } catch (IOException cut) {
            // the sidecar has had enough
        }
    }
}
