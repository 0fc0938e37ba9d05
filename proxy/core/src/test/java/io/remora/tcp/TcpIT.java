package io.remora.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.DeadPort;
import io.remora.testkit.Failure;
import io.remora.testkit.Metrics;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import io.remora.testkit.Tunnels;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that are tunnels from their first octet: octets both ways, ends in either direction, resets, and bounds. */
@Contract
final class TcpIT {
    private static final String TCP = "protocol: tcp\n";
    private static final long LARGE = 1L << 30;

    @RegisterExtension
    final Stand stand = new Stand(TCP, TCP);

    /** Writes back what comes, and ends when the client has. */
    private static void echo(BackendConnection connection) throws IOException {
        InputStream in = connection.input();
        byte[] some = new byte[1 << 16];
        for (int count = in.read(some); count > 0; count = in.read(some)) {
            connection.write(Arrays.copyOf(some, count));
        }
        connection.shutdownOutput();
    }

    private void awaitClosed() {
        Tunnels.awaitClosed(stand);
    }

    // ---- several clusters

    /** By chance about half of the connections go to either; one client's all go to the same. */
    @Test
    void spreadsConnections() throws IOException {
        String yaml = """
                admin: {address: '127.0.0.1:0'}
                log-level: error
                listeners:
                  - name: test
                    address: '127.0.0.1:0'
                    protocol: tcp
                    routes: [{clusters: [{cluster: one}, {cluster: two}], sticky: STICKY}]
                  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
                clusters:
                  one: {protocol: tcp, endpoints: ['127.0.0.1:${BACKEND}']}
                  two: {protocol: tcp, endpoints: ['127.0.0.1:${BACKEND_1}']}
                  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
                """;
        stand.backend.onAccept(connection -> connection.write("1"));
        try (RecordingBackend other = RecordingBackend.start().onAccept(connection -> connection.write("2"))) {
            for (String sticky : List.of("off", "client")) {
                try (Sidecar sidecar = Sidecar.of(yaml.replace("STICKY", sticky), stand.backend, other)) {
                    int ones = 0;
                    for (int i = 0; i < 100; i++) {
                        try (RawClient client = sidecar.client()) {
                            ones += client.read(1)[0] == '1' ? 1 : 0;
                        }
                    }
                    if (sticky.equals("off")) {
                        assertThat(ones).isBetween(15, 85);
                    } else {
                        assertThat(ones).isIn(0, 100);
                    }
                }
            }
        }
    }

    // ---- octets

    @Test
    void carriesAGibibyteBothWays() throws Exception {
        stand.backend.onRequest(TcpIT::echo);
        RawClient client = stand.client();
        CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
            try {
                Pattern.write(client::send, LARGE);
                client.shutdownOutput();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Pattern.check(client.input(), LARGE);
        sent.get(1, TimeUnit.SECONDS);
        assertThat(client.closedByPeer()).isTrue();
        awaitClosed();
        assertThat(stand.sidecar().count(Count.REQUEST_BODY_BYTES)).isEqualTo(LARGE);
        assertThat(stand.sidecar().count(Count.RESPONSE_BODY_BYTES)).isEqualTo(LARGE);
        stand.nothingFailed();
    }

    /** Octet by octet, each answered before the next: nothing waits for a buffer to fill. */
    @Test
    void carriesEachOctetAtOnce() throws IOException {
        stand.backend.onRequest(TcpIT::echo);
        RawClient client = stand.client();
        for (int i = 0; i < 256; i++) {
            assertThat(client.send(new byte[] {(byte) i}).read(1)).containsExactly(i);
        }
    }

    /** There are protocols in which the server speaks first. */
    @Test
    void bringsWhatTheServerSaysFirst() throws IOException {
        stand.backend.onAccept(connection -> connection.write("220 ready\r\n"));
        RawClient client = stand.client();
        assertThat(Wire.text(client.read(11))).isEqualTo("220 ready\r\n");
        assertThat(stand.backend.received()).isEmpty();
    }

    /** What looks like HTTP is passed on as anything else. */
    @Test
    void readsNothingIntoIt() throws IOException {
        String broken = "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\n\n\0";
        stand.backend.onRequest(TcpIT::echo);
        RawClient client = stand.client();
        client.send(broken).shutdownOutput();
        assertThat(Wire.text(client.readToEnd())).isEqualTo(broken);
        assertThat(Wire.text(stand.backend.received())).isEqualTo(broken);
        awaitClosed();
        assertThat(stand.responses(1)).isZero();
        stand.nothingFailed();
    }

    // ---- ends

    @Test
    void endsFromTheClientsSideFirst() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readToEnd();
            connection.write("still here");
            connection.shutdownOutput();
        });
        RawClient client = stand.client();
        client.send("last").shutdownOutput();
        assertThat(Wire.text(client.readToEnd())).isEqualTo("still here");
        assertThat(Wire.text(stand.backend.received())).isEqualTo("last");
        awaitClosed();
        stand.nothingFailed();
    }

    /** Of who has ended its side nothing is read any more: its reset shows when something is sent to it. */
    @Test
    void passesOnAResetBehindAnEndOnceTheClientSends() throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch wasReset = new CountDownLatch(1);
        stand.backend.onAccept(connection -> {
            connection.shutdownOutput();
            connection.waitFor(() -> Stand.await(ended));
            connection.reset();
            wasReset.countDown();
        });
        RawClient client = stand.client();
        assertThat(client.readToEnd()).isEmpty();
        ended.countDown();
        Stand.await(wasReset);
        Await.until("the client's connection is reset", () -> !client.trySend(new byte[] {1}));
        awaitClosed();
    }

    @Test
    void endsFromTheBackendsSideFirst() throws IOException {
        stand.backend.onAccept(connection -> {
            connection.write("last");
            connection.shutdownOutput();
            connection.readToEnd();
        });
        RawClient client = stand.client();
        assertThat(Wire.text(client.readToEnd())).isEqualTo("last");
        client.send("still ").send("here");
        client.shutdownOutput();
        awaitClosed();
        assertThat(Wire.text(stand.backend.received())).isEqualTo("still here");
        stand.nothingFailed();
    }

    /** The client has sent all it has, and its end, before there is a connection to the endpoint. */
    @ParameterizedTest
    @ValueSource(strings = {"", "early"})
    void hasEndedBeforeTheEndpointIsThere(String early) throws IOException {
        stand.backend.onAccept(connection -> {
            connection.readToEnd();
            connection.write("bye");
            connection.close();
        });
        stand.sidecar().barrier();
        RawClient[] client = new RawClient[1];
        stand.sidecar().stall(() -> {
            client[0] = stand.client();
            client[0].send(early).shutdownOutput();
        });
        assertThat(Wire.text(client[0].readToEnd())).isEqualTo("bye");
        assertThat(Wire.text(stand.backend.received())).isEqualTo(early);
        awaitClosed();
        stand.nothingFailed();
    }

    // ---- resets

    @Test
    void passesOnAResetOfTheClient() throws IOException {
        CountDownLatch there = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            there.countDown();
            connection.readToEnd();
            connection.write("nobody reads this");
        });
        RawClient client = stand.client().send("x");
        Stand.await(there);
        client.reset();
        awaitClosed();
        stand.countedOnce(Failure.CLIENT_GONE);
    }

    @Test
    void passesOnAResetOfTheEndpoint() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.input().read();
            connection.reset();
        });
        RawClient client = stand.client().send("x");
        assertThat(resets(client)).isTrue();
        awaitClosed();
        stand.countedOnce(Failure.BACKEND_CLOSED);
    }

    private static boolean resets(RawClient client) throws IOException {
        try {
            return client.input().read() >= 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** Whoever goes while the endpoint is being connected to leaves nothing behind. */
    @Test
    void isResetBeforeTheEndpointIsThere() throws IOException {
        stand.sidecar().barrier();
        stand.sidecar().stall(() -> stand.client().send("x").reset());
        awaitClosed();
    }

    // ---- bounds

    /** A side that does not read stops the other from being read. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void holdsBackWhoSendsTooFast(boolean fromClient) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        stand.backend.onAccept(connection -> {
            if (!fromClient) {
                Pattern.write(octets -> Tunnels.writeUntil(connection, octets, over), LARGE);
            }
            Stand.await(over);
        });
        RawClient client = stand.client();
        if (fromClient) {
            new Thread(() -> Pattern.tryWrite(client, LARGE)).start();
        }
        assertThat(Tunnels.awaitStandstill(stand)).isPositive().isLessThan(LARGE / 16);
        client.reset();
        over.countDown();
        awaitClosed();
    }

    @Test
    void isClosedWhenNothingMovesForLong() throws IOException {
        stand.start(TCP + "timeouts: { idle: 400ms }", TCP);
        stand.backend.onRequest(TcpIT::echo);
        RawClient client = stand.client();
        for (int i = 0; i < 6; i++) {
            Stand.pause(100);
            assertThat(client.send("x").read(1)).containsExactly('x');
        }
        assertThat(client.closedByPeer()).isTrue();
        awaitClosed();
        stand.countedOnce(Failure.TUNNEL_IDLE);
    }

    @Test
    void refusesMoreThanAreLetIn() throws IOException {
        stand.start(TCP + "limits: { in-flight: 1 }", TCP);
        stand.backend.onRequest(TcpIT::echo);
        RawClient first = stand.client();
        assertThat(first.send("x").read(1)).containsExactly('x');
        assertThat(isTurnedAway(stand.sidecar())).isTrue();
        assertThat(first.send("y").read(1)).containsExactly('y');
        first.shutdownOutput();
        awaitClosed();
        stand.countedOnce(Failure.OVERLOADED);
    }

    /** Whether a new client is reset, which it may learn of while it connects. */
    private static boolean isTurnedAway(Sidecar sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            client.trySend(Wire.bytes("x"));
            return client.closedByPeer();
        } catch (UncheckedIOException reset) {
            return true;
        }
    }

    @Test
    void keepsToTheConnectionsOfAnEndpoint() throws IOException {
        stand.start(TCP, TCP + "max-connections: 1");
        stand.backend.onRequest(TcpIT::echo);
        RawClient first = stand.client();
        assertThat(first.send("x").read(1)).containsExactly('x');
        assertThat(isTurnedAway(stand.sidecar())).isTrue();
        first.shutdownOutput();
        awaitClosed();
        stand.countedOnce(Failure.POOL_EXHAUSTED);
        assertThat(stand.client().send("z").read(1)).containsExactly('z');
    }

    // ---- endpoints

    @Test
    void saysThatNobodyIsThereByAReset() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar =
                        Sidecar.start(Setup.at(dead.port()).listener(TCP).cluster(TCP))) {
            assertThat(isTurnedAway(sidecar)).isTrue();
            sidecar.awaitIdle();
            assertThat(sidecar.metrics().sum("remora_failures_total", "failure", "connect-failed"))
                    .isOne();
        }
    }

    /** One endpoint is dead, and each connection comes to the other one all the same; the dead one is taken out of use. */
    @Test
    void goesToAnotherEndpoint() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = Sidecar.start(Setup.at(dead.port())
                        .and(stand.backend)
                        .listener(TCP)
                        .cluster(TCP + "balancer: round-robin\naccrual: { consecutive-failures: 3, back-off: 60s }"))) {
            stand.backend.onRequest(TcpIT::echo);
            for (int i = 0; i < 20; i++) {
                try (RawClient client = sidecar.client()) {
                    assertThat(client.send("x").read(1)).containsExactly('x');
                }
            }
            Await.until("ended", () -> sidecar.count(Count.EXCHANGES_IN_FLIGHT) == 0);
            Metrics metrics = sidecar.metrics();
            assertThat(metrics.sum("remora_repicks_total", "listener", Sidecar.LISTENER))
                    .isEqualTo(3);
            assertThat(metrics.sum("remora_cluster_ejections_total", "cluster", "app"))
                    .isOne();
        }
    }

    /** An endpoint that resets its connections is not better than one that refuses them. */
    @Test
    void takesAnEndpointOutOfUseThatResets() throws IOException {
        try (RecordingBackend bad = RecordingBackend.start();
                Sidecar sidecar = Sidecar.start(Setup.before(bad)
                        .and(stand.backend)
                        .listener(TCP)
                        .cluster(TCP + "balancer: round-robin\naccrual: { consecutive-failures: 3, back-off: 60s }"))) {
            bad.onAccept(BackendConnection::reset);
            stand.backend.onRequest(TcpIT::echo);
            int good = 0;
            for (int i = 0; i < 20; i++) {
                good += isTurnedAway(sidecar) ? 0 : 1;
                Await.until("ended", () -> sidecar.count(Count.EXCHANGES_IN_FLIGHT) == 0);
            }
            Metrics metrics = sidecar.metrics();
            long reset = metrics.sum("remora_failures_total", "failure", "backend-closed");
            // a reset that comes with the connection looks as if there was none, and another endpoint is taken
            assertThat(reset + metrics.sum("remora_repicks_total", "listener", Sidecar.LISTENER))
                    .isEqualTo(3);
            assertThat(good).isEqualTo((int) (20 - reset));
            assertThat(metrics.sum("remora_cluster_ejections_total", "cluster", "app"))
                    .isOne();
        }
    }

    /** A check is a connection, and no more than that. */
    @Test
    void checksByConnecting() throws IOException {
        stand.start(TCP, TCP + "health-check: { interval: 50ms, timeout: 40ms }");
        Await.until(
                "checked",
                () -> stand.sidecar()
                                .metrics()
                                .sum("remora_cluster_health_checks_total", "cluster", "app", "outcome", "success")
                        > 2);
        assertThat(stand.backend.received()).isEmpty();
        stand.backend.onRequest(TcpIT::echo);
        assertThat(stand.client().send("x").read(1)).containsExactly('x');
    }

    // ---- drain

    @Test
    void goesOnWhileDraining() throws Exception {
        stand.backend.onRequest(TcpIT::echo);
        RawClient client = stand.client();
        assertThat(client.send("x").read(1)).containsExactly('x');
        Tunnels.goesOnWhileDraining(stand, client);
    }

    @Test
    void isCutWhenADrainTakesTooLong() throws Exception {
        stand.start(Setup.before(stand.backend)
                .process("drain-timeout: 100ms")
                .listener(TCP)
                .cluster(TCP));
        stand.backend.onRequest(TcpIT::echo);
        RawClient client = stand.client();
        assertThat(client.send("x").read(1)).containsExactly('x');
        stand.sidecar().drain();
        assertThat(client.closedByPeer()).isTrue();
        awaitClosed();
        stand.countedOnce(Failure.CUT);
        assertThat(stand.sidecar().count(Count.EXCHANGES_CUT)).isOne();
    }
}
