package io.remora.http2;

import static io.remora.http2.FrameClient.CANCEL;
import static io.remora.http2.FrameClient.CONTINUATION;
import static io.remora.http2.FrameClient.DATA;
import static io.remora.http2.FrameClient.ENHANCE_YOUR_CALM;
import static io.remora.http2.FrameClient.HEADERS;
import static io.remora.http2.FrameClient.PING;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.REFUSED_STREAM;
import static io.remora.http2.FrameClient.frame;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Await;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Honest clients that send much, and good streams of clients that go too far. */
final class Http2FloodGraceIT {
    private static final byte[] ONE_PING = frame(PING, 0, 0, new byte[8]);
    private static final long GRACE_NS = 5_000_000_000L;

    @RegisterExtension
    final Stand stand = new Stand("protocol: http2\nhttp2: { floods: { resets: 20 } }", "");

    @TempDir
    Path directory;

    private FrameClient connect() throws IOException {
        return FrameClient.connect(stand.sidecar().address());
    }

    private static byte[] times(int count, byte[]... frames) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            for (byte[] one : frames) {
                all.writeBytes(one);
            }
        }
        return all.toByteArray();
    }

    private long failures(String label) {
        return stand.sidecar().metrics().sum("remora_failures_total", "listener", "test", "failure", label);
    }

    private long abuse(String reason) {
        return stand.sidecar().metrics().sum("remora_http2_abuse_total", "listener", "test", "reason", reason);
    }

    // ---- credit

    /** gRPC's clients measure the bandwidth by a PING for each read. */
    @Test
    void aPingForEachFrameIsNoFlood() throws IOException {
        try (FrameClient client = connect()) {
            for (int stream = 1; stream < 2 * 800; stream += 2) {
                client.get(stream).send(times(2, ONE_PING));
                assertThat(client.answer(stream).text()).isEqualTo("ok");
            }
            assertThat(client.barrier().goAways()).isZero();
        }
    }

    @Test
    void creditIsCappedAndThenSpent() throws IOException {
        try (FrameClient client = connect()) {
            for (int stream = 1; stream < 2 * 400; stream += 2) {
                client.get(stream).answer(stream);
            }
            // of which a hundred are beyond the bound, and paid for
            client.send(times(1_100, ONE_PING)).barrier();
            assertThat(client.goAways()).isZero();
            client.trySend(times(2_000, ONE_PING));
            assertThat(client.readToEnd()).isEqualTo(ENHANCE_YOUR_CALM);
        }
        assertThat(abuse("control-frames")).isOne();
    }

    /** A client's own frames earn it nothing. */
    @Test
    void contentOfTheClientsPaysForNothing() throws IOException {
        stand.backend.neverAnswer();
        try (FrameClient client = connect().headers(1, false, POST)) {
            client.trySend(times(2_500, frame(DATA, 0, 1, (byte) 'x'), ONE_PING));
            assertThat(client.readToEnd()).isEqualTo(ENHANCE_YOUR_CALM);
        }
        assertThat(abuse("control-frames")).isOne();
    }

    /** A client that is asked whether it is there has to answer. */
    @Test
    void answersToPingsOfTheSidecarAreNoFlood() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.start(Setup.before(backend)
                        .listener("protocol: http2\nhttp2: { keep-alive: 20ms, floods: { control-frames: 5 } }"));
                FrameClient client = FrameClient.connect(sidecar.address()).headers(1, false, POST)) {
            for (int answered = 0; answered < 20; ) {
                FrameClient.Frame read = client.read();
                assertThat(read).as("answered %s", answered).isNotNull();
                if (read.type() == PING && read.flags() == 0) {
                    client.send(frame(PING, FrameClient.ACK, 0, read.payload()));
                    answered++;
                }
            }
            client.data(1, true, "x");
            assertThat(client.answer(1).text()).isEqualTo("ok");
            assertThat(client.goAways()).isZero();
        }
    }

    // ---- the grace

    @Test
    void streamsThatAreGoodEndInOrder() throws IOException {
        try (FrameClient client = connect().headers(1, false, POST)) {
            client.send(times(1_200, ONE_PING));
            client.awaitGoAway();
            assertThat(client.goAway()).isEqualTo(ENHANCE_YOUR_CALM);
            assertThat(client.lastStream()).isEqualTo(1);
            assertThat(client.get(3).answer(3).reset).isEqualTo(REFUSED_STREAM);
            client.data(1, true, "all of it");
            assertThat(client.answer(1).text()).isEqualTo("ok");
            client.readToEnd();
        }
        assertThat(stand.backend.requests()).hasSize(1);
        assertThat(new String(stand.backend.requests().get(0).body(), StandardCharsets.US_ASCII))
                .isEqualTo("all of it");
        assertThat(failures("flood")).isZero();
    }

    /** Beyond the bound nothing is answered, however much is in one read. */
    @Test
    void whatIsTooMuchIsNotAnswered() throws IOException {
        try (FrameClient client = connect().headers(1, false, POST)) {
            client.send(times(1_500, ONE_PING)).data(1, true, "x");
            int answers = 0;
            for (FrameClient.Frame read = client.read(); read != null; read = client.read()) {
                answers += read.type() == PING ? 1 : 0;
            }
            assertThat(answers).isBetween(900, 1_001);
            assertThat(client.so(1).text()).isEqualTo("ok");
        }
    }

    @Test
    void graceEndsAndSoDoTheStreams() throws IOException {
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.start(
                        Setup.before(backend).listener("protocol: http2").process(log.setting()));
                FrameClient client = FrameClient.connect(sidecar.address()).headers(1, false, POST)) {
            client.send(times(1_200, ONE_PING));
            assertThat(client.answer(1).reset).isEqualTo(ENHANCE_YOUR_CALM);
            assertThat(client.readToEnd()).isEqualTo(ENHANCE_YOUR_CALM);
            assertThat(log.line(1)).contains("\"failure\":\"flood\"");
            assertThat(sidecar.metrics().sum("remora_failures_total", "failure", "flood"))
                    .isOne();
        }
    }

    /** A bound that has no grace of its own ends that of another. */
    @Test
    void anUnfinishedHeadInTheGraceIsAFlood() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.start(
                        Setup.before(backend).listener("protocol: http2\ntimeouts: { header-read: 1s }"));
                FrameClient client = FrameClient.connect(sidecar.address()).headers(1, false, POST)) {
            client.send(times(1_200, ONE_PING)).awaitGoAway();
            client.send(frame(HEADERS, 0, 3, (byte) 0x82));
            assertThat(client.answer(1).reset).isEqualTo(ENHANCE_YOUR_CALM);
            client.readToEnd();
            Await.until("counted", () -> sidecar.metrics().sum("remora_failures_total", "failure", "flood") == 1);
            assertThat(sidecar.metrics().sum("remora_failures_total", "failure", "client-gone"))
                    .isZero();
        }
    }

    @Test
    void aSecondBoundCutsAtOnce() throws IOException {
        try (FrameClient client = connect().headers(1, false, POST)) {
            long beforeNs = System.nanoTime();
            client.trySend(times(2_100, ONE_PING));
            assertThat(client.readToEnd()).isEqualTo(ENHANCE_YOUR_CALM);
            assertThat(System.nanoTime() - beforeNs).isLessThan(GRACE_NS);
            assertThat(client.so(1).reset).isEqualTo(ENHANCE_YOUR_CALM);
        }
        Await.until("counted", () -> failures("flood") == 1);
        assertThat(failures("client-gone")).isZero();
        assertThat(abuse("control-frames")).isOne();
    }

    /** A head that is too large has octets that are too many, and no frames. */
    @Test
    void aHeadThatIsTooLargeHasNoCount() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.writeBytes(frame(HEADERS, 0, 1, new byte[16_384]));
        head.writeBytes(times(30, frame(CONTINUATION, 0, 1, new byte[16_384])));
        assertThat(floodLines(1, head.toByteArray()))
                .singleElement()
                .asString()
                .contains("WARN listener test: flood peer=127.0.0.1 kind=header-list; ");
    }

    /** Returns what so many connections that each send this have the log say. */
    private List<String> floodLines(int connections, byte[] sent) throws IOException {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            for (int i = 0; i < connections; i++) {
                try (FrameClient client = connect()) {
                    client.trySend(sent);
                    client.readToEnd();
                }
            }
        } finally {
            System.setErr(before);
        }
        return log.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("flood"))
                .toList();
    }

    @Test
    void theLogHasOneLine() throws IOException {
        assertThat(floodLines(3, times(1_200, ONE_PING)))
                .singleElement()
                .asString()
                .contains("WARN listener test: flood peer=127.0.0.1 kind=control-frames count=1001; ");
    }

    // ---- resets

    /** More than the bound, and one in ten. */
    @Test
    void aClientMayCancelCalls() throws IOException {
        try (FrameClient client = connect()) {
            for (int stream = 1; stream < 2 * 400; stream += 2) {
                client.get(stream);
                if (stream % 20 == 1) {
                    client.reset(stream, CANCEL);
                } else {
                    assertThat(client.answer(stream).text()).isEqualTo("ok");
                }
            }
            assertThat(client.barrier().goAways()).isZero();
        }
    }

    @Test
    void halfOfTheStreamsAreTooMany() throws IOException {
        try (FrameClient client = connect()) {
            int stream = 1;
            for (int i = 0; i < 15; i++, stream += 2) {
                client.get(stream).answer(stream);
            }
            stand.backend.neverAnswer();
            for (int i = 0; i < 21; i++, stream += 2) {
                client.get(stream).reset(stream, CANCEL);
            }
            assertThat(client.readToEnd()).isEqualTo(ENHANCE_YOUR_CALM);
        }
        assertThat(abuse("resets")).isOne();
    }

    @Test
    void streamsThatWereWaitedForMayBeGivenUp() throws IOException {
        stand.backend.neverAnswer();
        try (FrameClient client = connect()) {
            for (int stream = 1; stream < 2 * 60; stream += 2) {
                client.get(stream);
            }
            client.barrier();
            // the age that makes the difference
            Stand.pause(1_100);
            for (int stream = 1; stream < 2 * 60; stream += 2) {
                client.reset(stream, CANCEL);
            }
            assertThat(client.barrier().goAways()).isZero();
        }
    }
}
