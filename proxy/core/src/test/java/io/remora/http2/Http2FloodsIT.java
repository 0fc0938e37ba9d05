package io.remora.http2;

import static io.remora.http2.FrameClient.CANCEL;
import static io.remora.http2.FrameClient.CONTINUATION;
import static io.remora.http2.FrameClient.DATA;
import static io.remora.http2.FrameClient.END_HEADERS;
import static io.remora.http2.FrameClient.END_STREAM;
import static io.remora.http2.FrameClient.ENHANCE_YOUR_CALM;
import static io.remora.http2.FrameClient.FRAME_SIZE_ERROR;
import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.GOAWAY;
import static io.remora.http2.FrameClient.HEADERS;
import static io.remora.http2.FrameClient.PING;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.PRIORITY;
import static io.remora.http2.FrameClient.REFUSED_STREAM;
import static io.remora.http2.FrameClient.RST_STREAM;
import static io.remora.http2.FrameClient.SETTINGS;
import static io.remora.http2.FrameClient.WINDOW_UPDATE;
import static io.remora.http2.FrameClient.block;
import static io.remora.http2.FrameClient.frame;
import static io.remora.http2.FrameClient.number;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Stand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What costs a client little and a server much: each ends its connection, is counted by its reason, and leaves the others alone. */
final class Http2FloodsIT {
    private static final int MANY = 20_000;

    @RegisterExtension
    static final Stand STAND = new Stand("protocol: http2\ntimeouts: { header-read: 300ms }", "");

    private static long abuse(String reason) {
        return STAND.sidecar().metrics().sum("remora_http2_abuse_total", "listener", "test", "reason", reason);
    }

    /** Each octet sequence is sent as often as the sidecar takes it. */
    private static void floods(String reason, FrameClient client, byte[] unit) throws IOException {
        long before = abuse(reason);
        ByteArrayOutputStream batch = new ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            batch.writeBytes(unit);
        }
        for (int i = 0; i < MANY / 100 && client.trySend(batch.toByteArray()); i++) {
            // as fast as it goes
        }
        isEnded(reason, client, before);
    }

    private static void isEnded(String reason, FrameClient client, long before) throws IOException {
        assertThat(client.readToEnd()).isEqualTo(ENHANCE_YOUR_CALM);
        assertThat(abuse(reason)).isEqualTo(before + 1);
        client.close();
        try (FrameClient other = FrameClient.connect(STAND.sidecar().address())) {
            assertThat(other.get(1).answer(1).text()).isEqualTo("ok");
        }
    }

    private static FrameClient connect() throws IOException {
        return FrameClient.connect(STAND.sidecar().address());
    }

    /** CVE-2023-44487. */
    @Test
    void rapidReset() throws IOException {
        FrameClient client = connect();
        long before = abuse("resets");
        for (int stream = 1; stream < 20_000; stream += 2) {
            ByteArrayOutputStream both = new ByteArrayOutputStream();
            both.writeBytes(frame(HEADERS, END_HEADERS | END_STREAM, stream, block(GET)));
            both.writeBytes(frame(RST_STREAM, 0, stream, number(CANCEL)));
            if (!client.trySend(both.toByteArray())) {
                break;
            }
        }
        isEnded("resets", client, before);
        Await.until(
                "no exchange is left at the backend",
                () -> STAND.sidecar().metrics().sum("remora_backend_exchanges_in_flight") == 0);
    }

    /** Literals of two octets each of which names a line of the whole table. */
    @Test
    void literalsWithALargeName() throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        // a name of 4,000 octets that is kept, and no value
        block.writeBytes(new byte[] {0x40, 0x7f, (byte) 0xa1, 0x1e});
        block.writeBytes("n".repeat(4_000).getBytes(StandardCharsets.US_ASCII));
        block.write(0);
        for (int i = 0; i < 1_000; i++) {
            block.writeBytes(new byte[] {0x7e, 0});
        }
        long before = abuse("header-list");
        FrameClient client = connect();
        client.trySend(frame(HEADERS, END_HEADERS | END_STREAM, 1, block.toByteArray()));
        isEnded("header-list", client, before);
    }

    /** What stands behind the reset that is too much, in the same read, begins nothing. */
    @Test
    void rapidResetInOneWrite() throws IOException {
        FrameClient client = connect();
        long before = abuse("resets");
        long streams = STAND.sidecar().metrics().sum("remora_http2_streams_total", "listener", "test");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int stream = 1; stream < 2_000; stream += 2) {
            all.writeBytes(frame(HEADERS, END_HEADERS | END_STREAM, stream, block(GET)));
            all.writeBytes(frame(RST_STREAM, 0, stream, number(CANCEL)));
        }
        client.trySend(all.toByteArray());
        assertThat(client.readToEnd()).isEqualTo(ENHANCE_YOUR_CALM);
        client.close();
        assertThat(abuse("resets")).isEqualTo(before + 1);
        assertThat(STAND.sidecar().metrics().sum("remora_http2_streams_total", "listener", "test") - streams)
                .isEqualTo(201);
    }

    /** CVE-2025-55163: the server is made to reset what the client has opened. */
    static Stream<Arguments> resetsByTheServer() {
        return Stream.of(
                Arguments.of("window that overflows", opened(frame(WINDOW_UPDATE, 0, 0, number(Integer.MAX_VALUE)))),
                Arguments.of("window that grows by nothing", opened(frame(WINDOW_UPDATE, 0, 0, number(0)))),
                Arguments.of("priority on itself", opened(frame(PRIORITY, 0, 0, new byte[5]))),
                Arguments.of("head behind the end", ended(frame(HEADERS, END_HEADERS | END_STREAM, 0, block(GET)))),
                Arguments.of("content behind the end", ended(frame(DATA, END_STREAM, 0, new byte[1]))),
                Arguments.of("malformed trailers", opened(frame(HEADERS, END_HEADERS | END_STREAM, 0, block("X", "")))),
                Arguments.of("trailers without end", opened(frame(HEADERS, END_HEADERS, 0, block("x", "")))),
                Arguments.of("more content than declared", declared(frame(DATA, END_STREAM, 0, new byte[2]))),
                Arguments.of("malformed head", frame(HEADERS, END_HEADERS, 0, block(with(POST, "X", "")))));
    }

    private static byte[] opened(byte[] then) {
        return both(frame(HEADERS, END_HEADERS, 0, block(POST)), then);
    }

    private static byte[] ended(byte[] then) {
        return both(frame(HEADERS, END_HEADERS | END_STREAM, 0, block(GET)), then);
    }

    private static byte[] declared(byte[] then) {
        return both(frame(HEADERS, END_HEADERS, 0, block(with(POST, "content-length", "1"))), then);
    }

    private static byte[] both(byte[] one, byte[] two) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(one);
        both.writeBytes(two);
        return both.toByteArray();
    }

    /** Of frames that were made for no stream, or that depend on theirs. */
    private static byte[] forStream(byte[] frames, int stream) {
        byte[] copy = frames.clone();
        for (int at = 0; at < copy.length; ) {
            int length = (copy[at] & 0xff) << 16 | (copy[at + 1] & 0xff) << 8 | copy[at + 2] & 0xff;
            System.arraycopy(number(stream), 0, copy, at + 5, 4);
            if (copy[at + 3] == PRIORITY) {
                System.arraycopy(number(stream), 0, copy, at + 9, 4);
            }
            at += 9 + length;
        }
        return copy;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("resetsByTheServer")
    void madeYouReset(String name, byte[] frames) throws IOException {
        STAND.backend.neverAnswer();
        FrameClient client = connect();
        long before = abuse("resets");
        for (int stream = 1; stream < 20_000 && client.trySend(forStream(frames, stream)); stream += 2) {
            // as fast as it goes
        }
        client.readToEnd();
        STAND.backend.replyOk();
        isEnded("resets", client, before);
    }

    /** A trailer section that is too large throws away what the backend has done, as a reset does. */
    @Test
    void trailersThatAreTooLarge() throws IOException {
        FrameClient client = connect();
        long before = abuse("resets");
        byte[] trailers = block("x", "a".repeat(15_800), "y", "a".repeat(15_800), "z", "a".repeat(15_800));
        for (int stream = 1; stream < 1_000; stream += 2) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(frame(HEADERS, END_HEADERS, stream, block(POST)));
            for (int at = 0; at < trailers.length; at += 16_000) {
                int to = Math.min(trailers.length, at + 16_000);
                int flags = (at == 0 ? END_STREAM : 0) | (to == trailers.length ? END_HEADERS : 0);
                byte[] part = Arrays.copyOfRange(trailers, at, to);
                all.writeBytes(frame(at == 0 ? HEADERS : CONTINUATION, flags, stream, part));
            }
            if (!client.trySend(all.toByteArray())) {
                break;
            }
        }
        client.readToEnd();
        isEnded("resets", client, before);
    }

    /** CVE-2019-9512. */
    @Test
    void pings() throws IOException {
        floods("control-frames", connect(), frame(PING, 0, 0, new byte[8]));
    }

    /** CVE-2019-9515. */
    @Test
    void settings() throws IOException {
        floods("control-frames", connect(), frame(SETTINGS, 0, 0));
    }

    @Test
    void priorities() throws IOException {
        FrameClient client = connect();
        client.get(1).answer(1);
        floods("control-frames", client, frame(PRIORITY, 0, 1, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 1));
    }

    @Test
    void windowUpdates() throws IOException {
        floods("control-frames", connect(), frame(WINDOW_UPDATE, 0, 0, number(1)));
    }

    @Test
    void framesOfUnknownTypes() throws IOException {
        floods("control-frames", connect(), frame(0x77, 0, 0, new byte[4]));
    }

    @Test
    void resetsOfAStreamThatHasEnded() throws IOException {
        FrameClient client = connect();
        client.get(1).answer(1);
        floods("control-frames", client, frame(RST_STREAM, 0, 1, number(CANCEL)));
    }

    @Test
    void goAways() throws IOException {
        floods("control-frames", connect(), frame(GOAWAY, 0, 0, new byte[8]));
    }

    /** CVE-2019-9518. */
    @Test
    void emptyData() throws IOException {
        FrameClient client = connect().headers(1, false, POST);
        floods("empty-frames", client, frame(DATA, 0, 1));
    }

    /** CVE-2026-33871. */
    @Test
    void emptyContinuations() throws IOException {
        FrameClient client = connect().silent().send(frame(HEADERS, END_STREAM, 1, block(GET)));
        floods("continuations", client, frame(CONTINUATION, 0, 1));
    }

    @Test
    void continuationsWithoutEnd() throws IOException {
        FrameClient client = connect().silent().send(frame(HEADERS, END_STREAM, 1, block(GET)));
        long before = abuse("header-list");
        byte[] more = frame(CONTINUATION, 0, 1, block("x", "a".repeat(16_000)));
        for (int i = 0; i < 32 && client.trySend(more); i++) {
            // as fast as it goes
        }
        isEnded("header-list", client, before);
    }

    /** A table entry that is named again and again: the decompressed section is far beyond its limit. */
    @Test
    void headerBomb() throws IOException {
        FrameClient client = connect();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.writeBytes(block(GET));
        // literal with incremental indexing, a new name
        head.write(0x40);
        head.write(1);
        head.write('x');
        head.write(127);
        head.write(4_000 - 127 & 127 | 128);
        head.write(4_000 - 127 >> 7);
        head.writeBytes(new byte[4_000]);
        byte[] bytes = head.toByteArray();
        Arrays.fill(bytes, bytes.length - 4_000, bytes.length, (byte) 'a');
        head.reset();
        head.writeBytes(bytes);
        for (int i = 0; i < 10_000; i++) {
            // the newest entry of the table
            head.write(0x80 | 62);
        }
        client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, head.toByteArray()));
        assertThat(client.answer(1).status()).isEqualTo(431);
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        client.close();
    }

    @Test
    void headThatDoesNotComeToItsEnd() throws IOException {
        long before = abuse("unfinished-head");
        FrameClient client = connect().silent().send(frame(HEADERS, END_STREAM, 1, block(GET)));
        isEnded("unfinished-head", client, before);
    }

    @Test
    void frameOfAHeadThatDoesNotComeToItsEnd() throws IOException {
        long before = abuse("unfinished-head");
        byte[] whole = frame(HEADERS, END_HEADERS | END_STREAM, 1, block(GET));
        FrameClient client = connect().silent().send(Arrays.copyOf(whole, whole.length - 1));
        isEnded("unfinished-head", client, before);
    }

    @Test
    void prefaceThatDoesNotComeToItsEnd() throws IOException {
        long before = abuse("unfinished-head");
        FrameClient client = FrameClient.raw(STAND.sidecar().address()).silent().send(new byte[] {'P', 'R', 'I'});
        isEnded("unfinished-head", client, before);
    }

    /** A frame that is too long is refused by its header, in however many pieces that comes. */
    @Test
    void headerOfALongFrameInPieces() throws IOException {
        try (FrameClient client = connect().barrier()) {
            client.send(new byte[] {-1, -1, -1, DATA, 0});
            STAND.sidecar().barrier();
            client.send(new byte[] {0, 0, 0, 1, 0});
            assertThat(client.readToEnd()).isEqualTo(FRAME_SIZE_ERROR);
        }
    }

    /** CVE-2026-47244. */
    @Test
    void moreStreamsThanAllowed() throws IOException {
        STAND.backend.neverAnswer();
        try (FrameClient client = connect()) {
            for (int stream = 1; stream < 2 * 300; stream += 2) {
                client.headers(stream, false, POST);
            }
            assertThat(client.answer(2 * 100 + 1).reset).isEqualTo(REFUSED_STREAM);
            client.barrier();
            assertThat(STAND.sidecar().metrics().sum("remora_http2_streams_active", "listener", "test"))
                    .isEqualTo(100);
        }
    }

    /** CVE-2026-93492 and CVE-2026-50560: what a client wants of its responses costs no more than the usual. */
    @Test
    void settingsThatAskForTooMuchOrTooLittle() throws IOException {
        try (FrameClient client = FrameClient.raw(STAND.sidecar().address()).begin(1, Integer.MAX_VALUE, 6, 0)) {
            for (int stream = 1; stream < 40; stream += 2) {
                // the first response tells how small the table is, and it stays so
                assertThat(sizeUpdate(client, stream)).isEqualTo(stream == 1);
                assertThat(client.answer(stream).text()).isEqualTo("ok");
            }
            client.settings(6, 1).settings(1, 0).barrier();
            assertThat(sizeUpdate(client, 41)).isTrue();
            assertThat(client.answer(41).status()).isEqualTo(200);
            client.settings(1, Integer.MAX_VALUE).barrier();
            client.get(43);
            byte[] section = section(client, 43);
            // 1,024 as five bits and two more octets (RFC 7541 6.3), and nothing above
            assertThat(Arrays.copyOf(section, 3)).containsExactly(0x3f, 0xe1, 0x07);
            assertThat(client.answer(43).text()).isEqualTo("ok");
        }
    }

    /** Whether the response's head begins with the size of a table (RFC 7541 6.3). */
    private static boolean sizeUpdate(FrameClient client, int stream) throws IOException {
        client.get(stream);
        return (section(client, stream)[0] & 0xe0) == 0x20;
    }

    private static byte[] section(FrameClient client, int stream) throws IOException {
        for (FrameClient.Frame frame = client.read(); frame != null; frame = client.read()) {
            if (frame.type() == HEADERS && frame.stream() == stream) {
                return frame.payload();
            }
        }
        throw new AssertionError("no head");
    }

    @Test
    void clientThatResetsWhatItNoLongerWants() throws IOException {
        STAND.backend.neverAnswer();
        try (FrameClient client = connect()) {
            for (int stream = 1; stream < 200; stream += 2) {
                client.get(stream).reset(stream, CANCEL);
            }
            STAND.backend.replyOk();
            assertThat(client.get(201).answer(201).text()).isEqualTo("ok");
        }
        Await.until("no exchange is left", () -> STAND.sidecar().metrics().sum("remora_http2_streams_active") == 0);
    }

    /** RFC 7541 6.2.3: a field that nobody may keep in a table is a field all the same. */
    @Test
    void fieldThatIsNeverIndexed() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.writeBytes(block(GET));
        byte[] field = block("x-secret", "a");
        field[0] = 0x10;
        head.writeBytes(field);
        try (FrameClient client = connect()) {
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, head.toByteArray()));
            assertThat(client.answer(1).text()).isEqualTo("ok");
            assertThat(client.headers(3, true, with(GET, "x-empty", ""))
                            .answer(3)
                            .text())
                    .isEqualTo("ok");
        }
        assertThat(new String(STAND.atBackend(), StandardCharsets.ISO_8859_1))
                .contains("x-secret: a\r\n")
                .contains("x-empty: \r\n");
    }
}
