package io.remora.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.ProxyConfig;
import io.remora.http.Failure;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A backend and a sidecar before it for one test; an instance field of the test class. The end of each test asserts
 * that the sidecar has closed and counted everything.
 */
final class Stand implements AfterEachCallback {
    static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    final RecordingBackend backend = RecordingBackend.start();
    private final List<RawClient> clients = new ArrayList<>();
    private @Nullable Sidecar sidecar;

    /** With every setting at its default. */
    Sidecar start() {
        return start("", "");
    }

    /** See {@link Sidecar#before(RecordingBackend, String, String)}. */
    Sidecar start(String listener, String cluster) {
        sidecar = Sidecar.before(backend, listener, cluster);
        return sidecar;
    }

    /** In place of {@link #start}, for a test that needs more than settings. */
    Sidecar use(Sidecar own) {
        sidecar = own;
        return own;
    }

    Sidecar sidecar() {
        return sidecar == null ? start() : sidecar;
    }

    ProxyConfig config() {
        return sidecar().proxy().config();
    }

    /** Closed when the test ends. */
    RawClient client() {
        return closedAtEnd(sidecar().client());
    }

    /** A client that reads little ahead, so that what it does not read is soon felt. */
    RawClient narrowClient() {
        return closedAtEnd(RawClient.connect(sidecar().address(), 8 * 1024));
    }

    private RawClient closedAtEnd(RawClient client) {
        clients.add(client);
        return client;
    }

    /** The pace of a slow peer; no condition is waited for. */
    static void pause(int ms) {
        Await.within(ms, () -> false);
    }

    RawResponse get() throws IOException {
        return client().send(GET).response();
    }

    /** The response is the sidecar's own for this failure, and it is counted once and nothing else is. */
    RawResponse refused(RawResponse response, Failure failure) {
        sidecar().awaitIdle();
        return refusedMeanwhile(response, failure);
    }

    /** The same while other exchanges go on. */
    RawResponse refusedMeanwhile(RawResponse response, Failure failure) {
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
    void countedOnce(Failure failure) {
        counted(failure, 1);
    }

    /** So many exchanges failed so far, all of them this way. */
    void counted(Failure failure, int times) {
        sidecar().awaitIdle();
        countedMeanwhile(failure, times);
    }

    private void countedMeanwhile(Failure failure, int times) {
        for (Failure other : Failure.values()) {
            assertThat(failures(other)).as(other.label()).isEqualTo(other == failure ? times : 0);
        }
    }

    void nothingFailed() {
        counted(Failure.INTERNAL, 0);
    }

    long failures(Failure failure) {
        return sidecar().count(ListenerMetric.FAILURES, failure.label());
    }

    /** Final responses of this class, once no exchange is under way. */
    long responses(int statusClass) {
        sidecar().awaitIdle();
        return sidecar().count(ListenerMetric.RESPONSES, statusClass + "xx");
    }

    /** Connections to the backend that are not closed yet, as the sidecar counts them. */
    long openAtBackend() {
        return sidecar().proxy().stats().endpoints().stream()
                .filter(stats -> !stats.cluster.equals("barrier"))
                .mapToLong(stats -> stats.value(EndpointMetric.OPENED) - stats.value(EndpointMetric.CLOSED))
                .sum();
    }

    List<ListenerStats> stats() {
        return sidecar().proxy().stats().listeners().stream()
                .filter(stats -> stats.listener.equals(Sidecar.LISTENER))
                .toList();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        clients.forEach(RawClient::close);
        try {
            if (sidecar != null) {
                sidecar.close();
            }
        } finally {
            backend.close();
        }
    }
}
