package io.remora.sidecar;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import io.remora.testkit.Tunnels;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A drain that begins at once, as the operator sees it, and its end: what takes longer than it may is cut and counted.
 */
@Contract
final class DrainTimeoutIT {
    private static final int CUT_AFTER_MS = 400;

    @RegisterExtension
    final Stand stand = new Stand();

    private void start(String drainTimeout) {
        stand.start(Setup.before(stand.backend)
                .process("drain-timeout: " + drainTimeout)
                .listener("timeouts: { header-read: 400ms }"));
        stand.answerLater();
    }

    private RawClient inProgress(String request) throws IOException {
        int before = stand.backend.received().length;
        RawClient client = stand.client().send(request);
        Await.until("the request arrives", () -> stand.backend.received().length > before);
        return client;
    }

    private RawResponse admin(String method, String path) {
        return stand.sidecar().admin(method, path);
    }

    /** Once the event loop has begun to drain too: who answers before that is not told that it is the last one. */
    private void answer() {
        stand.sidecar().awaitIdleEnded();
        stand.mayAnswer();
    }

    private void lastResponse(RawClient client) throws IOException {
        RawResponse response = client.response();
        assertThat(response.bodyText()).isEqualTo("ok");
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
    }

    private void drained() {
        stand.sidecar().awaitDrained();
        assertThat(stand.sidecar().count(Count.EXCHANGES_CUT)).isZero();
        stand.nothingFailed();
    }

    /** From the moment at which the drain has begun, not from a later turn of the loop. */
    @RepeatedTest(10)
    void refusesNewConnections() throws IOException {
        start("60s");
        RawClient busy = inProgress(GET);
        stand.sidecar().drain();
        assertThatThrownBy(stand::client).isInstanceOf(UncheckedIOException.class);
        answer();
        lastResponse(busy);
        drained();
    }

    @Test
    void isNotReadyFromThenOn() throws IOException {
        start("60s");
        assertThat(admin("GET", "/ready").status()).isEqualTo(200);
        RawClient busy = inProgress(GET);
        stand.sidecar().drain();
        assertThat(admin("GET", "/ready").status()).isEqualTo(503);
        assertThat(admin("GET", "/live").status()).isEqualTo(200);
        answer();
        lastResponse(busy);
        drained();
        assertThat(admin("GET", "/ready").status()).isEqualTo(503);
    }

    @Test
    void waitsForAHeadNoLongerThanEver() throws IOException {
        start("60s");
        RawClient client = stand.client().send("GET / HTTP/1.1\r\nHos");
        stand.sidecar().barrier();
        stand.sidecar().drain();
        stand.refused(client.response(), Failure.HEADER_TIMEOUT);
        assertThat(client.closedByPeer()).isTrue();
    }

    @Test
    void drainsOnce() throws IOException {
        start("60s");
        RawClient busy = inProgress(GET);
        assertThat(admin("POST", "/drain").status()).isBetween(200, 299);
        assertThat(admin("POST", "/drain").status()).isBetween(200, 299);
        stand.sidecar().drain();
        answer();
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
        assertThat(stand.sidecar().count(Count.EXCHANGES_CUT)).isOne();
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
        stand.sidecar().drain();
        assertThat(Wire.text(busy.readToEnd())).isEqualTo("2\r\nhe\r\n");
        stand.countedOnce(Failure.CUT);
    }

    private RawClient tunnel() throws IOException {
        stand.backend.onRequest(Tunnels::echo);
        RawClient client = stand.client().send(Tunnels.ASK);
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
        stand.sidecar().drain();
        echoes(client);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(CUT_AFTER_MS));
        stand.countedOnce(Failure.CUT);
        assertThat(stand.sidecar().count(Count.EXCHANGES_CUT)).isOne();
        Await.until("no backend connection is held", () -> stand.backend.openConnections() == 0);
    }

    @Test
    void countsATunnelThatEndsInTimeAsFinished() throws IOException {
        start("60s");
        RawClient client = tunnel();
        stand.sidecar().drain();
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
        stand.sidecar().drain();
        assertThat(client.closedByPeer()).isTrue();
        stand.nothingFailed();
        assertThat(stand.sidecar().count(Count.EXCHANGES_CUT)).isZero();
    }
}
