package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/** How tests come by a tunnel and see its end. */
public final class Tunnels {
    public static final String ASK =
            "GET /chat HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";
    public static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

    private Tunnels() {}

    /** Writes back what comes, and ends when the client has. */
    public static void echo(BackendConnection connection) throws IOException {
        connection.readHead();
        connection.write(SWITCH);
        InputStream in = connection.input();
        byte[] some = new byte[1 << 16];
        for (int count = in.read(some); count > 0; count = in.read(some)) {
            connection.write(Arrays.copyOf(some, count));
        }
        connection.shutdownOutput();
    }

    public static RawClient open(Stand stand) throws IOException {
        RawClient client = stand.client();
        assertThat(client.send(ASK).response().status()).isEqualTo(101);
        return client;
    }

    public static void awaitClosed(Stand stand) {
        stand.sidecar().awaitIdle();
        Await.until("the backend's connection is closed", () -> stand.openAtBackend() == 0);
        Await.until("the client's too", () -> stand.sidecar().count(Count.CONNECTIONS_ACTIVE) == 0);
    }

    /** Writes for as long as it is not over. */
    public static void writeUntil(BackendConnection connection, byte[] octets, CountDownLatch over) throws IOException {
        if (over.getCount() > 0 && connection.isOpen()) {
            connection.write(octets);
        }
    }

    /** Returns once no more octets are carried in either direction, and tells how many were. */
    public static long awaitStandstill(Stand stand) {
        long before = -1;
        long now = 0;
        while (now == 0 || before != now) {
            before = now;
            for (int i = 0; i < 200; i++) {
                stand.sidecar().barrier();
            }
            now = stand.sidecar().count(Count.REQUEST_BODY_BYTES)
                    + stand.sidecar().count(Count.RESPONSE_BODY_BYTES);
        }
        return now;
    }

    /** A drain lets it go on until it ends by itself. */
    public static void goesOnWhileDraining(Stand stand, RawClient client) throws IOException {
        stand.sidecar().drain();
        stand.sidecar().awaitIdleEnded();
        assertThat(stand.sidecar().count(Count.EXCHANGES_IN_FLIGHT)).isOne();
        assertThat(Wire.text(client.send("on").read(2))).isEqualTo("on");
        client.shutdownOutput();
        assertThat(client.closedByPeer()).isTrue();
        stand.sidecar().awaitDrained();
        stand.nothingFailed();
    }
}
