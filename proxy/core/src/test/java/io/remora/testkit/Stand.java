package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A backend and a sidecar before it. As an instance field of a test class it lives for one test, as a static one for
 * the whole class. Its end asserts that the sidecar has closed and counted everything.
 */
public class Stand implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    public static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    /** Longer than a test that passes holds an answer. */
    private static final int HELD_SECONDS = 20;

    public final RecordingBackend backend = RecordingBackend.start();
    private final String listener;
    private final String cluster;
    private final Map<BackendConnection, Long> marks = new HashMap<>();
    private final List<RawClient> clients = new ArrayList<>();
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private @Nullable Sidecar sidecar;
    private boolean forAll;

    public Stand() {
        this("", "");
    }

    /** For a sidecar with these settings, see {@link Setup#listener} and {@link Setup#cluster}; empty for none. */
    public Stand(String listener, String cluster) {
        this.listener = listener;
        this.cluster = cluster;
    }

    // ---- its life

    @Override
    public void beforeAll(ExtensionContext context) {
        forAll = true;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (forAll) {
            backend.replyOk();
            backend.problems().clear();
            sidecar().barrier();
            mark();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        clients.forEach(RawClient::close);
        clients.clear();
        if (forAll) {
            sidecar().awaitIdle();
        } else {
            close();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    private void close() {
        try {
            if (sidecar != null) {
                sidecar.close();
            }
        } finally {
            backend.close();
        }
    }

    /** With these settings, see {@link Setup#listener} and {@link Setup#cluster}; empty for none. */
    public Sidecar start(String listener, String cluster) {
        return start(Setup.before(backend).listener(listener).cluster(cluster));
    }

    public Sidecar start(Setup setup) {
        sidecar = Sidecar.start(setup);
        return sidecar;
    }

    /** Started with the stand's own settings if it was not before. */
    public Sidecar sidecar() {
        return sidecar == null ? start(listener, cluster) : sidecar;
    }

    // ---- clients

    /** Closed when the test ends. */
    public RawClient client() {
        return closedAtEnd(sidecar().client());
    }

    /** A client that reads little ahead, so that what it does not read is soon felt. */
    public RawClient narrowClient() {
        return closedAtEnd(RawClient.connect(sidecar().address(), 8 * 1024));
    }

    private RawClient closedAtEnd(RawClient client) {
        clients.add(client);
        return client;
    }

    public RawResponse get() throws IOException {
        return client().send(GET).response();
    }

    /** The pace of a slow peer; no condition is waited for. */
    public static void pause(int ms) {
        Await.within(ms, () -> false);
    }

    // ---- the backend

    /** From now on the backend reads each request, and answers once {@link #mayAnswer} was called. */
    public void answerLater() {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.waitFor(this::awaitMayAnswer);
            connection.write(RecordingBackend.OK);
        });
    }

    public void mayAnswer() {
        mayAnswer.countDown();
    }

    public void awaitMayAnswer() {
        await(mayAnswer);
    }

    /** For scripts of the backend: returns when the latch is open. */
    public static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(HELD_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Connections to the backend that are not closed yet, as the sidecar counts them. */
    public long openAtBackend() {
        return sidecar().openBackendConnections();
    }

    /**
     * What the backend receives counts from here. Nothing may be under way; {@link #atBackend} is one way to be sure.
     */
    public void mark() {
        for (BackendConnection connection : backend.connections()) {
            marks.put(connection, connection.receivedBytes());
        }
    }

    /** What the backend received since the mark, connection by connection. */
    public byte[] atBackend() {
        sidecar().barrier();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (BackendConnection connection : backend.connections()) {
            long mark = marks.getOrDefault(connection, 0L);
            if (connection.receivedBytes() > mark) {
                byte[] received = connection.received();
                all.writeBytes(Arrays.copyOfRange(received, (int) mark, received.length));
            }
        }
        return all.toByteArray();
    }

    // ---- what is counted

    /** The response is the sidecar's own for this failure, and it is counted once and nothing else is. */
    public RawResponse refused(RawResponse response, Failure failure) {
        sidecar().awaitIdle();
        return refusedMeanwhile(response, failure);
    }

    /** The same while other exchanges go on. */
    public RawResponse refusedMeanwhile(RawResponse response, Failure failure) {
        assertThat(response.field("Remora-Error")).as(response.toString()).isEqualTo(failure.label());
        assertThat(response.status()).isEqualTo(failure.status());
        assertThat(response.field("Content-Type")).startsWith("text/plain");
        assertThat(response.bodyText()).hasSizeBetween(1, 200).endsWith("\n");
        assertThat(response.fields().has("Retry-After")).isEqualTo(failure.status() == 503);
        // the response is written before it is counted
        Await.until("counted", () -> failures(failure) > 0);
        countedMeanwhile(failure, 1);
        return response;
    }

    /** Exactly one exchange failed so far, and this way. */
    public void countedOnce(Failure failure) {
        counted(failure, 1);
    }

    /** So many exchanges failed so far, all of them this way. */
    public void counted(Failure failure, int times) {
        sidecar().awaitIdle();
        countedMeanwhile(failure, times);
    }

    private void countedMeanwhile(Failure failure, int times) {
        Metrics metrics = sidecar().metrics();
        assertThat(failures(metrics, failure)).as(failure.label()).isEqualTo(times);
        assertThat(metrics.sum("remora_failures_total", "listener", Sidecar.LISTENER))
                .as("failures of all kinds")
                .isEqualTo(times);
    }

    public void nothingFailed() {
        counted(Failure.INTERNAL, 0);
    }

    public long failures(Failure failure) {
        return failures(sidecar().metrics(), failure);
    }

    private static long failures(Metrics metrics, Failure failure) {
        return metrics.sum("remora_failures_total", "listener", Sidecar.LISTENER, "failure", failure.label());
    }

    /** Final responses of this class, once no exchange is under way. */
    public long responses(int statusClass) {
        sidecar().awaitIdle();
        return sidecar()
                .metrics()
                .sum("remora_responses_total", "listener", Sidecar.LISTENER, "class", statusClass + "xx");
    }
}
