package io.remora.http2;

import static io.remora.http2.FrameClient.CANCEL;
import static io.remora.http2.FrameClient.DATA;
import static io.remora.http2.FrameClient.NO_ERROR;
import static io.remora.http2.FrameClient.PROTOCOL_ERROR;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.WebSocketKeys;
import io.remora.http2.FrameClient.Answer;
import io.remora.http2.FrameClient.Frame;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Count;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets on streams (RFC 8441), from clients, to endpoints, and across versions. */
final class Http2WebSocketIT {
    private static final int ENABLE_CONNECT_PROTOCOL = 8;
    private static final int CONNECT_ERROR = 10;
    private static final int LARGE = 32_000_000;
    private static final int PIECE = 8_000;
    private static final int INITIAL_WINDOW = 65_535;
    /** Of a stream, as the settings have it. */
    private static final int STREAM_WINDOW = 16 << 10;
    /** What the sidecar, its windows and the kernel may hold of what a side does not take. */
    private static final int MOST_HELD = 12_000_000;

    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
    /** RFC 6455 1.3. */
    private static final String PROOF = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    private static final String[] ASK = {
        ":method", "CONNECT", ":protocol", "websocket", ":scheme", "http", ":authority", "app", ":path", "/chat"
    };
    private static final String UPGRADE =
            "GET /chat HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + KEY + "\r\n\r\n";

    @RegisterExtension
    final Stand stand = new Stand("protocol: auto", "");

    private static String granting(RawRequest request) {
        return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "
                + WebSocketKeys.accept(String.valueOf(request.field("Sec-WebSocket-Key")))
                + "\r\nSec-WebSocket-Protocol: chat\r\n\r\n";
    }

    /** Writes back what comes, and ends when the client has. */
    private static void echo(BackendConnection connection) throws IOException {
        connection.write(granting(connection.readHead()));
        InputStream in = connection.input();
        byte[] some = new byte[1 << 16];
        for (int count = in.read(some); count > 0; count = in.read(some)) {
            connection.write(Arrays.copyOf(some, count));
        }
        connection.shutdownOutput();
    }

    private FrameClient client() throws IOException {
        return FrameClient.connect(stand.sidecar().address());
    }

    private static FrameClient open(FrameClient client, String... more) throws IOException {
        client.headers(1, false, with(ASK, with(new String[] {"sec-websocket-version", "13"}, more)));
        assertThat(client.begun(1).status()).isEqualTo(200);
        return client;
    }

    private static String read(FrameClient client, int octets) throws IOException {
        while (client.so(1).body.size() < octets && client.read() != null) {
            // not yet
        }
        return client.so(1).text();
    }

    private void nothingIsLeft() {
        stand.sidecar().awaitIdle();
        Await.until("the backend's connection is closed", () -> stand.openAtBackend() == 0);
    }

    // ---- to HTTP/1.1

    @Test
    void isAnUpgradeToHttp1() throws IOException {
        stand.backend.onRequest(Http2WebSocketIT::echo);
        try (FrameClient client = open(client(), "sec-websocket-protocol", "chat", "sec-websocket-key", "mine")) {
            assertThat(client.so(1).sections.get(0))
                    .containsEntry("sec-websocket-protocol", "chat")
                    .doesNotContainKeys("sec-websocket-accept", "upgrade", "connection", "content-length");
            assertThat(read(client.data(1, false, "hello"), 5)).isEqualTo("hello");
            assertThat(client.data(1, true, " you").answer(1).text()).isEqualTo("hello you");
            assertThat(client.so(1).reset).isEqualTo(-1);
        }
        assertThat(Wire.text(stand.backend.received()))
                .startsWith("GET /chat HTTP/1.1\r\nhost: app\r\n")
                .contains("sec-websocket-version: 13\r\n", "Connection: Upgrade\r\n", "Upgrade: websocket\r\n")
                .containsPattern("(?i)sec-websocket-key: [0-9A-Za-z+/]{22}==\r\n")
                .doesNotContain("mine", ":protocol", "Transfer-Encoding")
                .endsWith("\r\n\r\nhello you");
        nothingIsLeft();
        stand.nothingFailed();
    }

    static Stream<String> answersToOthers() {
        return Stream.of(
                "",
                "Sec-WebSocket-Accept: " + PROOF + "\r\n",
                "Sec-WebSocket-Accept: x\r\nSec-WebSocket-Accept: x\r\n");
    }

    @ParameterizedTest
    @MethodSource("answersToOthers")
    void anAnswerToSomebodyElseOpensNothing(String proof) throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" + proof
                    + "\r\nraw");
        });
        try (FrameClient client = client()) {
            Answer answer = client.headers(1, false, ASK).answer(1);
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.field("remora-error")).isEqualTo("bad-response");
            assertThat(answer.text()).doesNotContain("raw");
        }
        nothingIsLeft();
    }

    @Test
    void isDeclinedAsTheBackendSays() throws IOException {
        stand.backend.reply("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
        try (FrameClient client = client()) {
            Answer answer = client.headers(1, false, ASK).answer(1);
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.text()).isEqualTo("no");
            // it comes in a turn of its own
            for (int i = 0; answer.reset < 0 && i < 100; i++) {
                client.barrier();
            }
            assertThat(answer.reset).isEqualTo(NO_ERROR);
            assertThat(client.get(3).answer(3).status()).isEqualTo(403);
        }
    }

    @Test
    void whatComesBeforeTheAnswerComesBehindIt() throws IOException {
        CountDownLatch mayGrant = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            RawRequest head = connection.readHead();
            connection.waitFor(() -> Stand.await(mayGrant));
            connection.write(granting(head));
            connection.write(connection.input().readAllBytes());
            connection.shutdownOutput();
        });
        try (FrameClient client = client()) {
            client.headers(1, false, ASK)
                    .data(1, false, "early ")
                    .data(1, true, "bird")
                    .barrier();
            mayGrant.countDown();
            assertThat(client.answer(1).text()).isEqualTo("early bird");
        }
        assertThat(Wire.text(stand.backend.received())).endsWith("\r\n\r\nearly bird");
        nothingIsLeft();
    }

    /** Where it comes to rest, or to all there is. */
    private static long resting(AtomicLong count) {
        long before = -1;
        for (long now = count.get(); now != before && now < LARGE; now = count.get()) {
            before = now;
            Stand.pause(300);
        }
        return count.get();
    }

    @Test
    void aClientThatTakesNothingHoldsTheBackendBack() throws IOException {
        AtomicLong written = new AtomicLong();
        stand.backend.onRequest(connection -> {
            connection.write(granting(connection.readHead()));
            for (int i = 0; i < LARGE / PIECE; i++) {
                connection.write(new byte[PIECE]);
                written.addAndGet(PIECE);
            }
            connection.shutdownOutput();
            connection.readToEnd();
        });
        try (FrameClient client = open(client())) {
            while (client.so(1).body.size() < INITIAL_WINDOW) {
                client.read();
            }
            assertThat(resting(written)).isBetween((long) INITIAL_WINDOW, (long) MOST_HELD);
            client.windowUpdate(0, LARGE).windowUpdate(1, LARGE);
            assertThat(client.data(1, true, "").answer(1).body.size()).isEqualTo(LARGE);
        }
        nothingIsLeft();
    }

    /** As much as the windows allow of what is left up to {@code most}; tells how much has been sent in all. */
    private static int send(FrameClient client, int before, int most) throws IOException {
        int sent = before;
        for (int quiet = 0; sent < most && quiet < 30; ) {
            int room = Math.min(STREAM_WINDOW + client.credit(1), INITIAL_WINDOW + client.credit(0)) - sent;
            int length = Math.min(PIECE, Math.min(room, most - sent));
            if (length > 0) {
                client.data(1, false, new byte[length]);
                sent += length;
                quiet = 0;
            } else {
                Stand.pause(10);
                client.barrier();
                quiet++;
            }
        }
        return sent;
    }

    @Test
    void aBackendThatTakesNothingHoldsTheClientBack() throws IOException {
        CountDownLatch mayTake = new CountDownLatch(1);
        AtomicLong taken = new AtomicLong();
        stand.backend.onRequest(connection -> {
            connection.write(granting(connection.readHead()));
            connection.waitFor(() -> Stand.await(mayTake));
            byte[] some = new byte[PIECE];
            for (int count = connection.input().read(some);
                    count > 0;
                    count = connection.input().read(some)) {
                taken.addAndGet(count);
            }
            connection.shutdownOutput();
        });
        try (FrameClient client = open(client())) {
            int sent = send(client, 0, LARGE);
            assertThat(sent).isBetween(STREAM_WINDOW, MOST_HELD);
            mayTake.countDown();
            assertThat(send(client, sent, LARGE)).isEqualTo(LARGE);
            assertThat(client.data(1, true, "").answer(1).reset).isEqualTo(-1);
        }
        assertThat(taken).hasValue(LARGE);
        nothingIsLeft();
    }

    /** RFC 8441 5: as a connection that is reset. */
    @Test
    void aClientsResetEndsIt() throws IOException {
        stand.backend.onRequest(Http2WebSocketIT::echo);
        try (FrameClient client = open(client())) {
            client.reset(1, CANCEL);
            nothingIsLeft();
            stand.backend.replyOk();
            assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        }
        stand.nothingFailed();
    }

    @Test
    void aBackendsResetEndsIt() throws IOException {
        CountDownLatch mayReset = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            connection.write(granting(connection.readHead()));
            connection.waitFor(() -> Stand.await(mayReset));
            connection.reset();
        });
        try (FrameClient client = open(client())) {
            mayReset.countDown();
            assertThat(client.answer(1).reset).isEqualTo(CANCEL);
        }
        nothingIsLeft();
        stand.nothingFailed();
    }

    @Test
    void theBackendsEndClosesOneDirection() throws IOException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            connection.write(granting(connection.readHead()) + "bye");
            connection.waitFor(() -> Stand.await(mayEnd));
            connection.shutdownOutput();
            connection.readToEnd();
        });
        try (FrameClient client = open(client())) {
            // from here on nothing else brings it out
            assertThat(read(client, 3)).isEqualTo("bye");
            client.barrier();
            mayEnd.countDown();
            assertThat(client.answer(1).text()).isEqualTo("bye");
            assertThat(client.so(1).reset).isEqualTo(-1);
            client.data(1, false, "still ").data(1, true, "here");
            nothingIsLeft();
        }
        assertThat(Wire.text(stand.backend.received())).endsWith("still here");
        stand.nothingFailed();
    }

    @Test
    void isResetWhenIdleForLong() throws IOException {
        stand.start("protocol: auto\ntimeouts: { idle: 400ms }", "timeouts: { response-header: 500ms, idle: 100ms }");
        stand.backend.onRequest(Http2WebSocketIT::echo);
        try (FrameClient client = open(client())) {
            for (int i = 1; i <= 6; i++) {
                Stand.pause(100);
                assertThat(read(client.data(1, false, "x"), i)).hasSize(i);
            }
            assertThat(client.answer(1).reset).isEqualTo(CANCEL);
        }
        nothingIsLeft();
    }

    @Test
    void goesOnWhileDraining() throws Exception {
        stand.backend.onRequest(Http2WebSocketIT::echo);
        try (FrameClient client = open(client())) {
            stand.sidecar().drain();
            assertThat(client.goAway()).isEqualTo(NO_ERROR);
            assertThat(stand.sidecar().count(Count.EXCHANGES_IN_FLIGHT)).isOne();
            assertThat(read(client.data(1, false, "on"), 2)).isEqualTo("on");
            assertThat(client.data(1, true, "").answer(1).reset).isEqualTo(-1);
            assertThat(client.readToEnd()).isEqualTo(NO_ERROR);
            stand.sidecar().awaitDrained();
        }
        stand.nothingFailed();
    }

    @Test
    void countsAsAnExchangeInFlight() throws Exception {
        stand.start("protocol: auto\nlimits: { in-flight: 1 }", "");
        stand.backend.onRequest(Http2WebSocketIT::echo);
        try (FrameClient client = open(client())) {
            assertThat(client.get(3).answer(3).status()).isEqualTo(503);
        }
    }

    // ---- what is asked

    @Test
    void theSettingsSayThatItMayBe() throws IOException {
        try (FrameClient client = client()) {
            Frame settings = client.read();
            assertThat(settings.type()).isEqualTo(FrameClient.SETTINGS);
            boolean found = false;
            for (int at = 0; at < settings.payload().length; at += 6) {
                found |= settings.payload()[at + 1] == ENABLE_CONNECT_PROTOCOL && settings.number(at + 2) == 1;
            }
            assertThat(found).isTrue();
        }
    }

    private static String[] without(String name) {
        int at = Arrays.asList(ASK).indexOf(name);
        return Stream.concat(Arrays.stream(ASK, 0, at), Arrays.stream(ASK, at + 2, ASK.length))
                .toArray(String[]::new);
    }

    private static String[] other(String name, String value) {
        return with(new String[] {name, value}, without(name));
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                Arguments.of("another method", other(":method", "GET")),
                Arguments.of("no path", without(":path")),
                Arguments.of("no scheme", without(":scheme")),
                Arguments.of("no authority", with(without(":authority"), "host", "app")),
                Arguments.of("two protocols", with(new String[] {":protocol", "websocket"}, ASK)),
                Arguments.of("no token", other(":protocol", "web socket")),
                Arguments.of("no protocol", without(":protocol")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void whatIsMalformedIsReset(String name, String[] lines) throws IOException {
        try (FrameClient client = client()) {
            Answer answer = client.headers(1, false, lines).answer(1);
            assertThat(answer.reset).isEqualTo(PROTOCOL_ERROR);
            assertThat(answer.sections).isEmpty();
        }
        assertThat(stand.backend.received()).isEmpty();
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(501, other(":protocol", "connect-udp")),
                Arguments.of(400, other(":path", "chat")),
                Arguments.of(400, other(":path", "*")),
                Arguments.of(400, with(ASK, "content-length", "0")),
                Arguments.of(400, with(ASK, "content-length", "5")),
                Arguments.of(400, with(ASK, "host", "evil")));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatIsNoGoodRequestIsAnswered(int status, String[] lines) throws IOException {
        try (FrameClient client = client()) {
            assertThat(client.headers(1, false, lines).answer(1).status()).isEqualTo(status);
            assertThat(client.get(3).answer(3).status()).isEqualTo(200);
        }
        assertThat(stand.backend.requests()).hasSize(1);
    }

    /** RFC 9113 8.5. */
    @Test
    void trailersHaveNoPlaceInIt() throws IOException {
        stand.backend.onRequest(Http2WebSocketIT::echo);
        try (FrameClient client = open(client())) {
            assertThat(client.headers(1, true, "x", "y").answer(1).reset).isEqualTo(PROTOCOL_ERROR);
        }
        nothingIsLeft();
    }

    /** A stream that is only reset has had no answer, and the log says so. */
    @Test
    void aResetIsLoggedWithoutAStatus(@TempDir Path directory) throws IOException {
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        stand.start(Setup.before(stand.backend).process(log.setting()).listener("protocol: auto"));
        try (FrameClient client = client()) {
            assertThat(client.headers(1, true, without(":path")).answer(1).reset)
                    .isEqualTo(PROTOCOL_ERROR);
            assertThat(log.line(1)).contains("\"status\":0,").contains("bad-request");
        }
        assertThat(stand.responses(4)).isZero();
    }

    // ---- to endpoints that speak HTTP/2

    private static Http2Backend echoing() {
        return Http2Backend.start((peer, connection) -> {
            peer.begin(ENABLE_CONNECT_PROTOCOL, 1);
            Http2Peer.Head head = peer.head();
            assertThat(head.value(":method")).isEqualTo("CONNECT");
            assertThat(head.value(":protocol")).isEqualTo("websocket");
            assertThat(head.value(":path")).isEqualTo("/chat");
            assertThat(head.value(":scheme")).isEqualTo("http");
            assertThat(head.value(":authority")).isEqualTo("app");
            assertThat(head.value("sec-websocket-version")).isEqualTo("13");
            // for a proxy that would go on in HTTP/1.1
            assertThat(head.value("sec-websocket-key")).hasSize(24);
            assertThat(head.value("upgrade")).isNull();
            assertThat(head.isLast()).isFalse();
            peer.headers(head.stream(), false, ":status", "200", "sec-websocket-protocol", "chat");
            Http2Peer.Frame frame;
            do {
                frame = peer.next(DATA);
                peer.frame(DATA, frame.isLast() ? 1 : 0, head.stream(), frame.payload());
            } while (!frame.isLast());
            peer.awaitEnd();
        });
    }

    private static Sidecar before(Http2Backend... endpoints) {
        StringBuilder ports = new StringBuilder();
        for (Http2Backend endpoint : endpoints) {
            ports.append(ports.isEmpty() ? "" : ", ")
                    .append("\"127.0.0.1:")
                    .append(endpoint.port())
                    .append('"');
        }
        return Sidecar.of("""
                admin: { address: "127.0.0.1:0" }
                log-level: warn
                listeners:
                  - { name: test, address: "127.0.0.1:0", protocol: auto, cluster: app }
                  - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
                clusters:
                  app: { endpoints: [PORTS], protocol: http2 }
                  barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
                """.replace("PORTS", ports));
    }

    @Test
    void fromHttp2ToHttp2() throws IOException {
        try (Http2Backend endpoint = echoing();
                Sidecar sidecar = before(endpoint);
                FrameClient client = open(FrameClient.connect(sidecar.address()))) {
            assertThat(client.so(1).sections.get(0))
                    .containsEntry("sec-websocket-protocol", "chat")
                    .doesNotContainKey("sec-websocket-accept");
            assertThat(read(client.data(1, false, "hello"), 5)).isEqualTo("hello");
            assertThat(client.data(1, true, " you").answer(1).text()).isEqualTo("hello you");
            assertThat(client.so(1).reset).isEqualTo(-1);
            sidecar.awaitIdle();
        }
    }

    @Test
    void fromHttp1ToHttp2() throws IOException {
        try (Http2Backend endpoint = echoing();
                Sidecar sidecar = before(endpoint);
                RawClient client = sidecar.client()) {
            RawResponse response = client.send(UPGRADE).response();
            assertThat(response.status()).isEqualTo(101);
            assertThat(response.field("Sec-WebSocket-Accept")).isEqualTo(PROOF);
            assertThat(response.field("Upgrade")).isEqualTo("websocket");
            assertThat(response.field("Connection")).isEqualTo("Upgrade");
            assertThat(response.field("Sec-WebSocket-Protocol")).isEqualTo("chat");
            assertThat(Wire.text(client.send("hello").read(5))).isEqualTo("hello");
            client.send("bye").shutdownOutput();
            assertThat(Wire.text(client.readToEnd())).isEqualTo("bye");
            sidecar.awaitIdle();
        }
    }

    /** Which it is to a server that does not know the other protocol (RFC 9110 7.8). */
    @Test
    void anUpgradeToAnEndpointThatTakesNoneIsARequest() throws IOException {
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    Http2Peer.Head head = peer.head();
                    assertThat(head.value(":method")).isEqualTo("GET");
                    assertThat(head.value(":protocol")).isNull();
                    peer.respond(head.stream(), "plain").awaitEnd();
                });
                Sidecar sidecar = before(endpoint);
                RawClient client = sidecar.client()) {
            assertThat(client.send(UPGRADE).response().bodyText()).isEqualTo("plain");
        }
    }

    private static Http2Backend without() {
        return Http2Backend.start((peer, connection) -> {
            peer.begin();
            Http2Peer.Frame frame = peer.read();
            while (frame != null) {
                assertThat(frame.type()).isNotEqualTo(Http2Peer.HEADERS);
                frame = peer.read();
            }
        });
    }

    @Test
    void anEndpointThatTakesNoneIsNotAsked() throws IOException {
        try (Http2Backend endpoint = without();
                Sidecar sidecar = before(endpoint);
                FrameClient client = FrameClient.connect(sidecar.address())) {
            Answer answer = client.headers(1, false, ASK).answer(1);
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.field("remora-error")).isEqualTo("websocket-not-supported");
        }
    }

    @Test
    void anotherEndpointIsAskedInItsPlace() throws IOException {
        try (Http2Backend one = without();
                Http2Backend two = Http2Backend.start((peer, connection) -> {
                    peer.begin(ENABLE_CONNECT_PROTOCOL, 1);
                    for (Http2Peer.Frame frame = peer.read(); frame != null; frame = peer.read()) {
                        if (frame.type() == Http2Peer.HEADERS) {
                            peer.headers(frame.stream(), false, ":status", "200");
                        }
                    }
                });
                Sidecar sidecar = before(one, two)) {
            for (int i = 0; i < 8; i++) {
                try (FrameClient client = open(FrameClient.connect(sidecar.address()))) {
                    client.reset(1, CANCEL);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAnEndpointDeclinesIsAnswered(boolean withContent) throws IOException {
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
                    peer.begin(ENABLE_CONNECT_PROTOCOL, 1);
                    int stream = peer.head().stream();
                    peer.headers(stream, !withContent, ":status", "403");
                    if (withContent) {
                        peer.data(stream, true, "no");
                    }
                    // the request is whole by that
                    assertThat(peer.next(DATA).isLast()).isTrue();
                    peer.respond(peer.head().stream(), "well").awaitEnd();
                });
                Sidecar sidecar = before(endpoint);
                FrameClient client = FrameClient.connect(sidecar.address())) {
            Answer answer = client.headers(1, false, ASK).answer(1);
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.text()).isEqualTo(withContent ? "no" : "");
            assertThat(client.get(3).answer(3).text()).isEqualTo("well");
        }
    }

    /** RFC 9113 8.1: the answer is whole, and what else the client has to say is not wanted. */
    @Test
    void whatIsDeclinedAndResetIsAnsweredToo() throws IOException {
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
                    peer.begin(ENABLE_CONNECT_PROTOCOL, 1);
                    int stream = peer.head().stream();
                    peer.headers(stream, true, ":status", "403")
                            .reset(stream, 0)
                            .awaitEnd();
                });
                Sidecar sidecar = before(endpoint);
                FrameClient client = FrameClient.connect(sidecar.address())) {
            assertThat(client.headers(1, false, ASK).answer(1).status()).isEqualTo(403);
            assertThat(sidecar.metrics().sum("remora_failures_total")).isZero();
        }
    }

    @Test
    void anEndpointsResetEndsIt() throws IOException {
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
                    peer.begin(ENABLE_CONNECT_PROTOCOL, 1);
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200");
                    peer.next(DATA);
                    peer.reset(stream, CANCEL).awaitEnd();
                });
                Sidecar sidecar = before(endpoint);
                FrameClient client = open(FrameClient.connect(sidecar.address()))) {
            assertThat(client.data(1, false, "x").answer(1).reset).isEqualTo(CANCEL);
            sidecar.awaitIdle();
        }
    }

    /** Envoy ends tunnels so, whose other side has ended in order. */
    @Test
    void whatCameBeforeAResetReachesAClientThatIsSlow() throws IOException {
        String words = "x".repeat(16_000);
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
                    peer.begin(ENABLE_CONNECT_PROTOCOL, 1);
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200");
                    int room = 32 << 10;
                    for (int sent = 0; sent < 100; sent++) {
                        while (room < words.length()) {
                            Http2Peer.Frame frame = peer.next(Http2Peer.WINDOW_UPDATE);
                            room += frame.stream() == stream ? frame.number(0) : 0;
                        }
                        peer.data(stream, false, words);
                        room -= words.length();
                    }
                    peer.data(stream, false, "last")
                            .reset(stream, CONNECT_ERROR)
                            .awaitEnd();
                });
                Sidecar sidecar = before(endpoint);
                RawClient client = RawClient.connect(sidecar.address(), 8 << 10)) {
            client.send(UPGRADE);
            assertThat(client.response().status()).isEqualTo(101);
            Stand.pause(200);
            assertThat(Wire.text(client.readToEnd())).hasSize(1_600_004).endsWith("last");
        }
    }

    @Test
    void aClientsResetIsPassedOn() throws IOException {
        CountDownLatch reset = new CountDownLatch(1);
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
                    peer.begin(ENABLE_CONNECT_PROTOCOL, 1);
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200");
                    assertThat(peer.next(Http2Peer.RST_STREAM).number(0)).isEqualTo(CANCEL);
                    reset.countDown();
                    peer.awaitEnd();
                });
                Sidecar sidecar = before(endpoint);
                FrameClient client = open(FrameClient.connect(sidecar.address()))) {
            client.reset(1, CANCEL);
            Stand.await(reset);
        }
    }

    /** What was said last reaches an endpoint that ended first, however late it takes it. */
    @Test
    void theLastWordsWaitForTheEndpointsWindow() throws IOException {
        CountDownLatch got = new CountDownLatch(1);
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
            peer.begin(ENABLE_CONNECT_PROTOCOL, 1, Http2Peer.INITIAL_WINDOW_SIZE, 4);
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "200").data(stream, true, "bye");
            assertThat(peer.next(DATA).payload()).hasSize(4);
            Stand.pause(100);
            peer.windowUpdate(stream, 100);
            Http2Peer.Frame last = peer.next(DATA);
            assertThat(last.payload()).hasSize(6);
            assertThat(last.isLast() || peer.next(DATA).isLast()).isTrue();
            got.countDown();
            peer.awaitEnd();
        })) {
            saysLast(endpoint, got);
        }
    }

    /** Nothing else is said on the connection by which they could be taken along. */
    @Test
    void theLastWordsReachAnEndpointThatIsQuiet() throws IOException {
        CountDownLatch got = new CountDownLatch(1);
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
            peer.begin(ENABLE_CONNECT_PROTOCOL, 1);
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "200").data(stream, true, "bye");
            Http2Peer.Frame last = peer.next(DATA);
            assertThat(last.payload()).hasSize(10);
            assertThat(last.isLast() || peer.next(DATA).isLast()).isTrue();
            got.countDown();
            peer.awaitEnd();
        })) {
            saysLast(endpoint, got);
        }
    }

    private static void saysLast(Http2Backend endpoint, CountDownLatch got) throws IOException {
        try (Sidecar sidecar = before(endpoint);
                FrameClient client = open(FrameClient.connect(sidecar.address()))) {
            assertThat(client.answer(1).text()).isEqualTo("bye");
            client.data(1, true, "0123456789");
            Stand.await(got);
        }
    }
}
