package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.Tunnels;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections that have been used for as long as they may: they end between two exchanges, and say so before. */
@Contract
final class ConnectionAgeIT {
    /** Less than a tenth of it is left to chance. */
    private static final int AGE_MS = 900;

    private static final int LEAST_MS = 810;

    @RegisterExtension
    final Stand stand = new Stand("timeouts: { max-connection-age: " + AGE_MS + "ms }", "");

    private static boolean isLast(RawResponse response) {
        return response.fields().tokens("Connection").contains("close");
    }

    /** Returns once all are old that are there now: one that begins by more than the jitter later is. */
    private void awaitOld() throws IOException {
        Stand.pause(AGE_MS - LEAST_MS + 10);
        RawClient later = stand.client();
        while (!isLast(later.send(GET).response())) {
            Stand.pause(5);
        }
        assertThat(later.closedByPeer()).isTrue();
    }

    @Test
    void tellsAClientInRegularUse() throws IOException {
        long beforeNs = System.nanoTime();
        RawClient client = stand.client();
        RawResponse response = client.send(GET).response();
        int responses = 1;
        while (!isLast(response)) {
            Stand.pause(5);
            response = client.send(GET).response();
            responses++;
        }
        assertThat(response.bodyText()).isEqualTo("ok");
        assertThat(System.nanoTime() - beforeNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(LEAST_MS));
        assertThat(client.closedByPeer()).isTrue();
        assertThat(responses).isGreaterThan(1);
        assertThat(stand.responses(2)).isEqualTo(responses);
        stand.nothingFailed();
    }

    @Test
    void closesWhoRests() throws IOException {
        long beforeNs = System.nanoTime();
        RawClient fresh = stand.client();
        RawClient served = stand.client();
        assertThat(isLast(served.send(GET).response())).isFalse();
        assertThat(served.closedByPeer()).isTrue();
        assertThat(System.nanoTime() - beforeNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(LEAST_MS));
        assertThat(fresh.closedByPeer()).isTrue();
        assertThat(stand.responses(2)).isOne();
        stand.nothingFailed();
    }

    /** A request that comes shortly after the age is answered: nobody has told its client that it must not come. */
    @Test
    void aRequestOfAnOldConnectionIsAnswered() throws IOException {
        RawClient client = stand.client();
        assertThat(isLast(client.send(GET).response())).isFalse();
        awaitOld();
        // less than the second for which an old one may rest
        assertThat(isLast(client.send(GET).response())).isTrue();
        assertThat(client.closedByPeer()).isTrue();
    }

    @Test
    void cutsNoExchange() throws IOException {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            if (connection.readRequest().target().equals("/slow")) {
                connection.waitFor(() -> Stand.await(mayAnswer));
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        });
        RawClient client = stand.client().send("GET /slow HTTP/1.1\r\nHost: app\r\n\r\n");
        Await.until("at the backend", () -> stand.sidecar().count(Count.BACKEND_EXCHANGES) == 1);
        awaitOld();
        assertThat(stand.sidecar().count(Count.EXCHANGES_IN_FLIGHT)).isOne();
        mayAnswer.countDown();
        RawResponse response = client.response();
        assertThat(response.bodyText()).isEqualTo("ok");
        assertThat(isLast(response)).isTrue();
        assertThat(client.closedByPeer()).isTrue();
        stand.nothingFailed();
    }

    /** Its head has promised the client that the connection stays. */
    @Test
    void aResponseUnderWayIsNotTheLast() throws IOException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            boolean slow = connection.readRequest().target().equals("/slow");
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
            if (slow) {
                connection.waitFor(() -> Stand.await(mayEnd));
            }
            connection.write("k");
        });
        RawClient client = stand.client().send("GET /slow HTTP/1.1\r\nHost: app\r\n\r\n");
        assertThat(isLast(client.responseHead())).isFalse();
        assertThat(Wire.text(client.read(1))).isEqualTo("o");
        awaitOld();
        mayEnd.countDown();
        assertThat(Wire.text(client.read(1))).isEqualTo("k");
        RawResponse next = client.send(GET).response();
        assertThat(next.bodyText()).isEqualTo("ok");
        assertThat(isLast(next)).isTrue();
        assertThat(client.closedByPeer()).isTrue();
        stand.nothingFailed();
    }

    @Test
    void takesWhatIsPipelinedNoFurtherThanItsLastResponse() throws IOException {
        RawClient client = stand.client();
        assertThat(isLast(client.send(GET).response())).isFalse();
        awaitOld();
        client.send(GET + GET);
        assertThat(isLast(client.response())).isTrue();
        assertThat(client.readToEnd()).isEmpty();
    }

    @Test
    void leavesTunnelsAlone() throws IOException {
        stand.backend.onRequest(connection -> {
            if (connection.readHead().target().equals("/chat")) {
                connection.write(Tunnels.SWITCH);
                for (int octet = connection.input().read();
                        octet >= 0;
                        octet = connection.input().read()) {
                    connection.write(new byte[] {(byte) octet});
                }
                connection.shutdownOutput();
            } else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            }
        });
        RawClient tunnel = Tunnels.open(stand);
        awaitOld();
        assertThat(tunnel.send("x").read(1)).containsExactly('x');
        tunnel.shutdownOutput();
        assertThat(tunnel.closedByPeer()).isTrue();
        assertThat(stand.responses(1)).isOne();
    }
}
