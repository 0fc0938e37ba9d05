package io.remora.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class Http2LoadTest {
    private static final long MS = 1_000_000;
    private static final String CALL = "/loadtest.Application/Unary";

    private final Tally tally = new Tally(0);
    private @Nullable Channel listener;

    @AfterEach
    void stop() throws InterruptedException {
        if (listener != null) {
            listener.close().sync();
        }
    }

    private int start(String... arguments) throws InterruptedException {
        Channel started = Backend.listen(BackendOptions.read(arguments));
        listener = started;
        return ((InetSocketAddress) started.localAddress()).getPort();
    }

    private void run(Http2Load load, double rate, long ms, Http2Request request) throws InterruptedException {
        load.run(List.of(new Http2Load.Part(rate, ms * MS, new TalliedRequests(request, tally))));
    }

    private static int status(int port, Http2Request request) throws IOException {
        try (Http2Requester client = new Http2Requester(port, request, null)) {
            return client.get("unused");
        }
    }

    @Test
    void eachRequestThatIsDueIsAnswered() throws Exception {
        run(new Http2Load(start(), 3, 4), 300, 1_000, Http2Request.get("/body"));
        assertThat(tally.failed()).isZero();
        assertThat(tally.interval("load").getTotalCount()).isEqualTo(300);
    }

    @Test
    void oneConnectionHasSeveralRequestsAtATime() throws Exception {
        run(new Http2Load(start("--delay", "300ms"), 1, 10), 20, 1_000, Http2Request.get("/body"));
        Histogram found = tally.interval("load");
        assertThat(found.getTotalCount()).isEqualTo(20);
        assertThat(found.getMinValue()).isGreaterThan(290 * MS);
        // One after the other, the last of them would have waited for five seconds.
        assertThat(found.getMaxValue()).isLessThan(2_000 * MS);
    }

    @Test
    void aRequestThatFindsNoStreamIsLateFromWhenItWasDue() throws Exception {
        run(new Http2Load(start("--delay", "200ms"), 1, 1), 20, 500, Http2Request.get("/body"));
        Histogram found = tally.interval("load");
        assertThat(found.getTotalCount()).isEqualTo(10);
        // Nine times 200 ms behind the first, less the 450 ms by which it was due later.
        assertThat(found.getMaxValue()).isGreaterThan(1_400 * MS);
    }

    @Test
    void statusesAndWhatGrpcTellsInTrailersAreFailures() throws Exception {
        int port = start("--error-share", "1");
        assertThat(status(port, Http2Request.get("/body"))).isEqualTo(500);
        assertThat(status(port, Http2Request.grpc(CALL, 10))).isEqualTo(Http2Connection.ERROR);
        run(new Http2Load(port, 1, 4), 50, 200, Http2Request.grpc(CALL, 10));
        assertThat(tally.failed()).isEqualTo(10);
        assertThat(tally.interval("load").getTotalCount()).isZero();
    }

    @Test
    void callsAreAnswered() throws Exception {
        run(new Http2Load(start(), 2, 4), 100, 500, Http2Request.grpc(CALL, 1_024));
        assertThat(tally.failed()).isZero();
        assertThat(tally.interval("load").getTotalCount()).isEqualTo(50);
    }

    @Test
    void bodiesBeyondTheWindowsPassInBothDirections() throws Exception {
        int port = start("--body", "400000");
        assertThat(status(port, Http2Request.post("/body", 300_000))).isEqualTo(200);
        run(new Http2Load(port, 1, 4), 50, 400, Http2Request.post("/body", 100_000));
        assertThat(tally.failed()).isZero();
        assertThat(tally.interval("load").getTotalCount()).isEqualTo(20);
    }

    @Test
    void aStreamThatStallsHoldsUpNoOther() throws Exception {
        Http2Load load = new Http2Load(start("--body", "400000"), 1, 4);
        load.stall(Http2Request.get("/body"));
        run(load, 50, 400, Http2Request.get("/body"));
        assertThat(tally.failed()).isZero();
        assertThat(tally.interval("load").getTotalCount()).isEqualTo(20);
    }

    /** An answer that fits into the window ends. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 65_535})
    void aStreamThatDoesNotStallIsAFailure(int bytes) throws Exception {
        Http2Load load = new Http2Load(start("--body", "" + bytes), 1, 4);
        load.stall(Http2Request.get("/body"));
        run(load, 50, 100, Http2Request.get("/body"));
        assertThat(tally.failed()).isEqualTo(1);
    }

    /** What a proxy that loses trailers, or the message, makes of a call. */
    @Test
    void aCallIsGoodOnlyWithAMessageAndAStatus() throws Exception {
        String head = "880f10106170706c69636174696f6e2f67727063";
        String good = "00" + "0b677270632d737461747573" + "0130";
        String failed = "00" + "0b677270632d737461747573" + "0131";
        assertThat(called(frame(Http2Frames.HEADERS, 5, head))).isEqualTo(Http2Connection.BROKEN_CALL);
        assertThat(called(frame(Http2Frames.HEADERS, 4, head), frame(Http2Frames.DATA, 1, "0000000000")))
                .isEqualTo(Http2Connection.BROKEN_CALL);
        assertThat(called(frame(Http2Frames.HEADERS, 4, head), frame(Http2Frames.HEADERS, 5, good)))
                .isEqualTo(Http2Connection.BROKEN_CALL);
        assertThat(called(
                        frame(Http2Frames.HEADERS, 4, head),
                        frame(Http2Frames.DATA, 0, "0000000000"),
                        frame(Http2Frames.HEADERS, 5, failed)))
                .isEqualTo(Http2Connection.BROKEN_CALL);
        assertThat(called(
                        frame(Http2Frames.HEADERS, 4, head),
                        frame(Http2Frames.DATA, 0, "0000000000"),
                        frame(Http2Frames.HEADERS, 5, good)))
                .isEqualTo(200);
    }

    private int called(byte[]... frames) throws Exception {
        byte[] settings = {0, 0, 0, Http2Frames.SETTINGS, 0, 0, 0, 0, 0};
        try (StubServer server = new StubServer((number, talk) -> {
            talk.awaitRequest();
            talk.socket().getOutputStream().write(settings);
            for (byte[] frame : frames) {
                talk.socket().getOutputStream().write(frame);
            }
            talk.socket().getInputStream().readAllBytes();
        })) {
            return status(server.port(), Http2Request.grpc(CALL, 10));
        }
    }

    /** On the first stream. */
    private static byte[] frame(int type, int flags, String hex) {
        byte[] payload = HexFormat.of().parseHex(hex);
        return ByteBuffer.allocate(9 + payload.length)
                .put(new byte[] {0, 0, (byte) payload.length, (byte) type, (byte) flags, 0, 0, 0, 1})
                .put(payload)
                .array();
    }

    @Test
    void theSamePortAnswersHttp1() throws Exception {
        int port = start();
        try (Connection connection = new Connection(port, "/body")) {
            assertThat(connection.get("1")).isEqualTo(200);
        }
        assertThat(status(port, Http2Request.get("/body"))).isEqualTo(200);
    }

    @Test
    void whatABrokenConnectionLeavesIsLost() throws Exception {
        byte[] settings = {0, 0, 0, Http2Frames.SETTINGS, 0, 0, 0, 0, 0};
        try (StubServer server = new StubServer((number, talk) -> {
            talk.awaitRequest();
            talk.socket().getOutputStream().write(settings);
            // Until the first request has come behind the preface, its settings and the window.
            talk.socket().getInputStream().readNBytes(6 + 15 + 13 + 9 + 20);
        })) {
            run(new Http2Load(server.port(), 1, 4), 20, 500, Http2Request.get("/body"));
        }
        assertThat(tally.failed()).isEqualTo(10);
    }

    /** All streams are taken at once, and each of the others would wait for a timeout of ten seconds. */
    @Test
    void streamsThatAllHangDoNotExtendTheLoadByATimeoutEach() throws Exception {
        byte[] settings = {0, 0, 0, Http2Frames.SETTINGS, 0, 0, 0, 0, 0};
        long beganNs = System.nanoTime();
        try (StubServer server = new StubServer((number, talk) -> {
            talk.awaitRequest();
            talk.socket().getOutputStream().write(settings);
            talk.socket().getInputStream().readAllBytes();
        })) {
            run(new Http2Load(server.port(), 1, 4), 200, 500, Http2Request.get("/body"));
        }
        assertThat(tally.failed()).isEqualTo(100);
        assertThat(System.nanoTime() - beganNs).isLessThan(45_000 * MS);
    }

    @Test
    void aServerThatSpeaksSomethingElseIsAnError() throws Exception {
        try (StubServer server = new StubServer((number, talk) -> {
            talk.awaitRequest();
            talk.send(StubServer.OK);
        })) {
            assertThatThrownBy(() -> status(server.port(), Http2Request.get("/")))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void theSessionTellsItsFigures() throws Exception {
        int port = start();
        try (ToolProcess session = new ToolProcess(LoadSession.class)) {
            Map<String, Double> told = session.ask("h2 " + port + " " + CALL + " grpc:100 100 2 4 0.2 0.5");
            assertThat(told.get("failed")).isZero();
            assertThat(told.get("requests")).isEqualTo(50.0);
            assertThat(told.get("p99_us")).isPositive();
            assertThat(session.ask("h2 " + port + " /body h2 100 1 4 0.2 0.5 /body")
                            .get("requests"))
                    .isEqualTo(50.0);
        }
    }

    @Test
    void theProbeHasBothArmsSpeakIt(@TempDir Path folder) throws Exception {
        int port = start();
        String words = port + " " + port + " /body 100 h2";
        try (ToolProcess probe = new ToolProcess(Probe.class, words.split(" "))) {
            probe.ask("begin");
            LockSupport.parkNanos(300 * MS);
            Map<String, Double> told = probe.ask("end " + folder.resolve("probe.hlog"));
            assertThat(told.get("proxy_failed")).isZero();
            assertThat(told.get("proxy_requests")).isPositive();
            assertThat(told.get("direct_requests")).isPositive();
        }
    }
}
