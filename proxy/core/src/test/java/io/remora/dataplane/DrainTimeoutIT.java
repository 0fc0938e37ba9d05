package io.remora.dataplane;

import static io.remora.dataplane.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.Proxy;
import io.remora.http.Failure;
import io.remora.metrics.ListenerMetric;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A drain that begins at once, as the operator sees it, and its end: what takes longer than it may is cut and counted.
 */
final class DrainTimeoutIT {
    private static final String YAML = """
            log-level: warn
            drain-timeout: TIMEOUT
            admin:
              address: "127.0.0.1:0"
            listeners:
              - name: test
                address: "127.0.0.1:0"
                cluster: app
                timeouts: { header-read: 400ms }
              - name: barrier
                address: "127.0.0.1:0"
                cluster: barrier
            clusters:
              app:
                endpoints: ["127.0.0.1:${BACKEND}"]
              barrier:
                endpoints: ["127.0.0.1:${BARRIER}"]
            """;
    private static final int CUT_AFTER_MS = 400;
    private static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    private static final String ASK =
            "GET / HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

    @RegisterExtension
    final Stand stand = new Stand();

    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    private void start(String drainTimeout) {
        stand.use(Sidecar.of(YAML.replace("TIMEOUT", drainTimeout), stand.backend));
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            Await.until("told to answer", () -> mayAnswer.getCount() == 0);
            connection.write(RecordingBackend.OK);
        });
    }

    private Proxy proxy() {
        return stand.sidecar().proxy();
    }

    private RawClient inProgress(String request) throws IOException {
        int before = stand.backend.received().length;
        RawClient client = stand.client().send(request);
        Await.until("the request arrives", () -> stand.backend.received().length > before);
        return client;
    }

    private RawResponse admin(String method, String path) throws IOException {
        try (RawClient client = RawClient.connect(proxy().adminAddress())) {
            return client.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    .response();
        }
    }

    private void lastResponse(RawClient client) throws IOException {
        RawResponse response = client.response();
        assertThat(response.bodyText()).isEqualTo("ok");
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
    }

    private void drained() {
        try {
            assertThat(proxy().awaitDrained(Await.TIMEOUT_MS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(stand.sidecar().count(ListenerMetric.EXCHANGES_CUT)).isZero();
        stand.nothingFailed();
    }

    /** From the moment at which the drain has begun, not from a later turn of the loop. */
    @RepeatedTest(10)
    void refusesNewConnections() throws IOException {
        start("60s");
        RawClient busy = inProgress(GET);
        proxy().drain();
        assertThatThrownBy(stand::client).isInstanceOf(UncheckedIOException.class);
        mayAnswer.countDown();
        lastResponse(busy);
        drained();
    }

    @Test
    void isNotReadyFromThenOn() throws IOException {
        start("60s");
        assertThat(admin("GET", "/ready").status()).isEqualTo(200);
        RawClient busy = inProgress(GET);
        proxy().drain();
        assertThat(admin("GET", "/ready").status()).isEqualTo(503);
        assertThat(admin("GET", "/live").status()).isEqualTo(200);
        mayAnswer.countDown();
        lastResponse(busy);
        drained();
        assertThat(admin("GET", "/ready").status()).isEqualTo(503);
    }

    @Test
    void waitsForAHeadNoLongerThanEver() throws IOException {
        start("60s");
        RawClient client = stand.client().send("GET / HTTP/1.1\r\nHos");
        stand.sidecar().barrier();
        proxy().drain();
        stand.refused(client.response(), Failure.HEADER_TIMEOUT);
        assertThat(client.closedByPeer()).isTrue();
    }

    @Test
    void drainsOnce() throws IOException {
        start("60s");
        RawClient busy = inProgress(GET);
        assertThat(admin("POST", "/drain").status()).isBetween(200, 299);
        assertThat(admin("POST", "/drain").status()).isBetween(200, 299);
        proxy().drain();
        mayAnswer.countDown();
        lastResponse(busy);
        drained();
    }

    // ---- the cut

    @Test
    void cutsWhatTakesTooLong() throws IOException {
        start(CUT_AFTER_MS + "ms");
        stand.backend.onRequest(BackendConnection::readToEnd);
        RawClient busy = inProgress(GET);
        long startNs = System.nanoTime();
        assertThat(admin("POST", "/drain").status()).isBetween(200, 299);
        RawResponse response = stand.refused(busy.response(), Failure.CUT);
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(busy.closedByPeer()).isTrue();
        assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(CUT_AFTER_MS));
        assertThat(stand.sidecar().count(ListenerMetric.EXCHANGES_CUT)).isOne();
        Await.until("no backend connection is held", () -> stand.backend.openConnections() == 0);
    }

    @Test
    void cutsChunksWithoutTheirEnd() throws IOException {
        start(CUT_AFTER_MS + "ms");
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n");
            connection.readToEnd();
        });
        RawClient busy = inProgress(GET);
        assertThat(busy.responseHead().status()).isEqualTo(200);
        proxy().drain();
        assertThat(Wire.text(busy.readToEnd())).isEqualTo("2\r\nhe\r\n");
        stand.countedOnce(Failure.CUT);
    }

    private RawClient tunnel() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH);
            byte[] some = new byte[1024];
            for (int count = connection.input().read(some);
                    count > 0;
                    count = connection.input().read(some)) {
                connection.write(java.util.Arrays.copyOf(some, count));
            }
        });
        RawClient client = stand.client().send(ASK);
        assertThat(client.response().status()).isEqualTo(101);
        echoes(client);
        return client;
    }

    private static void echoes(RawClient client) throws IOException {
        assertThat(Wire.text(client.send("here").read(4))).isEqualTo("here");
    }

    @Test
    void leavesATunnelOpenUntilTheCut() throws IOException {
        start(CUT_AFTER_MS + "ms");
        RawClient client = tunnel();
        long startNs = System.nanoTime();
        proxy().drain();
        echoes(client);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(CUT_AFTER_MS));
        stand.countedOnce(Failure.CUT);
        assertThat(stand.sidecar().count(ListenerMetric.EXCHANGES_CUT)).isOne();
        Await.until("no backend connection is held", () -> stand.backend.openConnections() == 0);
    }

    @Test
    void countsATunnelThatEndsInTimeAsFinished() throws IOException {
        start("60s");
        RawClient client = tunnel();
        proxy().drain();
        echoes(client);
        client.shutdownOutput();
        assertThat(client.closedByPeer()).isTrue();
        drained();
    }

    /** Its request never came to be one, so no exchange is cut. */
    @Test
    void cutsAConnectionWithoutAnExchange() throws IOException {
        start("100ms");
        RawClient client = stand.client().send("GET / HTTP/1.1\r\nHos");
        stand.sidecar().barrier();
        proxy().drain();
        assertThat(client.closedByPeer()).isTrue();
        stand.nothingFailed();
        assertThat(stand.sidecar().count(ListenerMetric.EXCHANGES_CUT)).isZero();
    }
}
