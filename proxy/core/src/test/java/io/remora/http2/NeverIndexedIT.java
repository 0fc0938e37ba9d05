package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The representations of field lines on the wire: those that came as never indexed, and those that the configuration
 * names, are literals that are never indexed (RFC 7541 6.2.3 and 7.1).
 */
final class NeverIndexedIT {
    private static final int SECONDS = 10;

    private static final int INDEXED = 0x80;
    private static final int KEPT = 0x40;
    private static final int NEVER = 0x10;
    private static final int PLAIN = 0;
    private static final String DATE = "Sun, 29 Nov 2026 00:00:00 GMT";

    private static final int END_HEADERS = 4;
    private static final int ENDS = 1;

    private final BlockingQueue<Map<String, Integer>> requests = new LinkedBlockingQueue<>();

    /** The representations of the lines of a connection's blocks, told by their first octets, with the names as the decoder has them. */
    private static final class Reader {
        private final HpackDecoder decoder = new HpackDecoder(4_096, 1 << 20);
        private final FieldSection section = new FieldSection();

        Map<String, Integer> read(byte[] payload) {
            ByteBuf block = Unpooled.wrappedBuffer(payload);
            assertThat(decoder.decode(block, 0, payload.length, section)).isNull();
            Map<String, Integer> kinds = new LinkedHashMap<>();
            for (int i = 0; i < section.count(); ) {
                int first = block.readUnsignedByte();
                if (first >= INDEXED) {
                    integer(block, first, 0x7f);
                    kinds.put(name(i++), INDEXED);
                } else if ((first & 0xe0) == 0x20) {
                    integer(block, first, 0x1f);
                } else {
                    int index = integer(block, first, first >= KEPT ? 0x3f : 0x0f);
                    for (int strings = index == 0 ? 2 : 1; strings > 0; strings--) {
                        block.skipBytes(integer(block, block.readUnsignedByte(), 0x7f));
                    }
                    kinds.put(name(i++), first & (KEPT | NEVER));
                }
            }
            assertThat(block.isReadable()).isFalse();
            return kinds;
        }

        private String name(int line) {
            int start = section.nameStart(line);
            return new String(section.array(), start, section.nameEnd(line) - start, StandardCharsets.US_ASCII);
        }

        private static int integer(ByteBuf block, int first, int prefix) {
            int value = first & prefix;
            if (value == prefix) {
                int shift = 0;
                int octet;
                do {
                    octet = block.readUnsignedByte();
                    value += (octet & 0x7f) << shift;
                    shift += 7;
                } while (octet >= 0x80);
            }
            return value;
        }
    }

    /** Lines of a first octet, a name and a value; the first octet is that of a literal with its name. */
    private static byte[] block(Object... lines) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < lines.length; i += 3) {
            byte[] line = FrameClient.block((String) lines[i + 1], (String) lines[i + 2]);
            line[0] = (byte) (int) lines[i];
            out.writeBytes(line);
        }
        return out.toByteArray();
    }

    private static byte[] request(int pseudo, Object... more) {
        byte[] head = block(
                pseudo, ":method", "GET", PLAIN, ":scheme", "http", pseudo, ":authority", "app", pseudo, ":path", "/a");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(head);
        out.writeBytes(block(more));
        return out.toByteArray();
    }

    // records each request's sections, and answers each with the same head and trailers
    private void answering(Http2Peer peer, byte[] head, byte[] trailers) throws IOException {
        peer.begin();
        Reader reader = new Reader();
        for (Http2Peer.Frame frame = peer.read(); frame != null; frame = peer.read()) {
            if (frame.type() == Http2Peer.HEADERS) {
                requests.add(reader.read(frame.payload()));
            }
            boolean whole = frame.type() == Http2Peer.HEADERS || frame.type() == Http2Peer.DATA;
            if (whole && frame.isLast()) {
                peer.frame(Http2Peer.HEADERS, END_HEADERS, frame.stream(), head);
                peer.frame(Http2Peer.HEADERS, END_HEADERS | ENDS, frame.stream(), trailers);
            }
        }
    }

    private Http2Backend answering(byte[] head, byte[] trailers) {
        return Http2Backend.start((peer, connection) -> answering(peer, head, trailers));
    }

    // with its own date: one of the sidecar changes, and may displace a line that waits for its repetition
    private static byte[] ok(Object... more) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(0x88);
        out.writeBytes(block(PLAIN, "date", DATE));
        out.writeBytes(block(more));
        return out.toByteArray();
    }

    private Map<String, Integer> request() throws InterruptedException {
        Map<String, Integer> request = requests.poll(SECONDS, TimeUnit.SECONDS);
        assertThat(request).isNotNull();
        return request;
    }

    private static Sidecar sidecar(int port, String http2OfListener, String http2OfCluster) {
        return Sidecar.start(Setup.at(port)
                .listener("protocol: http2\n" + http2OfListener)
                .cluster("protocol: http2\n" + http2OfCluster));
    }

    private static FrameClient send(FrameClient client, int stream, boolean ends, byte[] block) throws IOException {
        return client.send(FrameClient.frame(FrameClient.HEADERS, END_HEADERS | (ends ? ENDS : 0), stream, block));
    }

    private static Map<String, Integer> section(FrameClient client, Reader reader) throws IOException {
        FrameClient.Frame frame = client.read();
        while (frame != null && frame.type() != FrameClient.HEADERS) {
            frame = client.read();
        }
        assertThat(frame).isNotNull();
        return reader.read(frame.payload());
    }

    @Test
    void aRequestsMarksReachTheEndpoint() throws Exception {
        try (Http2Backend backend = answering(ok(), block(PLAIN, "x-sum", "1"));
                Sidecar sidecar = sidecar(backend.port(), "", "");
                FrameClient client = FrameClient.connect(sidecar.address())) {
            send(client, 1, false, request(NEVER, NEVER, "x-token", "secret", PLAIN, "x-open", "a", KEPT, "x-k", "b"));
            send(client, 1, true, block(NEVER, "x-tail", "t", PLAIN, "x-rest", "r"));
            assertThat(client.answer(1).status()).isEqualTo(200);
            assertThat(request())
                    .containsEntry(":method", NEVER)
                    .containsEntry(":authority", NEVER)
                    .containsEntry(":path", NEVER)
                    .containsEntry("x-token", NEVER)
                    .containsEntry("x-open", PLAIN)
                    .containsEntry("x-k", PLAIN);
            assertThat(request()).containsEntry("x-tail", NEVER).containsEntry("x-rest", PLAIN);

            // they are of one request
            send(client, 3, true, request(PLAIN, PLAIN, "x-token", "open"));
            assertThat(client.answer(3).status()).isEqualTo(200);
            assertThat(request())
                    .containsEntry(":method", INDEXED)
                    .containsEntry(":authority", PLAIN)
                    .containsEntry(":path", PLAIN)
                    .containsEntry("x-token", PLAIN);
        }
    }

    @Test
    void aResponsesMarksReachTheClient() throws Exception {
        byte[] trailers = block(NEVER, "x-tail", "t", PLAIN, "x-rest", "r");
        try (Http2Backend backend = answering(ok(NEVER, "x-token", "secret", PLAIN, "x-open", "a"), trailers);
                Sidecar sidecar = sidecar(backend.port(), "", "");
                FrameClient client = FrameClient.connect(sidecar.address())) {
            Reader reader = new Reader();
            for (int i = 0; i < 3; i++) {
                send(client, 1 + 2 * i, true, request(PLAIN));
                // a line that is repeated enters the table
                int open = i == 0 ? PLAIN : i == 1 ? KEPT : INDEXED;
                assertThat(section(client, reader))
                        .containsEntry("x-token", NEVER)
                        .containsEntry("x-open", open);
                assertThat(section(client, reader))
                        .containsEntry("x-tail", NEVER)
                        .containsEntry("x-rest", open);
            }
        }
    }

    @Test
    void namesOfTheConfigurationAreNeverIndexed() throws Exception {
        byte[] head = ok(PLAIN, "x-session", "s", PLAIN, "x-sessions", "s");
        try (Http2Backend backend = answering(head, block(PLAIN, "x-session", "s"));
                Sidecar sidecar = sidecar(
                        backend.port(),
                        "http2: { never-indexed: [X-Session] }",
                        "http2: { never-indexed: [x-other, X-Api-Key] }");
                FrameClient client = FrameClient.connect(sidecar.address())) {
            Reader reader = new Reader();
            for (int i = 0; i < 3; i++) {
                send(client, 1 + 2 * i, true, request(PLAIN, PLAIN, "x-api-key", "k", PLAIN, "x-session", "s"));
                assertThat(request()).containsEntry("x-api-key", NEVER).containsEntry("x-session", PLAIN);
                assertThat(section(client, reader))
                        .containsEntry("x-session", NEVER)
                        .containsEntry("x-sessions", i == 0 ? PLAIN : i == 1 ? KEPT : INDEXED);
                assertThat(section(client, reader)).containsEntry("x-session", NEVER);
            }
        }
    }

    /** HTTP/1.1 has no such mark. */
    @Test
    void anEndpointInHttp11GetsTheLine() throws Exception {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.start(Setup.before(backend).listener("protocol: http2"));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            backend.replyOk();
            send(client, 1, true, request(NEVER, NEVER, "x-token", "secret"));
            assertThat(client.answer(1).status()).isEqualTo(200);
            assertThat(backend.requests()).singleElement().satisfies(request -> {
                assertThat(request.target()).isEqualTo("/a");
                assertThat(request.field("x-token")).isEqualTo("secret");
            });
        }
    }
}
