package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Ends that come from outside in the middle of something leave no exchange in flight, and lose nothing that was sent.
 */
@Contract
final class CutShortIT {
    private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
    private static final String UPGRADE =
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    private static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

    @Test
    void aClientOfHttp10ThatResetsInACloseDelimitedResponseLeavesNoPlaceTaken() throws Exception {
        try (RecordingBackend backend = RecordingBackend.start().onRequest(connection -> connection.write(HEAD));
                Sidecar sidecar = Sidecar.before(backend, "limits: { in-flight: 1 }", "")) {
            for (int i = 1; i <= 3; i++) {
                RawClient client = sidecar.client().send("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
                assertThat(client.responseHead().status()).isEqualTo(200);
                client.reset();
                int ended = i;
                Await.until("exchange " + i + " has ended", () -> sidecar.count(Count.EXCHANGES_FINISHED) == ended);
            }
        }
    }

    @Test
    void whatAClientSentBeforeItsEndReachesABackendThatReadsLate() throws Exception {
        byte[] sent = new byte[200_000];
        Arrays.fill(sent, (byte) 'x');
        CountDownLatch mayRead = new CountDownLatch(1);
        CountDownLatch hasRead = new CountDownLatch(1);
        try (RecordingBackend backend = RecordingBackend.start().onRequest(connection -> {
                    connection.write(SWITCH);
                    connection.shutdownOutput();
                    Stand.await(mayRead);
                    connection.readToEnd();
                    hasRead.countDown();
                });
                Sidecar sidecar = Sidecar.before(backend)) {
            try (RawClient client = sidecar.client().send(UPGRADE)) {
                assertThat(client.responseHead().status()).isEqualTo(101);
                client.send(sent).shutdownOutput();
                assertThat(client.closedByPeer()).isTrue();
            }
            mayRead.countDown();
            assertThat(hasRead.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(backend.received()).endsWith(sent);
        }
    }
}
