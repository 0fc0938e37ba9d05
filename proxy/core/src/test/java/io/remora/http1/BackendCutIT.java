package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Backends that end their connection where no end may be. */
@Contract
final class BackendCutIT {
    /** How a connection ends. */
    enum End {
        FIN {
            @Override
            void of(BackendConnection connection) throws IOException {
                connection.close();
            }
        },
        RST {
            @Override
            void of(BackendConnection connection) throws IOException {
                connection.reset();
            }
        };

        abstract void of(BackendConnection connection) throws IOException;
    }

    private static final String OLD_GET = "GET / HTTP/1.0\r\nHost: app\r\n\r\n";

    @RegisterExtension
    final Stand stand = new Stand();

    private static Stream<Arguments> both(String... octets) {
        return Stream.of(octets).flatMap(part -> Stream.of(End.values()).map(end -> Arguments.of(part, end)));
    }

    static Stream<Arguments> partsOfAHead() {
        return both(
                "H",
                "HTTP/1.1 200",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nContent-Le",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r",
                "HTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 2");
    }

    static Stream<Arguments> partsOfABody() {
        return both(
                "Content-Length: 10\r\n\r\n",
                "Content-Length: 10\r\n\r\n123456789",
                "Transfer-Encoding: chunked\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n123",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\nX: y\r\n");
    }

    /** Answers with these octets and ends, once the proxy has taken them, so that a reset cannot overtake them. */
    private void answerAndEnd(String octets, End end) {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(octets);
            if (!octets.isEmpty()) {
                stand.sidecar().barrier();
            }
            end.of(connection);
        });
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void endsAsSoonAsItIsConnected(End end) throws IOException {
        stand.backend.onAccept(end::of);
        RawResponse response = stand.get();
        assertThat(response.status()).isEqualTo(502);
        // the end may be here before the news of the connection is
        assertThat(response.field("Remora-Error")).isIn("backend-closed", "connect-failed");
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void endsInsteadOfAnswering(End end) throws IOException {
        answerAndEnd("", end);
        stand.refused(stand.get(), Failure.BACKEND_CLOSED);
    }

    @ParameterizedTest
    @MethodSource("partsOfAHead")
    void endsWithinTheHead(String part, End end) throws IOException {
        answerAndEnd(part, end);
        RawClient client = stand.client();
        stand.refused(client.send(GET).response(), Failure.BACKEND_CLOSED);
        stand.backend.replyOk();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
    }

    @ParameterizedTest
    @MethodSource("partsOfABody")
    void endsWithinTheBody(String part, End end) throws IOException {
        answerAndEnd("HTTP/1.1 200 OK\r\n" + part, end);
        RawClient client = stand.client();
        client.send(GET);
        assertThat(client.responseHead().status()).isEqualTo(200);
        String rest = Wire.text(client.readToEnd());
        assertThat(rest).doesNotEndWith("0\r\n\r\n").doesNotContain("HTTP/1.1");
        assertThat(rest.replace("\r\n", "").length()).isLessThan(10);
        assertThat(client.closedByPeer()).isTrue();
        stand.countedOnce(Failure.BACKEND_CLOSED);
        assertThat(stand.responses(2)).isOne();
    }

    @ParameterizedTest
    @MethodSource("partsOfABody")
    void endsWithinTheBodyForAnOldClient(String part, End end) throws IOException {
        answerAndEnd("HTTP/1.1 200 OK\r\n" + part, end);
        RawClient client = stand.client();
        client.send(OLD_GET);
        if (part.startsWith("Content-Length")) {
            assertThatThrownBy(client::response).isInstanceOf(EOFException.class);
        } else {
            assertReset(client);
        }
        stand.countedOnce(Failure.BACKEND_CLOSED);
    }

    /** Nothing but a reset tells that a body that ends with its connection has not come to its end. */
    private static void assertReset(RawClient client) {
        assertThatThrownBy(() -> client.socket().getInputStream().readAllBytes())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }

    @Test
    void resetsWithinABodyThatEndsWithTheConnection() throws IOException {
        answerAndEnd("HTTP/1.1 200 OK\r\n\r\nhello", End.RST);
        RawClient client = stand.client();
        assertThatThrownBy(() -> client.send(GET).response()).isInstanceOf(EOFException.class);
        stand.countedOnce(Failure.BACKEND_CLOSED);
    }

    @Test
    void resetsWithinABodyThatEndsWithTheConnectionForAnOldClient() throws IOException {
        answerAndEnd("HTTP/1.1 200 OK\r\n\r\nhello", End.RST);
        assertReset(stand.client().send(OLD_GET));
        stand.countedOnce(Failure.BACKEND_CLOSED);
    }

    @Test
    void endsABodyThatEndsWithTheConnection() throws IOException {
        answerAndEnd("HTTP/1.1 200 OK\r\n\r\nhello", End.FIN);
        RawClient client = stand.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("hello");
        assertThat(client.send(GET).response().bodyText()).isEqualTo("hello");
        assertThat(stand.client().send(OLD_GET).readToEnd()).endsWith(Wire.bytes("\r\n\r\nhello"));
        stand.nothingFailed();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void endsWhileTheRequestIsComing(End end) throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            end.of(connection);
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 10\r\n\r\n12345");
        RawResponse response = stand.refused(client.response(), Failure.BACKEND_CLOSED);
        assertThat(response.fields().tokens("Connection")).contains("close");
        client.trySend(Wire.bytes("67890" + GET));
        assertThat(client.shutdownOutputQuietly().readToEnd()).isEmpty();
        assertThat(stand.backend.connections()).hasSize(1);
    }

    /** What was on its way is delivered before the cut: 64 KiB of a body that promised more. */
    @ParameterizedTest
    @EnumSource(End.class)
    void deliversWhatCameBeforeTheCut(End end) throws IOException {
        String half = "x".repeat(65_536);
        answerAndEnd("HTTP/1.1 200 OK\r\nContent-Length: 131072\r\n\r\n" + half, end);
        RawClient client = stand.client();
        client.send(GET).responseHead();
        assertThat(client.readToEnd()).hasSize(half.length());
        stand.countedOnce(Failure.BACKEND_CLOSED);
    }

    @Test
    void leavesOtherExchangesAlone() throws IOException {
        stand.backend.onRequest(connection -> {
            if (connection.readRequest().target().equals("/cut")) {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut");
                connection.reset();
            } else {
                Await.until("the other one was cut", () -> stand.failures(Failure.BACKEND_CLOSED) == 1);
                connection.write(RecordingBackend.OK);
            }
        });
        RawClient steady = stand.client();
        steady.send(GET);
        RawClient cut = stand.client();
        cut.send("GET /cut HTTP/1.1\r\nHost: app\r\n\r\n");
        cut.readToEnd();
        assertThat(steady.response().bodyText()).isEqualTo("ok");
        stand.countedOnce(Failure.BACKEND_CLOSED);
    }
}
