package io.remora.http2;

import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Stand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Flow control is back-pressure: neither side is read faster than the other is written (RFC 9113 section 5.2). */
@EveryEngine
final class Http2FlowIT {
    private static final int LARGE = 64 << 20;
    private static final int CHUNK = 16 << 10;
    /** What the sidecar, its windows and the kernel may hold of a body that nobody reads. */
    private static final int MOST_HELD = 8 << 20;

    @RegisterExtension
    final Stand stand = new Stand("protocol: http2\ntimeouts: { body-idle: 5s }", "");

    /** Sends content as the windows allow, reading what comes in between. */
    private static void upload(FrameClient client, int stream, int total) throws IOException {
        byte[] chunk = new byte[CHUNK];
        int window = 16 << 10;
        int connection = 65_535;
        int sent = 0;
        while (sent < total) {
            int length = Math.min(Math.min(CHUNK, total - sent), Math.min(window, connection));
            if (length > 0) {
                client.data(stream, sent + length == total, Arrays.copyOf(chunk, length));
                sent += length;
                window -= length;
                connection -= length;
            } else {
                FrameClient.Frame frame = client.read();
                if (frame == null) {
                    throw new AssertionError("ended");
                }
                if (frame.type() == FrameClient.WINDOW_UPDATE) {
                    window += frame.stream() == stream ? frame.number(0) : 0;
                    connection += frame.stream() == 0 ? frame.number(0) : 0;
                }
            }
        }
    }

    private static long skip(BackendConnection connection, long count) throws IOException {
        byte[] buffer = new byte[CHUNK];
        long left = count;
        while (left > 0) {
            int read = connection.input().read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                throw new IOException("ended early");
            }
            left -= read;
        }
        return count;
    }

    @Test
    void largeBodiesStreamInBothDirections() throws IOException {
        int total = 8 << 20;
        stand.backend.onRequest(connection -> {
            connection.readHead();
            skip(connection, total);
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + total + "\r\n\r\n");
            for (int i = 0; i < total / CHUNK; i++) {
                connection.write(new byte[CHUNK]);
            }
        });
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.barrier();
            client.windowUpdate(0, LARGE).headers(1, false, with(POST, "content-length", "" + total));
            client.windowUpdate(1, LARGE);
            upload(client, 1, total);
            assertThat(client.answer(1).body.size()).isEqualTo(total);
        }
    }

    /** Of a body that came before there was a connection for it, no part is left behind. */
    @Test
    void contentThatCameBeforeTheBackendWasReadyGoesOn() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(FrameClient.PREFACE.getBytes(StandardCharsets.US_ASCII));
        all.writeBytes(FrameClient.frame(FrameClient.SETTINGS, 0, 0));
        all.writeBytes(FrameClient.frame(FrameClient.HEADERS, FrameClient.END_HEADERS, 1, FrameClient.block(POST)));
        all.writeBytes(FrameClient.frame(FrameClient.DATA, 0, 1, (byte) 'a'));
        all.writeBytes(FrameClient.frame(FrameClient.DATA, FrameClient.END_STREAM, 1, (byte) 'b'));
        try (FrameClient client = FrameClient.raw(stand.sidecar().address())) {
            assertThat(client.send(all.toByteArray()).answer(1).text()).isEqualTo("ok");
        }
        assertThat(stand.backend.requests().get(0).body()).containsExactly('a', 'b');
    }

    /** A client may begin before it knows the settings, with the windows that RFC 9113 gives it. */
    @Test
    void contentThatIsSentBeforeTheSettingsAreKnown() throws IOException {
        int early = 65_535;
        int late = 100_000;
        try (FrameClient client =
                FrameClient.raw(stand.sidecar().address()).silent().begin()) {
            client.headers(1, false, with(POST, "content-length", "" + (early + late)));
            for (int sent = 0; sent < early; sent += CHUNK) {
                client.data(1, false, new byte[Math.min(CHUNK, early - sent)]);
            }
            // all of it has been taken when the settings are acknowledged
            Await.until("taken", () -> stand.backend.received().length > early);
            client.barrier().send(FrameClient.frame(FrameClient.SETTINGS, FrameClient.ACK, 0));
            int window = client.credit(1) + (16 << 10) - early;
            for (int sent = 0; sent < late; ) {
                int length = Math.min(Math.min(CHUNK, late - sent), Math.min(window, client.credit(0)));
                if (length > 0) {
                    client.data(1, sent + length == late, new byte[length]);
                    client.spend(length);
                    sent += length;
                } else {
                    client.read();
                }
                window = client.credit(1) + (16 << 10) - early - sent;
            }
            assertThat(client.answer(1).text()).isEqualTo("ok");
        }
    }

    @Test
    void clientIsHeldBackByABackendThatDoesNotRead() throws Exception {
        AtomicLong taken = new AtomicLong();
        stand.backend.onRequest(connection -> {
            connection.readHead();
            stand.awaitMayAnswer();
            taken.addAndGet(skip(connection, LARGE / 4));
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        });
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.barrier();
            client.headers(1, false, with(POST, "content-length", "" + LARGE / 4));
            AtomicLong sent = new AtomicLong();
            Thread sender = new Thread(() -> {
                try {
                    upload(client, 1, LARGE / 4);
                    sent.set(LARGE / 4);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            sender.start();
            Stand.pause(500);
            long came = stand.sidecar().metrics().sum("remora_request_body_bytes_total", "listener", "test");
            assertThat(came).isPositive().isLessThan(MOST_HELD);
            stand.mayAnswer();
            sender.join(Await.TIMEOUT_MS);
            assertThat(client.answer(1).text()).isEqualTo("ok");
        }
    }

    @Test
    void backendIsHeldBackByAClientThatDoesNotRead() throws IOException {
        AtomicLong written = new AtomicLong();
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
            for (int i = 0; i < LARGE / CHUNK; i++) {
                connection.write(new byte[CHUNK]);
                written.addAndGet(CHUNK);
            }
        });
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.get(1);
            while (client.so(1).body.size() < 65_535) {
                client.read();
            }
            // the windows are used up
            Stand.pause(300);
            long came = stand.sidecar().metrics().sum("remora_response_body_bytes_total", "listener", "test");
            assertThat(came).isLessThan(65_535 + (256 << 10));
            assertThat(written.get()).isLessThan(MOST_HELD);
            client.reset(1, FrameClient.CANCEL).barrier();
        }
    }

    @Test
    void stalledStreamsStopNoOther() throws IOException {
        stand.backend.onRequest(connection -> {
            String target = connection.readHead().target();
            if (target.equals("/stalled")) {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
                connection.write(new byte[100_000]);
                connection.readToEnd();
            } else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            }
        });
        try (FrameClient client = FrameClient.raw(stand.sidecar().address()).begin(4, 1_000)) {
            client.windowUpdate(0, 1 << 20);
            for (int stream = 1; stream < 100; stream += 2) {
                client.headers(
                        stream, true, ":method", "GET", ":scheme", "http", ":authority", "app", ":path", "/stalled");
            }
            for (int stream = 101; stream < 199; stream += 2) {
                assertThat(client.get(stream).answer(stream).text()).isEqualTo("ok");
            }
            assertThat(client.so(1).body.size()).isEqualTo(1_000);
            for (int stream = 1; stream < 100; stream += 2) {
                client.reset(stream, FrameClient.CANCEL);
            }
            client.barrier();
        }
    }

    @Test
    void requestsThatABackendDoesNotTakeStopNoOther() throws IOException {
        stand.backend.onRequest(connection -> {
            String target = connection.readHead().target();
            if (target.equals("/stalled")) {
                stand.awaitMayAnswer();
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
            connection.readToEnd();
        });
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.barrier();
            for (int stream = 1; stream < 10; stream += 2) {
                client.headers(
                        stream, false, ":method", "POST", ":scheme", "http", ":authority", "app", ":path", "/stalled");
                client.data(stream, false, new byte[10_000]);
            }
            for (int stream = 11; stream < 30; stream += 2) {
                assertThat(client.get(stream).answer(stream).text()).isEqualTo("ok");
            }
            stand.mayAnswer();
            assertThat(client.answer(1).status()).isEqualTo(200);
        }
    }

    @Test
    void manySmallPiecesReachTheBackend() throws IOException {
        int pieces = 2_000;
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 1; i <= pieces; i++) {
            int flags = i == pieces ? FrameClient.END_STREAM : 0;
            all.writeBytes(FrameClient.frame(FrameClient.DATA, flags, 1, (byte) 'a'));
        }
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.barrier().headers(1, false, POST).send(all.toByteArray());
            assertThat(client.answer(1).text()).isEqualTo("ok");
        }
        assertThat(stand.backend.requests().get(0).body()).hasSize(pieces).containsOnly('a');
    }

    /** RFC 9113 6.9.1: the end alone needs no window, not even one that settings have made negative. */
    @Test
    void endLeavesBehindANegativeWindow() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n");
            stand.awaitMayAnswer();
            connection.write("0\r\n\r\n");
        });
        try (FrameClient client = FrameClient.raw(stand.sidecar().address()).begin(4, 10)) {
            client.get(1);
            while (client.so(1).body.size() < 4) {
                client.read();
            }
            client.settings(4, 0).barrier();
            stand.mayAnswer();
            assertThat(client.answer(1).text()).isEqualTo("abcd");
            assertThat(client.so(1).ended).isTrue();
        }
    }

    /** What waits for a client is held by its octets, not by the reads in which it came. */
    @Test
    void smallPiecesOfAResponseAreGathered() throws IOException {
        int pieces = 2_000;
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < pieces; i++) {
                connection.write("1\r\n" + (char) ('a' + i % 26) + "\r\n");
            }
            connection.write("0\r\n\r\n");
        });
        try (FrameClient client = FrameClient.raw(stand.sidecar().address()).begin(4, 0)) {
            client.get(1);
            Await.until(
                    "all of it has come",
                    () -> stand.sidecar().metrics().sum("remora_response_body_bytes_total", "listener", "test")
                            == pieces);
            client.windowUpdate(1, 3).windowUpdate(1, pieces);
            int frames = 0;
            while (!client.so(1).ended) {
                FrameClient.Frame frame = client.read();
                frames += frame != null && frame.type() == FrameClient.DATA ? 1 : 0;
            }
            assertThat(frames).isLessThan(10);
            assertThat(client.so(1).body.size()).isEqualTo(pieces);
            for (int i = 0; i < pieces; i++) {
                assertThat(client.so(1).text().charAt(i)).isEqualTo((char) ('a' + i % 26));
            }
        }
    }

    @Test
    void windowThatOverflowsIsAnError() throws IOException {
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.windowUpdate(0, Integer.MAX_VALUE);
            assertThat(client.readToEnd()).isEqualTo(FrameClient.FLOW_CONTROL_ERROR);
        }
    }

    @Test
    void contentBeyondItsWindowIsAnError() throws IOException {
        stand.start("protocol: http2\nhttp2: { initial-window: 1KiB }", "");
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.barrier();
            client.headers(1, false, POST).data(1, false, new byte[1_025]);
            assertThat(client.answer(1).reset).isEqualTo(FrameClient.FLOW_CONTROL_ERROR);
            // of the stream, and of no other
            assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        }
    }

    @Test
    void readerThatDoesNotReadIsCut() throws IOException {
        stand.start("protocol: http2\ntimeouts: { body-idle: 300ms }", "");
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
            for (int i = 0; i < LARGE / CHUNK; i++) {
                connection.write(new byte[CHUNK]);
            }
        });
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.get(1);
            assertThat(client.answer(1).reset).isEqualTo(FrameClient.CANCEL);
            // and only that stream
            stand.backend.replyOk();
            assertThat(client.windowUpdate(0, 100_000)
                            .headers(3, true, GET)
                            .answer(3)
                            .text())
                    .isEqualTo("ok");
        }
    }

    @Test
    void connectionWhoseClientReadsNothingIsCut() throws IOException {
        stand.start("protocol: http2\ntimeouts: { body-idle: 300ms }", "");
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
            for (int i = 0; i < LARGE / CHUNK; i++) {
                connection.write(new byte[CHUNK]);
            }
        });
        try (FrameClient client =
                FrameClient.raw(stand.sidecar().address(), 8 << 10).begin(4, Integer.MAX_VALUE)) {
            client.windowUpdate(0, LARGE).get(1);
            Await.until(
                    "cut",
                    () -> stand.sidecar().metrics().sum("remora_http2_connections_active", "listener", "test") == 0);
        }
    }

    @Test
    void frameThatComesSlowlyIsContent() throws IOException {
        stand.start("protocol: http2\ntimeouts: { body-idle: 400ms }", "");
        byte[] frame = FrameClient.frame(FrameClient.DATA, FrameClient.END_STREAM, 1, new byte[9_991]);
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.headers(1, false, POST);
            for (int at = 0; at < frame.length; at += 1_000) {
                client.send(Arrays.copyOfRange(frame, at, at + 1_000));
                Stand.pause(100);
            }
            assertThat(client.answer(1).status()).isEqualTo(200);
        }
    }

    /** While nothing is read of a client, it cannot end a head. */
    @Test
    void headIsNotAwaitedWhileNothingIsRead() throws IOException {
        stand.start("protocol: http2\ntimeouts: { header-read: 2s, body-idle: 10s }", "");
        int total = 16 << 20;
        stand.backend.onRequest(connection -> {
            if (connection.readHead().target().equals("/")) {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + total + "\r\n\r\n");
                for (int i = 0; i < total / CHUNK; i++) {
                    connection.write(new byte[CHUNK]);
                }
            }
        });
        byte[] head = FrameClient.frame(FrameClient.HEADERS, 5, 3, FrameClient.block(GET));
        try (FrameClient client =
                FrameClient.raw(stand.sidecar().address(), 8 << 10).begin(4, Integer.MAX_VALUE)) {
            client.windowUpdate(0, LARGE).get(1).send(Arrays.copyOf(head, 20));
            // in which the response has to begin, or it is a head that takes too long
            Stand.pause(3_000);
            client.send(Arrays.copyOfRange(head, 20, head.length));
            assertThat(client.answer(1).body.size()).isEqualTo(total);
            assertThat(client.answer(3).body.size()).isEqualTo(total);
        }
    }

    @Test
    void bodyThatDoesNotComeIsAnsweredWith408() throws IOException {
        stand.start("protocol: http2\ntimeouts: { body-idle: 300ms }", "");
        try (FrameClient client = FrameClient.connect(stand.sidecar().address())) {
            client.headers(1, false, POST).data(1, false, "a");
            assertThat(client.answer(1).status()).isEqualTo(408);
            stand.backend.replyOk();
            assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        }
    }
}
