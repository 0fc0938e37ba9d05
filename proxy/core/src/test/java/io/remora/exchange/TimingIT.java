package io.remora.exchange;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.FullBacklog;
import io.remora.testkit.Latencies;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What counts as time in the proxy and what as a wait for a peer. A wait that is made on purpose is in the figure that it
 * belongs to; it is not in another one if that fits into what is left of the test's own time without the wait. Neither
 * depends on how fast the machine is.
 */
@Contract
final class TimingIT {
    /** Each wait that is made on purpose, at least. */
    private static final int WAIT_MS = 150;

    @RegisterExtension
    final Stand stand = new Stand();

    private final AtomicLong waitedNs = new AtomicLong();
    private long sinceNs;

    /** The first exchange of a JVM loads classes, in the proxy's time. */
    @BeforeAll
    static void warm() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(backend);
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            sidecar.awaitIdle();
            assertThat(sidecar.latencies().total().getTotalCount()).isPositive();
        }
    }

    /** The first thing that a test does; its time counts from here. */
    private RawClient client() {
        RawClient client = stand.client();
        sinceNs = System.nanoTime();
        return client;
    }

    private void pause() {
        long beganNs = System.nanoTime();
        Stand.pause(WAIT_MS);
        waitedNs.addAndGet(System.nanoTime() - beganNs);
    }

    /** The same from when the sidecar is done with the turn in which it sent or read what came before, and has taken its times. */
    private void pauseOnceRead() {
        barrier();
        pause();
    }

    /** One at a time: the backend's thread and the client's may both ask. */
    private synchronized void barrier() {
        stand.sidecar().barrier();
    }

    /** The sidecar itself has waited so long, for a timeout of its own. */
    private void waitedForATimeout() {
        waitedNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
    }

    private Latencies latencies() {
        stand.sidecar().awaitIdle();
        // an exchange is counted before its times are recorded, in the same turn
        stand.sidecar().barrier();
        return stand.sidecar().latencies();
    }

    private void nothingCounts(int exchanges) {
        Histogram times = latencies().proxy();
        assertThat(times.getTotalCount()).isEqualTo(exchanges);
        holdsNoWait(times);
    }

    private void holdsNoWait(Histogram times) {
        long besidesWaitsNs = System.nanoTime() - sinceNs - waitedNs.get();
        assertThat(Latencies.leastSumNs(times)).isLessThanOrEqualTo(besidesWaitsNs);
    }

    private static void waited(Histogram times) {
        assertThat(times.getMaxValue()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
    }

    private void answerLate(BackendConnection connection) throws IOException {
        connection.readRequest();
        pauseOnceRead();
        connection.write(RecordingBackend.OK);
    }

    @Test
    void aWaitForTheBackendIsTheBackends() throws IOException {
        stand.backend.onRequest(this::answerLate);
        RawClient client = client();
        for (int i = 0; i < 2; i++) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        nothingCounts(2);
        assertThat(latencies().backend().getMinNonZeroValue()).isGreaterThanOrEqualTo(nearly(WAIT_MS));
        assertThat(latencies().total().getMinNonZeroValue()).isGreaterThanOrEqualTo(nearly(WAIT_MS));
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
            pauseOnceRead();
            connection.write(RecordingBackend.OK);
        });
        assertThat(client().send(GET).response().interim()).hasSize(1);
        nothingCounts(1);
        waited(latencies().backend());
    }

    @Test
    void aResponseThatComesSlowlyIsTheBackends() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
            pauseOnceRead();
            connection.write("k");
        });
        assertThat(client().send(GET).response().bodyText()).isEqualTo("ok");
        nothingCounts(1);
        holdsNoWait(latencies().backend());
        waited(latencies().total());
    }

    @Test
    void aBackendThatNeverAnswersIsWaitedFor() throws IOException {
        stand.start("", "timeouts: { response-header: " + WAIT_MS + "ms }");
        stand.backend.onRequest(BackendConnection::readToEnd);
        stand.refused(client().send(GET).response(), Failure.RESPONSE_TIMEOUT);
        waitedForATimeout();
        nothingCounts(1);
        waited(latencies().total());
    }

    /** The first attempt's wait was one for the backend, though nothing came of it. */
    @Test
    void anAttemptThatIsRepeatedIsTheBackends() throws IOException {
        RawClient client = client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            pauseOnceRead();
            stand.backend.replyOk();
            connection.close();
        });
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(stand.sidecar().count(Count.RETRIES)).isOne();
        nothingCounts(2);
        waited(latencies().backend());
    }

    // ---- the client

    @ParameterizedTest
    @ValueSource(ints = {1, 16, 20, 28})
    void aHeadThatComesInPartsIsTheClients(int at) throws IOException {
        RawClient client = client();
        client.sendSplit(Wire.bytes(GET), at, this::pauseOnceRead);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        nothingCounts(1);
        waited(latencies().total());
    }

    @Test
    void aBodyThatComesSlowlyIsTheClients() throws IOException {
        RawClient client = client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 4\r\n\r\nhe");
        pauseOnceRead();
        client.send("re");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        nothingCounts(1);
        waited(latencies().total());
    }

    @Test
    void aHeadThatNeverComesIsTheClients() throws IOException {
        stand.start("timeouts: { header-read: " + WAIT_MS + "ms }", "");
        stand.refused(client().send("GET / HTTP/1.1\r\nHos").response(), Failure.HEADER_TIMEOUT);
        waitedForATimeout();
        nothingCounts(1);
        waited(latencies().total());
    }

    @Test
    void aBodyThatNeverComesIsTheClients() throws IOException {
        stand.start("timeouts: { body-idle: " + WAIT_MS + "ms }", "");
        String part = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 4\r\n\r\nhe";
        stand.refused(client().send(part).response(), Failure.REQUEST_BODY_TIMEOUT);
        waitedForATimeout();
        nothingCounts(1);
        waited(latencies().total());
    }

    /** A request waits for the one before it because its client put it there, in the same read or not. */
    @ParameterizedTest
    @CsvSource({"0, false", "12, false", "12, true", "28, false", "28, true", "29, false"})
    void aRequestBehindAnotherWaitsForItsClient(int withTheFirst, boolean restAfterTheFirst) throws IOException {
        stand.backend.onRequest(connection -> {
            if (connection.readRequest().target().equals("/late")) {
                pauseOnceRead();
            }
            connection.write(RecordingBackend.OK);
        });
        String both = "GET /late HTTP/1.1\r\nHost: app\r\n\r\n" + GET;
        int cut = both.length() - GET.length() + withTheFirst;
        RawClient client = client();
        client.send(both.substring(0, cut));
        if (restAfterTheFirst) {
            client.response();
            pauseOnceRead();
            client.send(both.substring(cut));
        } else {
            barrier();
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
            stand.start(Setup.at(full.port()).cluster("timeouts: { connect: 9s }"));
            RawClient client = client();
            client.send(GET);
            stand.sidecar().barrier();
            pause();
            full.drain();
            full.readHead();
            full.write(RecordingBackend.OK);
            assertThat(client.response().bodyText()).isEqualTo("ok");
            waited(latencies().proxy());
            holdsNoWait(latencies().backend());
        }
    }

    @Test
    void aConnectionThatIsNotHadIsTheProxys() throws IOException {
        try (FullBacklog full = FullBacklog.open()) {
            stand.start(Setup.at(full.port()).cluster("timeouts: { connect: " + WAIT_MS + "ms }"));
            stand.refused(client().send(GET).response(), Failure.CONNECT_TIMEOUT);
            waited(latencies().proxy());
            assertThat(latencies().backend().getTotalCount()).isZero();
        }
    }

    /** A request counts from the select that told of it, not from an earlier one. */
    @Test
    void anIdleLoopDoesNotCount() throws IOException {
        RawClient client = client();
        for (int i = 0; i < 2; i++) {
            pauseOnceRead();
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        nothingCounts(2);
        holdsNoWait(latencies().total());
    }
}
