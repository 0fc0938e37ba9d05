package io.remora.http2;

import static io.remora.http2.FrameClient.DATA;
import static io.remora.http2.FrameClient.END_HEADERS;
import static io.remora.http2.FrameClient.END_STREAM;
import static io.remora.http2.FrameClient.FLOW_CONTROL_ERROR;
import static io.remora.http2.FrameClient.FRAME_SIZE_ERROR;
import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.HEADERS;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.PRIORITY;
import static io.remora.http2.FrameClient.PROTOCOL_ERROR;
import static io.remora.http2.FrameClient.RST_STREAM;
import static io.remora.http2.FrameClient.SETTINGS;
import static io.remora.http2.FrameClient.WINDOW_UPDATE;
import static io.remora.http2.FrameClient.block;
import static io.remora.http2.FrameClient.frame;
import static io.remora.http2.FrameClient.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Stand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The form of frames, the order in which they leave, and header blocks of streams that are errors. */
final class Http2FramesIT {
    private static final int TABLE_SIZE = 1;
    private static final int PADDED = 8;
    private static final int PRIORITIZED = 0x20;
    private static final int INITIAL_WINDOW = 4;
    private static final int MAX_FRAME = 5;

    @RegisterExtension
    final Stand stand = new Stand("protocol: http2", "");

    private FrameClient connect() throws IOException {
        return FrameClient.connect(stand.sidecar().address());
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    // ---- form

    static Stream<Arguments> malformed() {
        return Stream.of(
                Arguments.of("padding without its length", FRAME_SIZE_ERROR, frame(HEADERS, PADDED | END_HEADERS, 1)),
                Arguments.of(
                        "a priority that is cut",
                        FRAME_SIZE_ERROR,
                        frame(HEADERS, PRIORITIZED | END_HEADERS, 1, new byte[4])),
                Arguments.of(
                        "padding as long as the frame", PROTOCOL_ERROR, frame(HEADERS, PADDED | END_HEADERS, 1, (byte)
                                1)),
                Arguments.of(
                        "padding that covers the priority",
                        PROTOCOL_ERROR,
                        frame(
                                HEADERS,
                                PADDED | PRIORITIZED | END_HEADERS,
                                1,
                                (byte) 1,
                                (byte) 0,
                                (byte) 0,
                                (byte) 0,
                                (byte) 0,
                                (byte) 0)),
                Arguments.of(
                        "a window beyond the largest",
                        FLOW_CONTROL_ERROR,
                        frame(SETTINGS, 0, 0, joined(new byte[] {0, INITIAL_WINDOW}, number(Integer.MIN_VALUE)))),
                Arguments.of(
                        "frames smaller than the least",
                        PROTOCOL_ERROR,
                        frame(SETTINGS, 0, 0, joined(new byte[] {0, MAX_FRAME}, number((1 << 14) - 1)))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void endsTheConnection(String name, int code, byte[] frame) throws IOException {
        try (FrameClient client = connect()) {
            assertThat(client.barrier().send(frame).readToEnd()).isEqualTo(code);
        }
    }

    /** RFC 9113 3.4: however long it is, as an answer of HTTP/1.1 is read as a frame of four million octets. */
    @Test
    void aFirstFrameThatIsNotSettingsIsABadPreface() throws IOException {
        try (FrameClient client = FrameClient.raw(stand.sidecar().address())) {
            client.send(FrameClient.PREFACE.getBytes(StandardCharsets.US_ASCII));
            client.send(frame(FrameClient.PING, 0, 0, new byte[20_000]));
            assertThat(client.readToEnd()).isEqualTo(PROTOCOL_ERROR);
        }
    }

    static Stream<Arguments> idle() {
        return Stream.of(
                Arguments.of("a priority that is cut", FRAME_SIZE_ERROR, frame(PRIORITY, 0, 9, new byte[4])),
                Arguments.of(
                        "a priority on itself", PROTOCOL_ERROR, frame(PRIORITY, 0, 9, joined(number(9), new byte[1]))),
                Arguments.of("a window that grows by nothing", PROTOCOL_ERROR, frame(WINDOW_UPDATE, 0, 9, number(0))),
                Arguments.of("a window", PROTOCOL_ERROR, frame(WINDOW_UPDATE, 0, 9, number(1))),
                Arguments.of("a reset", PROTOCOL_ERROR, frame(RST_STREAM, 0, 9, number(FrameClient.CANCEL))),
                Arguments.of("content", PROTOCOL_ERROR, frame(DATA, 0, 9, new byte[1])));
    }

    /** RFC 9113 6.4: a stream that nobody has begun takes no reset. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("idle")
    void aFrameOfNoStreamEndsTheConnection(String name, int code, byte[] frame) throws IOException {
        try (FrameClient client = connect()) {
            assertThat(client.get(1).send(frame).readToEnd()).isEqualTo(code);
            assertThat(client.so(9).reset).isEqualTo(-1);
        }
    }

    /** RFC 9113 6.9.2: a window below zero is opened beyond that before anything leaves. */
    @Test
    void aWindowMayBeBelowZero() throws IOException {
        stand.backend.reply("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + "a".repeat(40));
        try (FrameClient client = FrameClient.raw(stand.sidecar().address()).begin(INITIAL_WINDOW, 10)) {
            client.get(1);
            awaitBody(client, 10);
            client.settings(INITIAL_WINDOW, 0).windowUpdate(1, 10).barrier();
            assertThat(client.so(1).body.size()).isEqualTo(10);
            client.windowUpdate(1, 5);
            awaitBody(client, 15);
            client.barrier();
            assertThat(client.so(1).body.size()).isEqualTo(15);
            client.settings(INITIAL_WINDOW, Integer.MAX_VALUE);
            assertThat(client.answer(1).body.size()).isEqualTo(40);
        }
    }

    private static void awaitBody(FrameClient client, int octets) throws IOException {
        while (client.so(1).body.size() < octets) {
            client.read();
        }
    }

    /** RFC 9113 6.9: content of a stream that has ended counts for the connection's window, and is given back once. */
    @Test
    void contentOfAClosedStreamIsGivenBackOnce() throws IOException {
        int octets = 16_000;
        int frames = 160;
        try (FrameClient client = connect()) {
            client.get(1).answer(1);
            client.barrier();
            int before = client.credit(0);
            for (int i = 0; i < frames; i++) {
                client.data(1, false, new byte[octets]);
                if (i % 4 == 3) {
                    client.barrier();
                }
            }
            assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
            int window = 65_535 + before;
            assertThat(client.credit(0) - before).isBetween(frames * octets - window, frames * octets);
        }
    }

    /** RFC 9113 6.9.2: of the connection, though it is the window of one stream that is too large. */
    @Test
    void aSettingThatMakesAWindowTooLargeEndsTheConnection() throws IOException {
        stand.backend.neverAnswer();
        try (FrameClient client = connect()) {
            client.get(1).windowUpdate(1, Integer.MAX_VALUE - 65_535).barrier();
            assertThat(client.settings(INITIAL_WINDOW, 65_536).readToEnd()).isEqualTo(FLOW_CONTROL_ERROR);
        }
    }

    /** The last value of a setting that comes twice in a frame holds. */
    @Test
    void theLastOfTwoSettingsHolds() throws IOException {
        try (FrameClient client =
                FrameClient.raw(stand.sidecar().address()).begin(INITIAL_WINDOW, 100, INITIAL_WINDOW, 1)) {
            client.get(1).barrier();
            while (client.so(1).body.size() < 1) {
                client.read();
            }
            client.barrier();
            assertThat(client.so(1).body.size()).isOne();
            assertThat(client.windowUpdate(1, 1).answer(1).text()).isEqualTo("ok");
        }
    }

    /** RFC 7541 4.2: the smallest of several sizes empties the table, and is announced before the last one. */
    @Test
    void theSmallestOfTwoTableSizesIsToldToo() throws IOException {
        try (FrameClient client =
                FrameClient.raw(stand.sidecar().address()).begin(TABLE_SIZE, 4_096, TABLE_SIZE, 0, TABLE_SIZE, 4_096)) {
            client.get(1);
            FrameClient.Frame head = client.read();
            while (head != null && head.type() != HEADERS) {
                head = client.read();
            }
            assertThat(head).isNotNull();
            // 0, and 1,024
            assertThat(head.payload()).startsWith(0x20, 0x3f, 0xe1, 0x07);
            assertThat(client.answer(1).text()).isEqualTo("ok");
        }
    }

    // ---- header blocks

    /** RFC 9113 4.3: it is decompressed all the same, as later ones refer to what it has put into the table. */
    @Test
    void aBlockOfAStreamThatIsAnErrorKeepsTheTableInStep() throws IOException {
        byte[] itself = joined(number(1), new byte[1]);
        byte[] kept = joined(new byte[] {0x40, 1, 'x', 4}, "kept".getBytes(StandardCharsets.US_ASCII));
        try (FrameClient client = connect()) {
            client.send(frame(HEADERS, PRIORITIZED | END_HEADERS | END_STREAM, 1, joined(itself, block(GET), kept)));
            assertThat(client.answer(1).reset).isEqualTo(PROTOCOL_ERROR);
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 3, joined(block(GET), new byte[] {(byte) 0xbe})));
            assertThat(client.answer(3).text()).isEqualTo("ok");
        }
        assertThat(stand.backend.requests()).hasSize(1);
        assertThat(stand.backend.requests().get(0).field("x")).isEqualTo("kept");
    }

    @Test
    void aSectionThatIsLargerThanAFrameGoesOnInOthers() throws IOException {
        String large = "a".repeat(20_000);
        stand.backend.reply(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-One: " + large + "\r\nX-Two: b" + large + "\r\n\r\nok");
        try (FrameClient client = connect()) {
            FrameClient.Answer answer = client.get(1).answer(1);
            assertThat(answer.field("x-one")).isEqualTo(large);
            assertThat(answer.field("x-two")).isEqualTo("b" + large);
            assertThat(answer.text()).isEqualTo("ok");
        }
    }

    // ---- the order in which frames leave

    /** Streams that wait for windows send in turn, so that none of them waits for the end of another. */
    @Test
    void streamsSendInTurn() throws IOException {
        int body = 60_000;
        stand.backend.reply("HTTP/1.1 200 OK\r\nContent-Length: " + body + "\r\n\r\n" + "a".repeat(body));
        try (FrameClient client = FrameClient.raw(stand.sidecar().address()).begin(INITIAL_WINDOW, 0)) {
            client.headers(1, true, GET).headers(3, true, GET).headers(5, true, GET);
            client.begun(1);
            client.begun(3);
            client.begun(5);
            client.barrier();
            client.send(joined(
                    frame(FrameClient.WINDOW_UPDATE, 0, 1, number(body)),
                    frame(FrameClient.WINDOW_UPDATE, 0, 3, number(body)),
                    frame(FrameClient.WINDOW_UPDATE, 0, 5, number(body)),
                    frame(FrameClient.WINDOW_UPDATE, 0, 0, number(3 * body))));
            List<Integer> order = new ArrayList<>();
            while (!client.so(1).ended || !client.so(3).ended || !client.so(5).ended) {
                FrameClient.Frame next = client.read();
                if (next != null && next.type() == DATA) {
                    order.add(next.stream());
                }
            }
            assertThat(order.subList(0, 6)).containsExactly(1, 3, 5, 1, 3, 5);
            assertThat(client.so(5).body.size()).isEqualTo(body);
        }
    }

    /** Trailers need no window, but do not overtake the content before them. */
    @Test
    void trailersWaitBehindContent() throws IOException {
        stand.backend.reply(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n\r\n4\r\nabcd\r\n0\r\nx: y\r\n\r\n");
        try (FrameClient client = FrameClient.raw(stand.sidecar().address()).begin(INITIAL_WINDOW, 1)) {
            client.headers(1, true, FrameClient.with(GET, "te", "trailers"));
            while (client.so(1).body.size() < 1) {
                client.read();
            }
            client.barrier();
            assertThat(client.so(1).sections).hasSize(1);
            assertThat(client.windowUpdate(1, 3).answer(1).text()).isEqualTo("abcd");
            assertThat(client.answer(1).sections.get(1)).containsEntry("x", "y");
        }
    }

    /** Content that is empty but for its padding counts for the windows, which are opened again. */
    @Test
    void paddingIsGivenBack() throws IOException {
        byte[] padded = new byte[256];
        padded[0] = (byte) 255;
        try (FrameClient client = connect()) {
            client.headers(1, false, POST);
            for (int i = 0; i < 100; i++) {
                client.send(frame(DATA, PADDED, 1, padded)).barrier();
            }
            assertThat(client.data(1, true, "a").answer(1).text()).isEqualTo("ok");
            assertThat(client.credit(1)).isGreaterThanOrEqualTo(100 * 256 - (16 << 10));
        }
    }
}
