package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that take their time, in either direction. */
@Contract
final class SlowClientIT {
    private static final int LARGE_BYTES = 64 << 20;
    private static final int PACE_MS = 30;

    @RegisterExtension
    final Stand stand = new Stand();

    @Test
    void sendsOneByteAtATime() throws IOException {
        RawClient client = stand.client();
        client.sendOctetByOctet(Wire.bytes(GET));
        assertThat(client.response().bodyText()).isEqualTo("ok");
        client.sendOctetByOctet(Wire.bytes("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello"));
        assertThat(client.response().bodyText()).isEqualTo("ok");
        client.sendOctetByOctet(Wire.bytes("POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n"));
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(stand.backend.requests().get(1).bodyText()).isEqualTo("hello");
        assertThat(stand.backend.requests().get(2).bodyText()).isEqualTo("abcde");
        stand.nothingFailed();
    }

    @Test
    void readsOneByteAtATime() throws IOException {
        stand.backend.reply("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n" + "x".repeat(3000));
        RawClient client = stand.narrowClient();
        client.send(GET);
        StringBuilder all = new StringBuilder();
        while (all.length() < 3000 || !all.substring(all.length() - 3000).equals("x".repeat(3000))) {
            all.append((char) client.socket().getInputStream().read());
        }
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: app\r\nX: "})
    void stopsWithinTheHead(String part) throws IOException {
        stand.start("timeouts: { header-read: 200ms }", "");
        RawClient client = stand.client();
        RawResponse response = stand.refused(client.send(part).response(), Failure.HEADER_TIMEOUT);
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
        assertThat(stand.backend.connections()).isEmpty();
    }

    /** Each byte buys no time: the head has one deadline, from its first byte. */
    @Test
    void sendsTheHeadForEver() throws IOException {
        stand.start("timeouts: { header-read: 300ms }", "");
        RawClient client = stand.client();
        client.send("GET / HTTP/1.1\r\nHost: app\r\n");
        long startNs = System.nanoTime();
        while (stand.failures(Failure.HEADER_TIMEOUT) == 0) {
            client.trySend(Wire.bytes("X: y\r\n"));
            assertThat(System.nanoTime() - startNs).isLessThan(Await.TIMEOUT_MS * 1_000_000L);
            Stand.pause(PACE_MS);
        }
        stand.refused(client.response(), Failure.HEADER_TIMEOUT);
    }

    @Test
    void sendsTheSecondHeadForEver() throws IOException {
        stand.start("timeouts: { header-read: 200ms }", "");
        RawClient client = stand.client();
        client.send(GET + "GET / HT");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.refused(client.response(), Failure.HEADER_TIMEOUT);
        assertThat(client.closedByPeer()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 10\r\n\r\n12345", "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"})
    void stopsWithinTheBody(String part) throws IOException {
        stand.start("timeouts: { body-idle: 200ms }", "");
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\n" + part);
        stand.refused(client.response(), Failure.REQUEST_BODY_TIMEOUT);
        assertThat(client.closedByPeer()).isTrue();
        Await.until("no backend connection is held", () -> stand.backend.openConnections() == 0);
    }

    /** A body has no deadline for the whole. */
    @Test
    void sendsTheBodySlowly() throws IOException {
        stand.start(
                "timeouts: { body-idle: 400ms, header-read: 400ms, idle: 400ms }",
                "timeouts: { response-header: 400ms }");
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 20\r\n\r\n");
        for (int i = 0; i < 20; i++) {
            Stand.pause(PACE_MS);
            client.send("x");
        }
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    @Test
    void isClosedWhenIdleForLong() throws IOException {
        stand.start("timeouts: { idle: 500ms }", "");
        RawClient fresh = stand.client();
        RawClient served = stand.client();
        assertThat(served.send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(fresh.closedByPeer()).isTrue();
        assertThat(served.closedByPeer()).isTrue();
        stand.nothingFailed();
    }

    /** Idle is what the client is, not what the backend is. */
    @Test
    void isNotIdleWhileItWaits() throws IOException {
        stand.start("timeouts: { idle: 400ms, body-idle: 400ms, header-read: 400ms }", "");
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            Stand.pause(800);
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        });
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    private void answerLarge() {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
            Pattern.write(connection::write, LARGE_BYTES);
        });
    }

    @Test
    void doesNotRead() throws IOException {
        stand.start("timeouts: { body-idle: 400ms }", "");
        answerLarge();
        long directBefore = stand.sidecar().count(Count.DIRECT_MEMORY_BYTES);
        AtomicLong mostDirect = new AtomicLong();
        RawClient client = stand.narrowClient();
        client.send(GET);
        Await.until("cut", () -> {
            mostDirect.accumulateAndGet(stand.sidecar().count(Count.DIRECT_MEMORY_BYTES), Math::max);
            return stand.failures(Failure.CLIENT_STALLED) == 1;
        });
        assertThat(mostDirect.get() - directBefore)
                .as("held for a client that does not read")
                .isLessThan(256 * 1024);
        assertThat(stand.sidecar().count(Count.RESPONSE_BODY_BYTES)).isLessThan(LARGE_BYTES / 2);
        assertThatThrownBy(client::response).isInstanceOfAny(EOFException.class, java.net.SocketException.class);
        Await.until("no backend connection is held", () -> stand.backend.openConnections() == 0);
        stand.countedOnce(Failure.CLIENT_STALLED);
    }

    /** Reading again in time is enough, as often as it stops. */
    @Test
    void readsInBursts() throws IOException {
        stand.start("timeouts: { body-idle: 500ms }", "timeouts: { response-header: 300ms }");
        answerLarge();
        RawClient client = stand.narrowClient();
        client.send(GET).responseHead();
        for (int i = 0; i < 16; i++) {
            Stand.pause(PACE_MS);
            client.input().skipNBytes(LARGE_BYTES / 16);
        }
        stand.nothingFailed();
    }

    /** What does not fill the buffers is no less a response that nobody reads. */
    @Test
    void doesNotReadManySmallResponses() throws IOException {
        stand.start("timeouts: { body-idle: 300ms }", "");
        stand.backend.reply("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n" + "x".repeat(20_000));
        RawClient client = stand.narrowClient();
        new Thread(() -> client.trySend(Wire.bytes(GET.repeat(5_000)))).start();
        Await.until("cut", () -> stand.sidecar().closedConnections() == 1);
        assertThat(stand.sidecar().count(Count.EXCHANGES_STARTED)).isLessThan(5_000);
    }
}
