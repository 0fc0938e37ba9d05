package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.Stand;
import io.remora.testkit.Tunnels;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that stop being HTTP: octets both ways, ends in either direction, and the end of all. */
@Contract
final class TunnelIT {
    private static final long LARGE = 48L << 20;
    /** What the sidecar reads at first from a connection. */
    private static final int FIRST_READ_BYTES = 2_048;

    @RegisterExtension
    final Stand stand = new Stand();

    @Test
    void carriesOctetsBothWays() throws Exception {
        stand.backend.onRequest(Tunnels::echo);
        RawClient client = Tunnels.open(stand);
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
        Tunnels.awaitClosed(stand);
        assertThat(stand.sidecar().count(Count.REQUEST_BODY_BYTES)).isEqualTo(LARGE);
        assertThat(stand.sidecar().count(Count.RESPONSE_BODY_BYTES)).isEqualTo(LARGE);
        assertThat(stand.responses(1)).isOne();
        stand.nothingFailed();
    }

    /** Octet by octet, each answered before the next: nothing waits for a buffer to fill. */
    @Test
    void carriesEachOctetAtOnce() throws IOException {
        stand.backend.onRequest(Tunnels::echo);
        RawClient client = Tunnels.open(stand);
        for (int i = 0; i < 256; i++) {
            assertThat(client.send(new byte[] {(byte) i}).read(1)).containsExactly(i);
        }
    }

    @Test
    void endsFromTheClientsSideFirst() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(Tunnels.SWITCH);
            connection.readToEnd();
            connection.write("still here");
            connection.shutdownOutput();
        });
        RawClient client = Tunnels.open(stand);
        client.send("last").shutdownOutput();
        assertThat(Wire.text(client.readToEnd())).isEqualTo("still here");
        assertThat(Wire.text(stand.backend.received())).endsWith("\r\n\r\nlast");
        Tunnels.awaitClosed(stand);
        stand.nothingFailed();
    }

    @Test
    void endsFromTheBackendsSideFirst() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(Tunnels.SWITCH + "last");
            connection.shutdownOutput();
            connection.readToEnd();
        });
        RawClient client = Tunnels.open(stand);
        assertThat(Wire.text(client.readToEnd())).isEqualTo("last");
        client.send("still ").send("here");
        client.shutdownOutput();
        Tunnels.awaitClosed(stand);
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
            Await.open(ended);
            connection.write(Tunnels.SWITCH);
            connection.readToEnd();
            connection.write("bye");
            connection.close();
        });
        RawClient client = stand.client();
        client.send(Tunnels.ASK + early).shutdownOutput();
        Await.until("the request is there", () -> stand.backend.received().length > 0);
        stand.sidecar().barrier();
        ended.countDown();
        assertThat(client.response().status()).isEqualTo(101);
        assertThat(Wire.text(client.readToEnd())).isEqualTo("bye");
        assertThat(Wire.text(stand.backend.received())).endsWith("\r\n\r\n" + early);
        Tunnels.awaitClosed(stand);
    }

    /** The same where one read brings the request and fills its buffer, so that the end is read behind it at once. */
    @ParameterizedTest
    @ValueSource(strings = {"", "early"})
    void hasEndedInTheReadThatBroughtTheRequest(String early) throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(Tunnels.SWITCH);
            connection.readToEnd();
            connection.write("bye");
            connection.close();
        });
        String line = "X: ";
        int padding = FIRST_READ_BYTES - Tunnels.ASK.length() - line.length() - 2 - early.length();
        String padded =
                Tunnels.ASK.substring(0, Tunnels.ASK.length() - 2) + line + "y".repeat(padding) + "\r\n\r\n" + early;
        assertThat(padded).hasSize(FIRST_READ_BYTES);
        RawClient client = stand.client();
        stand.sidecar().barrier();
        stand.sidecar().stall(() -> client.send(padded).shutdownOutput());
        assertThat(client.response().status()).isEqualTo(101);
        assertThat(Wire.text(client.readToEnd())).isEqualTo("bye");
        assertThat(Wire.text(stand.backend.received())).endsWith("\r\n\r\n" + early);
        Tunnels.awaitClosed(stand);
    }

    /**
     * Nobody waits for an answer that nobody will read, whether the upgrade has reached the backend or stands in line.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", Stand.GET})
    void isResetByTheClientBeforeItBegins(String before) throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            connection.readHead();
            Await.open(over);
        });
        RawClient client = stand.client();
        client.send(before + Tunnels.ASK);
        Await.until("the request is there", () -> stand.backend.received().length > 0);
        stand.sidecar().barrier();
        client.reset();
        Tunnels.awaitClosed(stand);
        stand.countedOnce(Failure.CLIENT_GONE);
        over.countDown();
    }

    /** Whatever ends it, the other side learns. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isResetByTheClient(boolean afterItsEnd) throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(Tunnels.SWITCH);
            connection.readToEnd();
            connection.write("nobody reads this");
        });
        RawClient client = Tunnels.open(stand);
        if (afterItsEnd) {
            client.shutdownOutput();
        }
        client.reset();
        Tunnels.awaitClosed(stand);
        stand.nothingFailed();
    }

    @Test
    void isResetByTheBackend() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(Tunnels.SWITCH);
            connection.input().read();
            connection.reset();
        });
        RawClient client = Tunnels.open(stand);
        client.send("x");
        assertThat(client.closedByPeer()).isTrue();
        Tunnels.awaitClosed(stand);
        stand.nothingFailed();
    }

    /** A side that does not read stops the other from being read. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void holdsBackWhoSendsTooFast(boolean fromClient) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(Tunnels.SWITCH);
            if (!fromClient) {
                Pattern.write(octets -> Tunnels.writeUntil(connection, octets, over), LARGE);
            }
            Await.open(over);
        });
        RawClient client = Tunnels.open(stand);
        if (fromClient) {
            new Thread(() -> Pattern.tryWrite(client, LARGE)).start();
        }
        assertThat(Tunnels.awaitStandstill(stand)).isPositive().isLessThan(LARGE / 2);
        client.reset();
        over.countDown();
        Tunnels.awaitClosed(stand);
    }
}
