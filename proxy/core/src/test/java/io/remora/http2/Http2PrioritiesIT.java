package io.remora.http2;

import static io.remora.http2.FrameClient.ENHANCE_YOUR_CALM;
import static io.remora.http2.FrameClient.FRAME_SIZE_ERROR;
import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.PROTOCOL_ERROR;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.testkit.RawClient;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Priorities (RFC 9218): the field passes in each translation, and the frame is judged and dropped. */
final class Http2PrioritiesIT {
    private static final int PRIORITY_UPDATE = 0x10;
    private static final String URGENT = "u=1, i";

    @RegisterExtension
    final Stand stand = new Stand("protocol: auto", "");

    private static byte[] update(int carrier, int about, String value) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        payload.writeBytes(FrameClient.number(about));
        payload.writeBytes(value.getBytes());
        return FrameClient.frame(PRIORITY_UPDATE, 0, carrier, payload.toByteArray());
    }

    private FrameClient client() throws IOException {
        return FrameClient.connect(stand.sidecar().address());
    }

    // ---- the field

    @Test
    void fromHttp2ToHttp1() throws IOException {
        stand.backend.reply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nPriority: u=3\r\n\r\nok");
        try (FrameClient client = client()) {
            FrameClient.Answer answer =
                    client.headers(1, true, with(GET, "priority", URGENT)).answer(1);
            assertThat(answer.field("priority")).isEqualTo("u=3");
        }
        assertThat(stand.backend.requests().get(0).field("priority")).isEqualTo(URGENT);
    }

    @Test
    void fromHttp1ToHttp1() throws IOException {
        stand.client()
                .send("GET / HTTP/1.1\r\nHost: app\r\nPriority: " + URGENT + "\r\n\r\n")
                .response();
        assertThat(stand.backend.requests().get(0).field("priority")).isEqualTo(URGENT);
    }

    @Test
    void towardsHttp2() throws IOException {
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    for (int i = 0; i < 2; i++) {
                        Http2Peer.Head head = peer.head();
                        assertThat(head.value("priority")).isEqualTo(URGENT);
                        peer.headers(head.stream(), true, ":status", "200", "priority", "u=3");
                    }
                    peer.awaitEnd();
                });
                Sidecar sidecar = Sidecar.start(
                        Setup.at(endpoint.port()).listener("protocol: auto").cluster("protocol: http2"));
                RawClient http1 = sidecar.client();
                FrameClient http2 = FrameClient.connect(sidecar.address())) {
            String request = "GET / HTTP/1.1\r\nHost: app\r\nPriority: " + URGENT + "\r\n\r\n";
            assertThat(http1.send(request).response().field("priority")).isEqualTo("u=3");
            FrameClient.Answer answer =
                    http2.headers(1, true, with(GET, "priority", URGENT)).answer(1);
            assertThat(answer.field("priority")).isEqualTo("u=3");
        }
    }

    // ---- the frame

    /** Before its request, while that is open, and behind its end. */
    @Test
    void anUpdateIsTaken() throws IOException {
        try (FrameClient client = client()) {
            client.send(update(0, 1, URGENT)).get(1).send(update(0, 1, "u=7")).answer(1);
            client.send(update(0, 1, "")).send(update(0, 1_001, URGENT));
            assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        }
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of("on a stream", PROTOCOL_ERROR, update(1, 1, URGENT)),
                Arguments.of("about the connection", PROTOCOL_ERROR, update(0, 0, URGENT)),
                Arguments.of("about a push that nobody has promised", PROTOCOL_ERROR, update(0, 2, URGENT)),
                Arguments.of("about nothing", FRAME_SIZE_ERROR, FrameClient.frame(PRIORITY_UPDATE, 0, 0, new byte[3])));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void aWrongOneEndsTheConnection(String name, int code, byte[] frame) throws IOException {
        try (FrameClient client = client()) {
            assertThat(client.send(frame).goAway()).isEqualTo(code);
        }
    }

    @Test
    void noMoreOfThemThanOfOtherControlFrames() throws IOException {
        ByteArrayOutputStream many = new ByteArrayOutputStream();
        for (int i = 0; i < 900; i++) {
            many.writeBytes(update(0, 1, URGENT));
        }
        try (FrameClient client = client()) {
            assertThat(client.send(many.toByteArray()).get(1).answer(1).status())
                    .isEqualTo(200);
            client.trySend(many.toByteArray());
            assertThat(client.goAway()).isEqualTo(ENHANCE_YOUR_CALM);
        }
    }

    /** It is a client's to send. */
    @Test
    void anEndpointsEndsItsConnection() throws IOException {
        try (Http2Backend endpoint = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.frame(PRIORITY_UPDATE, 0, 0, FrameClient.number(stream));
                    assertThat(peer.next(Http2Peer.GOAWAY).number(4)).isEqualTo(PROTOCOL_ERROR);
                    peer.awaitEnd();
                });
                Sidecar sidecar = Sidecar.start(Setup.at(endpoint.port()).cluster("protocol: http2"));
                RawClient client = sidecar.client()) {
            assertThat(client.send(Stand.GET).response().status()).isEqualTo(502);
        }
    }
}
