package io.remora.sidecar;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.EOFException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The end of a sidecar that serves: nobody new, everybody in progress, and the rest cut. */
@Contract
final class DrainIT {
    @RegisterExtension
    final Stand stand = new Stand();

    private void awaitRequests(int count) {
        Await.until(
                "the requests are at the backend",
                () -> stand.backend.connections().stream()
                                .filter(connection -> connection.receivedBytes() > 0)
                                .count()
                        == count);
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
        stand.sidecar().drain();
        assertThat(served.closedByPeer()).isTrue();
        assertThat(fresh.closedByPeer()).isTrue();
        Await.until("nobody new is accepted", () -> !accepts());
        assertThat(stand.sidecar().admin("GET", "/ready").status()).isEqualTo(503);
        stand.sidecar().awaitDrained();
        stand.nothingFailed();
    }

    @Test
    void letsAnExchangeFinishAndSaysThatItIsTheLast() throws Exception {
        stand.sidecar();
        stand.answerLater();
        RawClient client = stand.client().send(GET);
        awaitRequests(1);
        stand.sidecar().drain();
        stand.sidecar().awaitIdleEnded();
        assertThat(stand.sidecar().count(Count.EXCHANGES_IN_FLIGHT)).isOne();
        Await.until("nobody new is accepted", () -> !accepts());
        stand.mayAnswer();
        RawResponse response = client.response();
        assertThat(response.bodyText()).isEqualTo("ok");
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
        stand.sidecar().awaitDrained();
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
        stand.sidecar().drain();
        stand.sidecar().awaitIdleEnded();
        assertThat(stand.sidecar().count(Count.EXCHANGES_IN_FLIGHT)).isOne();
        client.send("34");
        assertThat(Wire.text(client.read(2))).isEqualTo("cd");
        assertThat(client.closedByPeer()).isTrue();
        stand.sidecar().awaitDrained();
        stand.nothingFailed();
    }

    /** A request that has begun is in progress; those behind it are not. */
    @Test
    void letsABegunHeadFinishAndDropsThePipeline() throws Exception {
        stand.answerLater();
        RawClient half = stand.client().send("GET / HTTP/1.1\r\nHos");
        RawClient pipelining = stand.client().send(GET.repeat(3));
        awaitRequests(1);
        stand.sidecar().barrier();
        stand.sidecar().drain();
        stand.sidecar().awaitIdleEnded();
        half.send("t: app\r\n\r\n");
        awaitRequests(2);
        stand.mayAnswer();
        for (RawClient client : new RawClient[] {half, pipelining}) {
            RawResponse response = client.response();
            assertThat(response.bodyText()).isEqualTo("ok");
            assertThat(response.fields().tokens("Connection")).contains("close");
            assertThat(client.closedByPeer()).isTrue();
            client.close();
        }
        stand.sidecar().awaitDrained();
        assertThat(stand.responses(2)).isEqualTo(2);
        stand.nothingFailed();
    }

    @Test
    void letsAnExchangeConnect() throws Exception {
        // no connection to the backend is there yet, and the drain must not stand in the way of one
        stand.sidecar();
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n");
        stand.sidecar().barrier();
        stand.sidecar().drain();
        client.send("\r\nhi");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.sidecar().awaitDrained();
        stand.nothingFailed();
    }

    @Test
    void cutsWhatTakesTooLong() throws Exception {
        stand.start(Setup.before(stand.backend).process("drain-timeout: 100ms"));
        stand.backend.onRequest(connection -> {
            if (connection.readHead().target().equals("/half")) {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
            }
            connection.waitFor(stand::awaitMayAnswer);
        });
        RawClient waiting = stand.client().send(GET);
        RawClient half = stand.client().send("GET /half HTTP/1.1\r\nHost: app\r\n\r\n");
        half.responseHead();
        awaitRequests(2);
        stand.sidecar().drain();
        RawResponse response = waiting.response();
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.field("Remora-Error")).isEqualTo(Failure.CUT.label());
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(waiting.closedByPeer()).isTrue();
        assertThatThrownBy(() -> half.read(10)).isInstanceOf(EOFException.class);
        stand.counted(Failure.CUT, 2);
        assertThat(stand.sidecar().count(Count.EXCHANGES_CUT)).isEqualTo(2);
        stand.sidecar().awaitDrained();
        stand.mayAnswer();
    }

    /** Asked twice it drains once, and a client that does not go does not keep it. */
    @Test
    void isDoneThoughAClientStays() throws Exception {
        RawClient client = stand.client();
        client.send("GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n" + GET);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.sidecar().drain();
        stand.sidecar().drain();
        stand.sidecar().awaitIdle();
        stand.nothingFailed();
    }
}
