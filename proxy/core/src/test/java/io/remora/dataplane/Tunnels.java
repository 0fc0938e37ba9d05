package io.remora.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Count;
import io.remora.testkit.RawClient;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** How tests come by a tunnel and see its end. */
final class Tunnels {
    static final String ASK =
            "GET /chat HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";
    static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

    private Tunnels() {}

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

    static RawClient open(Stand stand) throws IOException {
        RawClient client = stand.client();
        assertThat(client.send(ASK).response().status()).isEqualTo(101);
        return client;
    }

    static void awaitClosed(Stand stand) {
        stand.sidecar().awaitIdle();
        Await.until("the backend's connection is closed", () -> stand.openAtBackend() == 0);
        Await.until("the client's too", () -> stand.sidecar().count(Count.CONNECTIONS_ACTIVE) == 0);
    }
}
