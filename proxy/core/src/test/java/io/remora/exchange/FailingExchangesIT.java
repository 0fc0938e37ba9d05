package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ProxyConfig;
import io.remora.seams.FaultySeams;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.FullBacklog;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Requests;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Exchanges in which a step throws: each ends, and releases all that it has, as the stand asserts at its end.
 *
 * <p>The path of a request says where it throws; see {@link FaultySeams}.
 */
final class FailingExchangesIT {
    /** Requests by which a hedge learns what is slow. */
    private static final int FAST = 120;

    private final FaultySeams seams = new FaultySeams();
    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private SeamStand stand(int... ports) {
        return SeamStand.start(seams, ports);
    }

    private void assertNothingLeft(SeamStand stand, int exchanges) {
        stand.awaitIdle();
        Await.until("nothing reserved", () -> stand.metric("remora_memory_exchanges") == 0);
        assertThat(stand.metric("remora_exchanges_in_flight")).isZero();
        assertThat(seams.ended).as("filters that learn of an end").hasValue(exchanges);
    }

    /** The response is whole by then, and its connection serves another request. */
    @ParameterizedTest
    @ValueSource(strings = {"/verdict", "/verdict-error", "/attempt", "/attempt-error", "/ended", "/ended-error"})
    void oneThatThrowsAsItEndsInOrder(String path) throws IOException {
        try (SeamStand stand = stand(backend.port())) {
            RawClient client = stand.client();
            assertThat(client.send(Requests.get(path)).response().status()).isEqualTo(200);
            assertThat(client.send(Requests.get("/good")).response().status()).isEqualTo(200);
            assertNothingLeft(stand, 2);
        }
    }

    /** No endpoint is there, of which the client learns all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"/verdict", "/verdict-error", "/attempt", "/attempt-error", "/ended", "/ended-error"})
    void oneThatThrowsAsItFails(String path) throws IOException {
        try (DeadPort dead = new DeadPort();
                SeamStand stand = stand(dead.port())) {
            RawClient client = stand.client();
            assertThat(client.send(Requests.get(path)).response().status()).isGreaterThanOrEqualTo(500);
            assertNothingLeft(stand, 1);
        }
    }

    /** A filter throws at the head of the response, so the client gets none, and its connection closes at once. */
    @ParameterizedTest
    @ValueSource(strings = {"/response", "/response-error"})
    void oneThatThrowsAsItIsAnswered(String path) throws IOException {
        try (DeadPort dead = new DeadPort();
                SeamStand stand = stand(dead.port())) {
            assertThat(stand.client().send(Requests.get(path)).closedByPeer()).isTrue();
            assertNothingLeft(stand, 1);
        }
    }

    /** Its client goes while it waits for a connection. */
    @ParameterizedTest
    @ValueSource(strings = {"/left", "/left-error", "/attempt", "/verdict"})
    void oneThatThrowsAsItStopsWaiting(String path) throws IOException {
        try (FullBacklog full = FullBacklog.open();
                SeamStand stand = stand(full.port())) {
            RawClient client = stand.client().send(Requests.get(path));
            Await.until("begun", () -> stand.metric("remora_exchanges_in_flight") == 1);
            client.reset();
            assertNothingLeft(stand, 1);
        }
    }

    /** An attempt fails, and what learns of its end throws before the next one. */
    @Test
    void oneThatThrowsBetweenTwoAttempts() throws IOException {
        try (DeadPort dead = new DeadPort();
                SeamStand stand = SeamStand.start(seams, SeamStand.preferring(dead.port(), backend.port()))) {
            assertThat(stand.client().send(Requests.get("/attempt")).response().status())
                    .isEqualTo(500);
            assertNothingLeft(stand, 1);
        }
    }

    /** A stage has held it back, and the next one throws as it goes on. */
    @ParameterizedTest
    @ValueSource(strings = {"/resumed", "/resumed-error"})
    void oneThatThrowsAsItIsResumed(String path) throws IOException {
        try (SeamStand stand = stand(backend.port())) {
            assertThat(stand.client().send(Requests.get(path)).response().status())
                    .isEqualTo(500);
            assertNothingLeft(stand, 1);
        }
    }

    /** The second attempt begins behind a back-off, on a timer. */
    @ParameterizedTest
    @ValueSource(strings = {"/second", "/second-error"})
    void oneThatThrowsAsItIsTriedAgain(String path) throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
        });
        String retries = "retries: {back-off: 1ms}";
        try (SeamStand stand = SeamStand.start(seams, SeamStand.config("", retries, backend.port()))) {
            assertThat(stand.client().send(Requests.get(path)).response().status())
                    .isEqualTo(500);
            assertNothingLeft(stand, 1);
        }
    }

    /** Its endpoint has been picked, in a call that serves other requests as well. */
    @ParameterizedTest
    @ValueSource(strings = {"/picked", "/picked-error"})
    void oneThatThrowsAsItsEndpointIsPicked(String path) throws IOException {
        try (SeamStand stand = stand(backend.port())) {
            assertThat(stand.client().send(Requests.get(path)).response().status())
                    .isEqualTo(500);
            assertNothingLeft(stand, 1);
        }
    }

    /** Its attempt has taken its time, on a timer. */
    @ParameterizedTest
    @ValueSource(strings = {"/attempt", "/attempt-error", "/verdict", "/verdict-error"})
    void oneThatThrowsAsItsTimeIsOver(String path) throws IOException {
        CountDownLatch answers = new CountDownLatch(1);
        backend.onRequest(connection -> {
            connection.readRequest();
            Await.open(answers);
        });
        String listener = "routes: [{cluster: app, timeouts: {try: 50ms}}]";
        try (SeamStand stand =
                SeamStand.start(seams, SeamStand.config(listener, "retries: {back-off: 1ms}", backend.port()))) {
            assertThat(stand.client().send(Requests.get(path)).response().status())
                    .isGreaterThanOrEqualTo(500);
            assertNothingLeft(stand, 1);
        } finally {
            answers.countDown();
        }
    }

    /** The second attempt begins as the first one is slow, on a timer. */
    @ParameterizedTest
    @ValueSource(strings = {"/second", "/second-error"})
    void oneThatThrowsAsItIsHedged(String path) throws IOException {
        CountDownLatch answers = new CountDownLatch(1);
        try (RecordingBackend other = RecordingBackend.start();
                SeamStand stand = SeamStand.start(seams, hedged(other.port()))) {
            RawClient client = stand.client();
            for (int i = 0; i < FAST; i++) {
                assertThat(client.send(Requests.get("/fast")).response().status())
                        .isEqualTo(200);
            }
            backend.onRequest(connection -> {
                connection.readRequest();
                Await.open(answers);
            });
            assertThat(client.send(Requests.get(path)).response().status()).isEqualTo(500);
            assertNothingLeft(stand, FAST + 1);
        } finally {
            answers.countDown();
        }
    }

    private ProxyConfig hedged(int other) {
        return SeamStand.config(
                """
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    routes: [{cluster: app, hedge: {min-delay: 20ms}}]
                clusters:
                  app:
                    endpoints:
                      - "127.0.0.1:FIRST"
                      - {address: "127.0.0.1:OTHER", priority: 1}
                """.replace("FIRST", Integer.toString(backend.port())).replace("OTHER", Integer.toString(other)));
    }
}
