package io.remora.dataplane;

import static io.remora.dataplane.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.http.Failure;
import io.remora.metrics.ListenerMetric;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The end of a sidecar that serves: nobody new, everybody in progress, and the rest cut. */
final class DrainIT {
    @RegisterExtension
    final Stand stand = new Stand();

    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    private void answerLater() {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            awaitAnswering();
            connection.write(RecordingBackend.OK);
        });
    }

    private void awaitAnswering() {
        try {
            assertThat(mayAnswer.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitRequests(int count) {
        Await.until(
                "the requests are at the backend",
                () -> stand.backend.connections().stream()
                                .filter(connection -> connection.receivedBytes() > 0)
                                .count()
                        == count);
    }

    private boolean awaitDrained(long timeoutMs) throws InterruptedException {
        return stand.sidecar().proxy().awaitDrained(timeoutMs);
    }

    private boolean accepts() {
        try (RawClient client = stand.sidecar().client()) {
            return client.socket().isConnected();
        } catch (UncheckedIOException refused) {
            return false;
        }
    }

    @Test
    void endsWhoIsIdleAndRefusesWhoIsNew() throws Exception {
        RawClient served = stand.client();
        assertThat(served.send(GET).response().fields().has("Connection")).isFalse();
        RawClient fresh = stand.client();
        stand.sidecar().barrier();
        stand.sidecar().proxy().drain();
        assertThat(served.closedByPeer()).isTrue();
        assertThat(fresh.closedByPeer()).isTrue();
        Await.until("nobody new is accepted", () -> !accepts());
        assertThat(stand.sidecar().proxy().ready()).isFalse();
        assertThat(awaitDrained(Await.TIMEOUT_MS)).isTrue();
        stand.nothingFailed();
    }

    @Test
    void letsAnExchangeFinishAndSaysThatItIsTheLast() throws Exception {
        stand.start();
        answerLater();
        RawClient client = stand.client().send(GET);
        awaitRequests(1);
        stand.sidecar().proxy().drain();
        assertThat(awaitDrained(50)).isFalse();
        Await.until("nobody new is accepted", () -> !accepts());
        mayAnswer.countDown();
        RawResponse response = client.response();
        assertThat(response.bodyText()).isEqualTo("ok");
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
        assertThat(awaitDrained(Await.TIMEOUT_MS)).isTrue();
        stand.nothingFailed();
    }

    /** A response whose head has gone out with no word of an end is the last one all the same. */
    @Test
    void letsBothBodiesFinish() throws Exception {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
            assertThat(connection.input().readNBytes(4)).hasSize(4);
            connection.write("cd");
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 4\r\n\r\n12");
        client.responseHead();
        assertThat(Wire.text(client.read(2))).isEqualTo("ab");
        stand.sidecar().proxy().drain();
        assertThat(awaitDrained(50)).isFalse();
        client.send("34");
        assertThat(Wire.text(client.read(2))).isEqualTo("cd");
        assertThat(client.closedByPeer()).isTrue();
        assertThat(awaitDrained(Await.TIMEOUT_MS)).isTrue();
        stand.nothingFailed();
    }

    /** A request that has begun is in progress; those behind it are not. */
    @Test
    void letsABegunHeadFinishAndDropsThePipeline() throws Exception {
        answerLater();
        RawClient half = stand.client().send("GET / HTTP/1.1\r\nHos");
        RawClient pipelining = stand.client().send(GET.repeat(3));
        awaitRequests(1);
        stand.sidecar().barrier();
        stand.sidecar().proxy().drain();
        half.send("t: app\r\n\r\n");
        awaitRequests(2);
        mayAnswer.countDown();
        for (RawClient client : new RawClient[] {half, pipelining}) {
            RawResponse response = client.response();
            assertThat(response.bodyText()).isEqualTo("ok");
            assertThat(response.fields().tokens("Connection")).contains("close");
            assertThat(client.closedByPeer()).isTrue();
            client.close();
        }
        assertThat(awaitDrained(Await.TIMEOUT_MS)).isTrue();
        assertThat(stand.responses(2)).isEqualTo(2);
        stand.nothingFailed();
    }

    @Test
    void letsAnExchangeConnect() throws Exception {
        // no connection to the backend is there yet, and the drain must not stand in the way of one
        stand.start();
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n");
        stand.sidecar().barrier();
        stand.sidecar().proxy().drain();
        client.send("\r\nhi");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(awaitDrained(Await.TIMEOUT_MS)).isTrue();
        stand.nothingFailed();
    }

    @Test
    void cutsWhatTakesTooLong() throws Exception {
        stand.backend.onRequest(connection -> {
            if (connection.readHead().target().equals("/half")) {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
            }
            awaitAnswering();
        });
        RawClient waiting = stand.client().send(GET);
        RawClient half = stand.client().send("GET /half HTTP/1.1\r\nHost: app\r\n\r\n");
        half.responseHead();
        awaitRequests(2);
        stand.sidecar().proxy().drain();
        assertThat(awaitDrained(50)).isFalse();
        stand.sidecar().proxy().cut();
        RawResponse response = waiting.response();
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.field("Remora-Error")).isEqualTo(Failure.CUT.label());
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(waiting.closedByPeer()).isTrue();
        assertThatThrownBy(() -> half.read(10)).isInstanceOf(EOFException.class);
        stand.counted(Failure.CUT, 2);
        assertThat(stand.sidecar().count(ListenerMetric.EXCHANGES_CUT)).isEqualTo(2);
        assertThat(awaitDrained(Await.TIMEOUT_MS)).isTrue();
        mayAnswer.countDown();
    }

    /** Asked twice it drains once, and a client that does not go does not keep it. */
    @Test
    void isDoneThoughAClientStays() throws Exception {
        RawClient client = stand.client();
        client.send("GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n" + GET);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.sidecar().proxy().drain();
        stand.sidecar().proxy().drain();
        assertThat(awaitDrained(Await.TIMEOUT_MS)).isTrue();
        stand.nothingFailed();
    }
}
