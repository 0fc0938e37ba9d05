package io.remora.dataplane;

import static io.remora.dataplane.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Failure;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.RawClient;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that stop being HTTP: octets both ways, ends in either direction, and the end of all. */
final class TunnelIT {
    static final String ASK =
            "GET /chat HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";
    static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    private static final long LARGE = 48L << 20;
    /** What the sidecar reads at first from a connection. */
    private static final int FIRST_READ_BYTES = 2_048;

    @RegisterExtension
    final Stand stand = new Stand();

    /** Writes back what comes, and ends when the client has. */
    static void echo(BackendConnection connection) throws IOException {
        connection.readHead();
        connection.write(SWITCH);
        InputStream in = connection.input();
        byte[] some = new byte[1 << 16];
        for (int count = in.read(some); count > 0; count = in.read(some)) {
            connection.write(Arrays.copyOf(some, count));
        }
        connection.shutdownOutput();
    }

    private RawClient tunnel() throws IOException {
        RawClient client = stand.client();
        assertThat(client.send(ASK).response().status()).isEqualTo(101);
        return client;
    }

    private void awaitTunnelsClosed() {
        stand.sidecar().awaitIdle();
        Await.until("the backend's connection is closed", () -> stand.openAtBackend() == 0);
        Await.until(
                "the client's too",
                () -> stand.sidecar().count(stats -> stats.connectionsClosed)
                        == stand.sidecar().count(stats -> stats.connectionsAccepted));
    }

    @Test
    void carriesOctetsBothWays() throws Exception {
        stand.backend.onRequest(TunnelIT::echo);
        RawClient client = tunnel();
        CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
            try {
                Pattern.write(client::send, LARGE);
                client.shutdownOutput();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        Pattern.check(client.input(), LARGE);
        sent.get(1, TimeUnit.SECONDS);
        assertThat(client.closedByPeer()).isTrue();
        awaitTunnelsClosed();
        assertThat(stand.sidecar().count(stats -> stats.requestBodyBytes)).isEqualTo(LARGE);
        assertThat(stand.sidecar().count(stats -> stats.responseBodyBytes)).isEqualTo(LARGE);
        assertThat(stand.responses(1)).isOne();
        stand.nothingFailed();
    }

    /** Octet by octet, each answered before the next: nothing waits for a buffer to fill. */
    @Test
    void carriesEachOctetAtOnce() throws IOException {
        stand.backend.onRequest(TunnelIT::echo);
        RawClient client = tunnel();
        for (int i = 0; i < 256; i++) {
            assertThat(client.send(new byte[] {(byte) i}).read(1)).containsExactly(i);
        }
    }

    @Test
    void endsFromTheClientsSideFirst() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH);
            connection.readToEnd();
            connection.write("still here");
            connection.shutdownOutput();
        });
        RawClient client = tunnel();
        client.send("last").shutdownOutput();
        assertThat(Wire.text(client.readToEnd())).isEqualTo("still here");
        assertThat(Wire.text(stand.backend.received())).endsWith("\r\n\r\nlast");
        awaitTunnelsClosed();
        stand.nothingFailed();
    }

    @Test
    void endsFromTheBackendsSideFirst() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH + "last");
            connection.shutdownOutput();
            connection.readToEnd();
        });
        RawClient client = tunnel();
        assertThat(Wire.text(client.readToEnd())).isEqualTo("last");
        client.send("still ").send("here");
        client.shutdownOutput();
        awaitTunnelsClosed();
        assertThat(Wire.text(stand.backend.received())).endsWith("\r\n\r\nstill here");
        stand.nothingFailed();
    }

    /** The client has ended its side before the switch: the backend learns of it all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"", "early"})
    void hasEndedBeforeItBegins(String early) throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            connection.readHead();
            awaitQuietly(ended);
            connection.write(SWITCH);
            connection.readToEnd();
            connection.write("bye");
            connection.close();
        });
        RawClient client = stand.client();
        client.send(ASK + early).shutdownOutput();
        Await.until("the request is there", () -> stand.backend.received().length > 0);
        stand.sidecar().barrier();
        ended.countDown();
        assertThat(client.response().status()).isEqualTo(101);
        assertThat(Wire.text(client.readToEnd())).isEqualTo("bye");
        assertThat(Wire.text(stand.backend.received())).endsWith("\r\n\r\n" + early);
        awaitTunnelsClosed();
    }

    /** The same where one read brings the request and fills its buffer, so that the end is read behind it at once. */
    @ParameterizedTest
    @ValueSource(strings = {"", "early"})
    void hasEndedInTheReadThatBroughtTheRequest(String early) throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH);
            connection.readToEnd();
            connection.write("bye");
            connection.close();
        });
        String line = "X: ";
        int padding = FIRST_READ_BYTES - ASK.length() - line.length() - 2 - early.length();
        String padded = ASK.substring(0, ASK.length() - 2) + line + "y".repeat(padding) + "\r\n\r\n" + early;
        assertThat(padded).hasSize(FIRST_READ_BYTES);
        RawClient client = stand.client();
        stand.sidecar().barrier();
        Stall.during(stand.sidecar(), () -> client.send(padded).shutdownOutput());
        assertThat(client.response().status()).isEqualTo(101);
        assertThat(Wire.text(client.readToEnd())).isEqualTo("bye");
        assertThat(Wire.text(stand.backend.received())).endsWith("\r\n\r\n" + early);
        awaitTunnelsClosed();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Whatever ends it, the other side learns. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isResetByTheClient(boolean afterItsEnd) throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH);
            connection.readToEnd();
            connection.write("nobody reads this");
        });
        RawClient client = tunnel();
        if (afterItsEnd) {
            client.shutdownOutput();
        }
        client.reset();
        awaitTunnelsClosed();
        stand.nothingFailed();
    }

    @Test
    void isResetByTheBackend() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH);
            connection.input().read();
            connection.reset();
        });
        RawClient client = tunnel();
        client.send("x");
        assertThat(client.closedByPeer()).isTrue();
        awaitTunnelsClosed();
        stand.nothingFailed();
    }

    /** A side that does not read stops the other from being read. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void holdsBackWhoSendsTooFast(boolean fromClient) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH);
            if (!fromClient) {
                Pattern.write(octets -> writeUntil(connection, octets, over), LARGE);
            }
            awaitQuietly(over);
        });
        RawClient client = tunnel();
        if (fromClient) {
            new Thread(() -> client.trySend(new byte[(int) LARGE])).start();
        }
        awaitStandstill();
        long carried = stand.sidecar().count(stats -> stats.requestBodyBytes)
                + stand.sidecar().count(stats -> stats.responseBodyBytes);
        assertThat(carried).isPositive().isLessThan(LARGE / 2);
        client.reset();
        over.countDown();
        awaitTunnelsClosed();
    }

    private static void writeUntil(BackendConnection connection, byte[] octets, CountDownLatch over)
            throws IOException {
        if (over.getCount() > 0 && connection.isOpen()) {
            connection.write(octets);
        }
    }

    private void awaitStandstill() {
        long before = -1;
        long now = 0;
        while (now == 0 || before != now) {
            before = now;
            for (int i = 0; i < 200; i++) {
                stand.sidecar().barrier();
            }
            now = stand.sidecar().count(stats -> stats.requestBodyBytes)
                    + stand.sidecar().count(stats -> stats.responseBodyBytes);
        }
    }

    @Test
    void isClosedWhenIdleForLong() throws IOException {
        stand.start("timeouts: { idle: 400ms }", "timeouts: { response-header: 500ms, idle: 100ms }");
        stand.backend.onRequest(TunnelIT::echo);
        RawClient client = tunnel();
        for (int i = 0; i < 6; i++) {
            Stand.pause(100);
            assertThat(client.send("x").read(1)).containsExactly('x');
        }
        assertThat(client.closedByPeer()).isTrue();
        awaitTunnelsClosed();
    }

    @Test
    void goesOnWhileDraining() throws Exception {
        stand.backend.onRequest(TunnelIT::echo);
        RawClient client = tunnel();
        stand.sidecar().proxy().drain();
        assertThat(stand.sidecar().proxy().awaitDrained(100)).isFalse();
        assertThat(Wire.text(client.send("on").read(2))).isEqualTo("on");
        client.shutdownOutput();
        assertThat(client.closedByPeer()).isTrue();
        assertThat(stand.sidecar().proxy().awaitDrained(Await.TIMEOUT_MS)).isTrue();
        stand.nothingFailed();
    }

    @Test
    void isCutWhenADrainTakesTooLong() throws Exception {
        stand.backend.onRequest(TunnelIT::echo);
        RawClient client = tunnel();
        stand.sidecar().proxy().drain();
        assertThat(stand.sidecar().proxy().awaitDrained(50)).isFalse();
        stand.sidecar().proxy().cut();
        assertThat(client.closedByPeer()).isTrue();
        awaitTunnelsClosed();
        stand.countedOnce(Failure.CUT);
        assertThat(stand.sidecar().count(stats -> stats.exchangesCut)).isOne();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
                "Connection: Upgrade\r\nUpgrade: TLS/1.0",
                "Connection: Upgrade\r\nUpgrade: websocket, h2c"
            })
    void isNotOpenedForOtherProtocols(String lines) throws IOException {
        RawClient client = stand.client();
        client.send("GET / HTTP/1.1\r\nHost: app\r\n" + lines + "\r\n\r\n" + GET);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(stand.backend.requests().get(0).fields().has("Upgrade")).isFalse();
        assertThat(stand.backend.requests().get(0).fields().has("HTTP2-Settings"))
                .isFalse();
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"200 OK", "400 Bad Request", "426 Upgrade Required"})
    void isDeclinedAndHttpGoesOn(String status) throws IOException {
        stand.backend.onRequest(connection -> {
            boolean asked = connection.readRequest().fields().has("Upgrade");
            connection.write("HTTP/1.1 " + (asked ? status : "200 OK") + "\r\nContent-Length: 2\r\n\r\nno");
        });
        RawClient client = stand.client();
        for (int i = 0; i < 2; i++) {
            assertThat(client.send(ASK).response().status()).isEqualTo(Integer.parseInt(status.substring(0, 3)));
            assertThat(client.send(GET).response().bodyText()).isEqualTo("no");
        }
        assertThat(stand.backend.connections()).hasSize(1);
        stand.nothingFailed();
    }

    @Test
    void isNotKeptInThePool() throws IOException {
        stand.backend.onRequest(TunnelIT::echo);
        tunnel().shutdownOutput();
        awaitTunnelsClosed();
        stand.backend.replyOk();
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        assertThat(stand.backend.connections()).hasSize(2);
        assertThat(stand.backend.problems())
                .noneMatch(problem -> problem instanceof io.remora.testkit.StrictHttp.Violation);
    }
}
