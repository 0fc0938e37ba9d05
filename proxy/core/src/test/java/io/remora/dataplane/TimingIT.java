package io.remora.dataplane;

import static io.remora.dataplane.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Failure;
import io.remora.metrics.LatencyRecorder;
import io.remora.metrics.ListenerMetric;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What counts as time in the proxy and what as a wait for a peer. The bounds tell these apart and measure nothing. */
final class TimingIT {
    /** Each wait that is made on purpose. */
    private static final int WAIT_MS = 400;

    /** What no exchange spends in the proxy unless it is made to: far above what it takes, far below the wait. */
    private static final int LITTLE_MS = WAIT_MS / 2;

    @RegisterExtension
    final Stand stand = new Stand();

    /** The first exchange of a JVM loads classes, in the proxy's time. */
    @BeforeAll
    static void warm() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(backend);
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
    }

    private static void pause() {
        Await.within(WAIT_MS, () -> false);
    }

    private Histogram drained(ListenerMetric metric) {
        stand.sidecar().awaitIdle();
        // an exchange is counted before its times are recorded, in the same turn
        stand.sidecar().barrier();
        Histogram sum = LatencyRecorder.newHistogram();
        stand.stats().forEach(stats -> stats.recorder(metric).drainInto(sum));
        return sum;
    }

    private Histogram proxyTimes() {
        return drained(ListenerMetric.PROXY_TIME);
    }

    private Histogram backendTimes() {
        return drained(ListenerMetric.BACKEND_TIME);
    }

    private Histogram totalTimes() {
        return drained(ListenerMetric.TOTAL_TIME);
    }

    private void nothingCounts(int exchanges) {
        Histogram times = proxyTimes();
        assertThat(times.getTotalCount()).isEqualTo(exchanges);
        assertThat(times.getMaxValue()).isLessThan(TimeUnit.MILLISECONDS.toNanos(LITTLE_MS));
    }

    private static void waited(Histogram times) {
        assertThat(times.getMaxValue()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
    }

    private static void little(Histogram times) {
        assertThat(times.getMaxValue()).isLessThan(TimeUnit.MILLISECONDS.toNanos(LITTLE_MS));
    }

    private static void answerLate(BackendConnection connection) throws IOException {
        connection.readRequest();
        pause();
        connection.write(RecordingBackend.OK);
    }

    @Test
    void aWaitForTheBackendIsTheBackends() throws IOException {
        stand.backend.onRequest(TimingIT::answerLate);
        RawClient client = stand.client();
        for (int i = 0; i < 2; i++) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        nothingCounts(2);
        assertThat(backendTimes().getMinNonZeroValue()).isGreaterThanOrEqualTo(nearly(WAIT_MS));
        assertThat(totalTimes().getMinNonZeroValue()).isGreaterThanOrEqualTo(nearly(WAIT_MS));
    }

    /** A histogram's least value is rounded down to its bucket. */
    private static long nearly(int ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms) * 98 / 100;
    }

    @Test
    void anInterimResponseEndsNoWait() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
            pause();
            connection.write(RecordingBackend.OK);
        });
        assertThat(stand.get().interim()).hasSize(1);
        nothingCounts(1);
        waited(backendTimes());
    }

    @Test
    void aResponseThatComesSlowlyIsTheBackends() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
            pause();
            connection.write("k");
        });
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        nothingCounts(1);
        little(backendTimes());
        waited(totalTimes());
    }

    @Test
    void aBackendThatNeverAnswersIsWaitedFor() throws IOException {
        stand.start("", "timeouts: { response-header: " + WAIT_MS + "ms }");
        stand.backend.onRequest(BackendConnection::readToEnd);
        stand.refused(stand.get(), Failure.RESPONSE_TIMEOUT);
        nothingCounts(1);
        waited(totalTimes());
    }

    /** The first attempt's wait was one for the backend, though nothing came of it. */
    @Test
    void anAttemptThatIsRepeatedIsTheBackends() throws IOException {
        RawClient client = stand.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            pause();
            stand.backend.replyOk();
            connection.close();
        });
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(stand.sidecar().count(ListenerMetric.RETRIES)).isOne();
        nothingCounts(2);
        waited(backendTimes());
    }

    // ---- the client

    @ParameterizedTest
    @ValueSource(ints = {1, 16, 20, 28})
    void aHeadThatComesInPartsIsTheClients(int at) throws IOException {
        RawClient client = stand.client();
        client.sendSplit(Wire.bytes(GET), at, TimingIT::pause);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        nothingCounts(1);
        waited(totalTimes());
    }

    @Test
    void aBodyThatComesSlowlyIsTheClients() throws IOException {
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 4\r\n\r\nhe");
        pause();
        client.send("re");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        nothingCounts(1);
        waited(totalTimes());
    }

    @Test
    void aHeadThatNeverComesIsTheClients() throws IOException {
        stand.start("timeouts: { header-read: " + WAIT_MS + "ms }", "");
        stand.refused(stand.client().send("GET / HTTP/1.1\r\nHos").response(), Failure.HEADER_TIMEOUT);
        nothingCounts(1);
        waited(totalTimes());
    }

    @Test
    void aBodyThatNeverComesIsTheClients() throws IOException {
        stand.start("timeouts: { body-idle: " + WAIT_MS + "ms }", "");
        String part = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 4\r\n\r\nhe";
        stand.refused(stand.client().send(part).response(), Failure.REQUEST_BODY_TIMEOUT);
        nothingCounts(1);
        waited(totalTimes());
    }

    /** A request waits for the one before it because its client put it there, in the same read or not. */
    @ParameterizedTest
    @CsvSource({"0, false", "12, false", "12, true", "28, false", "28, true", "29, false"})
    void aRequestBehindAnotherWaitsForItsClient(int withTheFirst, boolean restAfterTheFirst) throws IOException {
        stand.backend.onRequest(connection -> {
            if (connection.readRequest().target().equals("/late")) {
                pause();
            }
            connection.write(RecordingBackend.OK);
        });
        String both = "GET /late HTTP/1.1\r\nHost: app\r\n\r\n" + GET;
        int cut = both.length() - GET.length() + withTheFirst;
        RawClient client = stand.client();
        client.send(both.substring(0, cut));
        if (restAfterTheFirst) {
            client.response();
            pause();
            client.send(both.substring(cut));
        } else {
            stand.sidecar().barrier();
            client.send(both.substring(cut));
            client.response();
        }
        assertThat(client.response().bodyText()).isEqualTo("ok");
        nothingCounts(2);
    }

    // ---- the proxy

    @Test
    void aWaitForAConnectionIsTheProxys() throws IOException {
        try (FullBacklog full = FullBacklog.open()) {
            stand.use(Sidecar.at(full.port(), "", "timeouts: { connect: 9s }"));
            RawClient client = stand.client();
            client.send(GET);
            stand.sidecar().barrier();
            pause();
            full.drain();
            full.readHead();
            full.write(RecordingBackend.OK);
            assertThat(client.response().bodyText()).isEqualTo("ok");
            waited(proxyTimes());
            little(backendTimes());
        }
    }

    @Test
    void aConnectionThatIsNotHadIsTheProxys() throws IOException {
        try (FullBacklog full = FullBacklog.open()) {
            stand.use(Sidecar.at(full.port(), "", "timeouts: { connect: " + WAIT_MS + "ms }"));
            stand.refused(stand.get(), Failure.CONNECT_TIMEOUT);
            waited(proxyTimes());
            assertThat(backendTimes().getTotalCount()).isZero();
        }
    }

    /** The loop has learnt that the request is there, and is still busy with another channel of the same select. */
    @Test
    void aBusyLoopCountsBeforeARequest() throws IOException {
        RawClient client = stand.client();
        try (SlowTurn slow = SlowTurn.on(stand.sidecar(), WAIT_MS)) {
            Stall.during(stand.sidecar(), () -> {
                slow.readable();
                client.send(GET);
            });
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
        waited(proxyTimes());
        little(backendTimes());
    }

    @Test
    void aBusyLoopCountsBeforeAResponse() throws IOException {
        RawClient client = stand.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        stand.backend.onRequest(BackendConnection::readRequest);
        try (SlowTurn slow = SlowTurn.on(stand.sidecar(), WAIT_MS)) {
            client.send(GET);
            Await.until("the request arrives", () -> stand.backend.requests().size() == 2);
            Stall.during(stand.sidecar(), () -> {
                slow.readable();
                stand.backend.connections().get(0).write(RecordingBackend.OK);
            });
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
        waited(proxyTimes());
        little(backendTimes());
    }

    /** Nor does an earlier select's moment do: what came later was not known then. */
    @Test
    void anIdleLoopDoesNotCount() throws IOException {
        RawClient client = stand.client();
        for (int i = 0; i < 2; i++) {
            pause();
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        nothingCounts(2);
        little(totalTimes());
    }
}
