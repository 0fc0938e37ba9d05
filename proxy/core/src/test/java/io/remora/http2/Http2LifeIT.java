package io.remora.http2;

import static io.remora.http2.FrameClient.NO_ERROR;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.PROTOCOL_ERROR;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Await;
import io.remora.testkit.Count;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How HTTP/2 connections begin, and how they end: in two steps where the sidecar wants it (RFC 9113 sections 3 and 6.8). */
@EveryEngine
final class Http2LifeIT {
    private static final String HTTP1 = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    @RegisterExtension
    final Stand stand = new Stand("protocol: http2", "");

    private FrameClient connect(Sidecar sidecar) throws IOException {
        return FrameClient.connect(sidecar.address());
    }

    private long active() {
        return stand.sidecar().metrics().sum("remora_http2_connections_active", "listener", "test");
    }

    // ---- the beginning

    @Test
    void bothProtocolsOnOnePort() throws IOException {
        Sidecar sidecar = stand.start("protocol: auto", "");
        try (FrameClient client = connect(sidecar);
                RawClient other = sidecar.client()) {
            assertThat(client.get(1).answer(1).text()).isEqualTo("ok");
            assertThat(other.send(HTTP1).response().bodyText()).isEqualTo("ok");
            assertThat(other.send(HTTP1 + HTTP1).response().bodyText()).isEqualTo("ok");
            assertThat(other.response().bodyText()).isEqualTo("ok");
        }
    }

    @Test
    void prefaceInPiecesOfOneOctet() throws IOException {
        Sidecar sidecar = stand.start("protocol: auto", "");
        try (FrameClient client = FrameClient.raw(sidecar.address())) {
            for (char octet : FrameClient.PREFACE.toCharArray()) {
                client.send(new byte[] {(byte) octet});
            }
            for (byte octet : FrameClient.frame(FrameClient.SETTINGS, 0, 0)) {
                client.send(new byte[] {octet});
            }
            for (byte octet : FrameClient.frame(FrameClient.HEADERS, 5, 1, FrameClient.block(FrameClient.GET))) {
                client.send(new byte[] {octet});
            }
            assertThat(client.answer(1).text()).isEqualTo("ok");
        }
    }

    @Test
    void requestThatBeginsLikeThePreface() throws IOException {
        Sidecar sidecar = stand.start("protocol: auto", "");
        try (RawClient client = sidecar.client()) {
            client.sendOctetByOctet("PRI /x HTTP/1.1\r\nHost: app\r\n\r\n".getBytes());
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
        assertThat(stand.backend.requests().get(0).method()).isEqualTo("PRI");
    }

    @Test
    void connectionThatNeverSaysWhatItSpeaks() throws IOException {
        Sidecar sidecar = stand.start("protocol: auto\ntimeouts: { header-read: 200ms, idle: 300ms }", "");
        try (RawClient silent = sidecar.client();
                RawClient half = sidecar.client()) {
            half.send("PRI * HT");
            assertThat(half.closedByPeer()).isTrue();
            assertThat(silent.closedByPeer()).isTrue();
        }
    }

    @Test
    void http1IsNotServedWhereHttp2AloneIsSpoken() throws IOException {
        try (RawClient client = stand.sidecar().client()) {
            client.send(HTTP1);
            byte[] all = client.readToEnd();
            assertThat(new String(all, java.nio.charset.StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP/1");
        }
        stand.sidecar().barrier();
        assertThat(stand.backend.connections()).isEmpty();
    }

    @Test
    void upgradeToH2cIsNotOffered() throws IOException {
        Sidecar sidecar = stand.start("protocol: auto", "");
        try (RawClient client = sidecar.client()) {
            client.send("GET / HTTP/1.1\r\nHost: app\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                    + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
        }
        assertThat(stand.backend.requests().get(0).field("Upgrade")).isNull();
    }

    @Test
    void connectionErrorHasItsCode() throws IOException {
        try (FrameClient client = connect(stand.sidecar())) {
            client.data(1, false, "a");
            assertThat(client.readToEnd()).isEqualTo(PROTOCOL_ERROR);
        }
        assertThat(stand.sidecar().metrics().sum("remora_http2_connection_errors_total", "listener", "test"))
                .isEqualTo(1);
    }

    // ---- the end

    @Test
    void drainIsToldInTwoSteps() throws IOException {
        stand.answerLater();
        try (FrameClient client = connect(stand.sidecar())) {
            client.get(1).barrier();
            stand.sidecar().drain();
            assertThat(client.goAway()).isEqualTo(NO_ERROR);
            assertThat(client.lastStream()).isEqualTo(Integer.MAX_VALUE);
            // it was under way before the client knew
            client.get(3);
            answerPing(client);
            while (client.goAways() < 2) {
                client.read();
            }
            assertThat(client.lastStream()).isEqualTo(3);
            stand.mayAnswer();
            assertThat(client.answer(1).text()).isEqualTo("ok");
            assertThat(client.answer(3).text()).isEqualTo("ok");
            assertThat(client.readToEnd()).isEqualTo(NO_ERROR);
        }
        Await.until("closed", () -> active() == 0);
    }

    /** A client may send all of a request before it knows how many there may be. */
    @Test
    void whatFollowsARefusedStreamIsNoFault() throws IOException {
        Sidecar sidecar = stand.start("protocol: http2\nhttp2: { max-concurrent-streams: 10 }", "");
        try (FrameClient client = connect(sidecar)) {
            for (int stream = 1; stream < 26; stream += 2) {
                client.headers(stream, false, POST).data(stream, false, "abc");
            }
            client.windowUpdate(25, 1).reset(25, FrameClient.CANCEL).headers(23, true, "x-end", "1");
            for (int stream = 1; stream < 20; stream += 2) {
                client.data(stream, true, "d");
            }
            for (int stream = 1; stream < 20; stream += 2) {
                assertThat(client.answer(stream).text()).isEqualTo("ok");
            }
            assertThat(client.so(21).reset).isEqualTo(FrameClient.REFUSED_STREAM);
            assertThat(client.so(23).reset).isEqualTo(FrameClient.REFUSED_STREAM);
            client.data(21, true, "late").barrier();
            assertThat(client.get(27).answer(27).text()).isEqualTo("ok");
            client.data(21, true, "later").barrier();
        }
    }

    /** More of it than a connection's window holds. */
    @Test
    void contentOfRefusedStreamsIsGivenBack() throws IOException {
        Sidecar sidecar = stand.start("protocol: http2\nhttp2: { max-concurrent-streams: 1 }", "");
        stand.answerLater();
        try (FrameClient client = connect(sidecar)) {
            client.barrier().get(1);
            for (int stream = 3; stream < 300; stream += 2) {
                client.headers(stream, false, POST)
                        .data(stream, true, new byte[16_000])
                        .barrier();
            }
            assertThat(client.so(299).reset).isEqualTo(FrameClient.REFUSED_STREAM);
            stand.mayAnswer();
            assertThat(client.answer(1).text()).isEqualTo("ok");
        }
    }

    @Test
    void whatIsSentBehindTheLastGoAwayIsNoFault() throws IOException {
        stand.answerLater();
        try (FrameClient client = connect(stand.sidecar())) {
            client.get(1).barrier();
            stand.sidecar().drain();
            while (client.goAways() < 2) {
                client.read();
            }
            client.headers(3, false, POST)
                    .data(3, false, "abc")
                    .windowUpdate(3, 1)
                    .reset(3, FrameClient.CANCEL);
            client.barrier();
            stand.mayAnswer();
            assertThat(client.answer(1).text()).isEqualTo("ok");
            assertThat(client.readToEnd()).isEqualTo(NO_ERROR);
        }
    }

    private static void answerPing(FrameClient client) throws IOException {
        for (FrameClient.Frame frame = client.read(); frame != null; frame = client.read()) {
            if (frame.type() == FrameClient.PING && frame.flags() == 0) {
                client.send(FrameClient.frame(FrameClient.PING, FrameClient.ACK, 0, frame.payload()));
                return;
            }
        }
        throw new AssertionError("no PING");
    }

    @Test
    void idleConnectionIsDrainedThoughItsClientAnswersNoPing() throws IOException {
        try (FrameClient client = connect(stand.sidecar())) {
            client.get(1).answer(1);
            stand.sidecar().drain();
            assertThat(client.readToEnd()).isEqualTo(NO_ERROR);
            assertThat(client.lastStream()).isEqualTo(1);
        }
    }

    @Test
    void idleConnectionEnds() throws IOException {
        Sidecar sidecar = stand.start("protocol: http2\ntimeouts: { idle: 300ms }", "");
        try (FrameClient client = connect(sidecar)) {
            client.get(1).answer(1);
            assertThat(client.readToEnd()).isEqualTo(NO_ERROR);
        }
    }

    @Test
    void oldConnectionEndsBetweenRequests() throws IOException {
        Sidecar sidecar = stand.start("protocol: http2\ntimeouts: { max-connection-age: 300ms }", "");
        try (FrameClient client = connect(sidecar)) {
            client.get(1).answer(1);
            assertThat(client.readToEnd()).isEqualTo(NO_ERROR);
            assertThat(client.goAways()).isEqualTo(2);
        }
    }

    @Test
    void clientThatLeavesEndsItsRequests() throws IOException {
        stand.backend.neverAnswer();
        try (FrameClient client = connect(stand.sidecar())) {
            client.get(1).headers(3, false, POST).barrier();
        }
        stand.sidecar().awaitIdle();
        Await.until("closed", () -> active() == 0);
        Await.until("no stream is left", () -> stand.sidecar().metrics().sum("remora_http2_streams_active") == 0);
    }

    @Test
    void clientThatIsGoneSometimeBehindTheEndOfItsSideEndsItsRequests() throws IOException {
        stand.backend.neverAnswer();
        try (FrameClient client = connect(stand.sidecar())) {
            client.get(1).barrier();
            client.socket().shutdownOutput();
            // whatever the end of its side brought about has reached it: no reset answers that any more
            assertThat(client.goAway()).isEqualTo(NO_ERROR);
            assertThat(stand.sidecar().count(Count.EXCHANGES_IN_FLIGHT)).isOne();
        }
        stand.sidecar().awaitIdle();
        Await.until("closed", () -> active() == 0);
        assertThat(stand.failures(Failure.CLIENT_GONE)).isOne();
    }

    @Test
    void clientThatEndsItsSideGetsItsResponsesThoughItIsProbed() throws IOException {
        stand.answerLater();
        try (FrameClient client = connect(stand.sidecar())) {
            client.get(1).barrier();
            client.socket().shutdownOutput();
            client.awaitGoAway();
            client.awaitGoAway();
            stand.mayAnswer();
            assertThat(client.answer(1).text()).isEqualTo("ok");
            assertThat(client.readToEnd()).isEqualTo(NO_ERROR);
            assertThat(client.lastStream()).isEqualTo(1);
        }
    }

    @Test
    void clientThatEndsItsSideGetsItsResponses() throws IOException {
        stand.answerLater();
        try (FrameClient client = connect(stand.sidecar())) {
            client.get(1).barrier();
            client.socket().shutdownOutput();
            stand.mayAnswer();
            assertThat(client.answer(1).text()).isEqualTo("ok");
            assertThat(client.readToEnd()).isEqualTo(NO_ERROR);
        }
    }

    // ---- who watches

    @Test
    void isCountedAndLogged(@TempDir Path directory) throws IOException {
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        Sidecar sidecar =
                stand.start(Setup.before(stand.backend).process(log.setting()).listener("protocol: http2"));
        try (FrameClient client = connect(sidecar)) {
            client.get(1).answer(1);
            client.get(3).answer(3);
            assertThat(log.lines(2).get(0)).contains("HTTP/2");
            assertThat(sidecar.metrics().sum("remora_http2_connections_total", "listener", "test"))
                    .isEqualTo(1);
            assertThat(sidecar.metrics().sum("remora_http2_streams_total", "listener", "test"))
                    .isEqualTo(2);
        }
    }
}
