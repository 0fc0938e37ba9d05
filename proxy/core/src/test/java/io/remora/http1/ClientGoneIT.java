package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Tunnels;
import io.remora.testkit.Wire;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that end their side, or both. */
@Contract
final class ClientGoneIT {
    private static final String SERVE = "client-half-close: serve";
    private static final int LARGE_BYTES = 32 << 20;

    @RegisterExtension
    final Stand stand = new Stand();

    /** A client whose request the backend has, and does not answer before {@link Stand#mayAnswer}. */
    private RawClient waiting(String request) throws IOException {
        stand.answerLater();
        RawClient client = stand.client().send(request);
        awaitRequest();
        return client;
    }

    private void endsItsSideAndIsCancelled(String request) throws IOException {
        RawClient client = waiting(request);
        client.shutdownOutput();
        cancelled(client);
    }

    private void awaitRequest() {
        Await.until("the request is at the backend", () -> stand.backend.received().length > 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                GET,
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nabc",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            })
    void endsItsSideBehindARequestThatIsServed(String request) throws IOException {
        stand.start(SERVE, "");
        // the end comes together with the request, while the connection to the endpoint is made
        stand.answerLater();
        RawClient client = stand.client();
        client.send(request).shutdownOutput();
        awaitRequest();
        stand.sidecar().barrier();
        stand.mayAnswer();
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(client.closedByPeer()).isTrue();
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                GET,
                "GET / HTTP/1.0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nabc",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            })
    void endsItsSideWhileItWaits(String request) throws IOException {
        endsItsSideAndIsCancelled(request);
    }

    @Test
    void endsItsSideWhileItWaitsOnAPortForBothVersions() throws IOException {
        stand.start("protocol: auto", "");
        endsItsSideAndIsCancelled(GET);
    }

    /** The second request of a kept connection, which is not pipelined. */
    @Test
    void endsItsSideWhileItWaitsForALaterResponse() throws IOException {
        RawClient client = stand.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        stand.mark();
        stand.answerLater();
        client.send(GET);
        Await.until("the request is at the backend", () -> stand.atBackend().length > 0);
        client.shutdownOutput();
        cancelled(client);
    }

    /** The first response is the sidecar's own, and begins while its request is taken. */
    @Test
    void endsItsSideWhileItWaitsBehindAResponseOfTheSidecar() throws IOException {
        RawClient client = stand.client();
        String ask = "OPTIONS / HTTP/1.1\r\nHost: app\r\nMax-Forwards: 0\r\n\r\n";
        assertThat(client.send(ask).response().status()).isEqualTo(200);
        stand.answerLater();
        client.send(GET);
        awaitRequest();
        client.shutdownOutput();
        cancelled(client);
    }

    /** Line ends of old clients (RFC 9112 2.2), and the beginning of a head that will never be whole. */
    @ParameterizedTest
    @ValueSource(strings = {"\r\n", "\n", "\r\n\r\n", "GET /next HTTP/1.1\r\nHost: a"})
    void endsItsSideBehindOctetsThatAreNoRequest(String rest) throws IOException {
        endsItsSideAndIsCancelled("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nabc" + rest);
    }

    @Test
    void endsItsSideWhileAResponseIsComing() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
            connection.waitFor(stand::awaitMayAnswer);
        });
        RawClient client = stand.client();
        assertThat(client.send(GET).responseHead().status()).isEqualTo(200);
        client.shutdownOutput();
        Await.until("the backend's connection is closed", () -> stand.openAtBackend() == 0);
        stand.mayAnswer();
        stand.countedOnce(Failure.CLIENT_GONE);
        assertThat(Wire.text(client.readToEnd())).doesNotContain("\r\n0\r\n");
    }

    private void cancelled(RawClient client) throws IOException {
        Await.until("the backend's connection is closed", () -> stand.openAtBackend() == 0);
        stand.countedOnce(Failure.CLIENT_GONE);
        assertThat(client.closedByPeer()).isTrue();
        stand.mayAnswer();
        assertThat(stand.sidecar().count(Count.EXCHANGES_IN_FLIGHT)).isZero();
    }

    private void cancelledAndOthersAreServed() throws IOException {
        Await.until("the backend's connection is closed", () -> stand.openAtBackend() == 0);
        stand.countedOnce(Failure.CLIENT_GONE);
        stand.mayAnswer();
        stand.backend.replyOk();
        assertThat(stand.get().bodyText()).isEqualTo("ok");
    }

    /** A tunnel may follow, and the end of one side is a matter of its two ends. */
    @Test
    void endsItsSideBehindARequestForATunnel() throws IOException {
        RawClient client = waiting(Tunnels.ASK);
        client.shutdownOutput();
        stand.sidecar().barrier();
        stand.mayAnswer();
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    /** Nobody knows whether it is still there. */
    @Test
    void isServedForAsLongAsAConnectionMayRest() throws IOException {
        stand.start(SERVE + "\ntimeouts: { idle: 400ms }", "");
        endsItsSideAndIsCancelled(GET);
    }

    @Test
    void isServedForAsLongAsItsResponseMoves() throws IOException {
        stand.start(SERVE + "\ntimeouts: { idle: 1s }", "");
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n");
            for (int i = 0; i < 20; i++) {
                Stand.pause(100);
                connection.write("x");
            }
        });
        RawClient client = stand.client();
        client.send(GET).shutdownOutput();
        assertThat(client.response().bodyText()).hasSize(20);
        stand.nothingFailed();
    }

    @Test
    void endsItsSideBehindManyRequests() throws IOException {
        stand.answerLater();
        RawClient client = stand.client();
        client.send(GET.repeat(40)).shutdownOutput();
        awaitRequest();
        stand.sidecar().barrier();
        stand.mayAnswer();
        for (int i = 0; i < 40; i++) {
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
        assertThat(client.closedByPeer()).isTrue();
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 10\r\n\r\n",
                "Content-Length: 10\r\n\r\n12345",
                "Transfer-Encoding: chunked\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n123",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n",
            })
    void endsItsSideWithinABody(String part) throws IOException {
        stand.sidecar();
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\n" + part).shutdownOutput();
        RawResponse response = stand.refused(client.response(), Failure.BAD_REQUEST);
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
        assertTheBackendSawItCut();
    }

    /** A connection that came too late to be used may be kept; one that carries half a request may not. */
    private void assertTheBackendSawItCut() throws IOException {
        stand.sidecar().barrier();
        try {
            assertThat(StrictHttp.requests(stand.backend.received())).isEmpty();
        } catch (EOFException cut) {
            Await.until("the backend's connection is closed", () -> stand.backend.openConnections() == 0);
        }
    }

    @Test
    void resetsWithinABody() throws IOException {
        stand.sidecar();
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 10\r\n\r\n12345");
        awaitRequest();
        client.reset();
        stand.countedOnce(Failure.CLIENT_GONE);
        assertTheBackendSawItCut();
        assertThat(stand.sidecar().count(Count.EXCHANGES_FINISHED)).isOne();
    }

    @Test
    void resetsWhileItWaits() throws IOException {
        RawClient client = waiting(GET);
        client.reset();
        cancelledAndOthersAreServed();
    }

    @Test
    void resetsWhileRequestsWaitBehindAnother() throws IOException {
        RawClient client = waiting(GET + "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello" + GET);
        stand.sidecar().barrier();
        client.reset();
        stand.countedOnce(Failure.CLIENT_GONE);
        stand.mayAnswer();
        assertThat(stand.sidecar().count(Count.EXCHANGES_STARTED)).isOne();
    }

    @Test
    void closesWhileItWaits() throws IOException {
        RawClient client = waiting(GET);
        client.close();
        cancelledAndOthersAreServed();
    }

    /**
     * A full close looks like a half-close until something is written: the answer is fetched, and has nowhere to go.
     */
    @Test
    void closesWhileItIsServed() throws IOException {
        stand.start(SERVE, "");
        RawClient client = waiting(GET);
        client.close();
        stand.sidecar().barrier();
        stand.mayAnswer();
        stand.nothingFailed();
        Await.until("closed", () -> stand.sidecar().closedConnections() == 1);
        stand.backend.replyOk();
        assertThat(stand.get().bodyText()).isEqualTo("ok");
    }

    @Test
    void resetsWhileAResponseIsComing() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
            Pattern.write(connection::write, LARGE_BYTES);
        });
        RawClient client = stand.narrowClient();
        client.send(GET).responseHead();
        client.reset();
        stand.countedOnce(Failure.CLIENT_GONE);
        Await.until("the backend's connection is closed", () -> stand.backend.openConnections() == 0);
        assertThat(stand.responses(2)).isOne();
    }

    @Test
    void resetsBetweenRequests() throws IOException {
        RawClient client = stand.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        client.reset();
        Await.until("closed", () -> stand.sidecar().closedConnections() == 1);
        stand.nothingFailed();
    }

    @Test
    void saysNothingAtAll() throws IOException {
        stand.sidecar();
        stand.client().close();
        stand.client().reset();
        RawClient half = stand.client();
        half.shutdownOutput();
        assertThat(half.closedByPeer()).isTrue();
        Await.until("closed", () -> stand.sidecar().closedConnections() == 3);
        assertThat(stand.sidecar().count(Count.EXCHANGES_STARTED)).isZero();
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "GET / HTTP/1.1\r\nHost: app\r\n"})
    void goesWithinAHead(String part) throws IOException {
        stand.sidecar();
        stand.client().send(part).close();
        stand.client().send(part).reset();
        Await.until("closed", () -> stand.sidecar().closedConnections() == 2);
        assertThat(stand.backend.connections()).isEmpty();
        assertThat(stand.failures(Failure.INTERNAL)).isZero();
    }

    /** The response to a client that has gone on sending is not lost in the reset that unread bytes cause. */
    @Test
    void takesAResponseThoughItHasSentMore() throws IOException {
        stand.sidecar();
        for (int i = 0; i < 20; i++) {
            RawClient client = stand.client();
            client.trySend(Wire.bytes("GET / HTTP/9.9\r\nHost: app\r\n\r\n" + GET.repeat(1000)));
            assertThat(client.response().status()).isEqualTo(505);
            client.close();
        }
        stand.counted(Failure.UNSUPPORTED_VERSION, 20);
    }
}
