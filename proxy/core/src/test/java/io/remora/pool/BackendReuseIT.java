package io.remora.pool;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which connections to the backend serve again. */
@Contract
final class BackendReuseIT {
    private static final String POST = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 1\r\n\r\nx";

    @RegisterExtension
    final Stand stand = new Stand();

    private long reused() {
        return stand.sidecar().count(Count.BACKEND_CONNECTIONS_REUSED);
    }

    /** Opens so many connections to the backend, which are all idle afterwards. */
    private void warm(int connections) throws IOException {
        CountDownLatch together = new CountDownLatch(connections);
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            together.countDown();
            connection.waitFor(() -> Stand.await(together));
            connection.write(RecordingBackend.OK);
        });
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            clients.add(stand.client().send(GET));
        }
        for (RawClient client : clients) {
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
        stand.sidecar().awaitIdle();
        stand.backend.replyOk();
    }

    @Test
    void servesManyClientsOnOneConnection() throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(stand.get().bodyText()).isEqualTo("ok");
            stand.sidecar().awaitIdle();
        }
        assertThat(stand.backend.connections()).hasSize(1);
        assertThat(reused()).isEqualTo(4);
    }

    @Test
    void leasesTheConnectionThatServedLast() throws IOException {
        stand.sidecar();
        warm(3);
        List<BackendConnection> connections = stand.backend.connections();
        assertThat(connections).hasSize(3);
        long before = stand.backend.received().length;
        for (int i = 0; i < 3; i++) {
            stand.get();
            stand.sidecar().awaitIdle();
        }
        List<Long> lengths =
                connections.stream().map(BackendConnection::receivedBytes).toList();
        long least = lengths.stream().mapToLong(Long::longValue).min().orElseThrow();
        assertThat(lengths)
                .as("two of three rest")
                .filteredOn(length -> length == least)
                .hasSize(2);
        assertThat(stand.backend.received().length - before).isEqualTo(3 * least);
    }

    @Test
    void keepsAsManyAsItMay() throws IOException {
        stand.start("", "max-idle-connections: 2");
        warm(5);
        Await.until("the rest is closed", () -> stand.backend.openConnections() == 2);
        assertThat(stand.sidecar().count(Count.BACKEND_CONNECTIONS_IDLE)).isEqualTo(2);
    }

    @Test
    void keepsNoneWhereItMayKeepNone() throws IOException {
        stand.start("", "max-idle-connections: 0");
        RawClient client = stand.client();
        for (int i = 0; i < 3; i++) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        Await.until("all are closed", () -> stand.backend.openConnections() == 0);
        assertThat(stand.backend.connections()).hasSize(3);
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
            })
    void doesNotKeep(String response) throws IOException {
        stand.backend.reply(response);
        RawClient client = stand.client();
        for (int i = 1; i <= 3; i++) {
            RawResponse answer = client.send(GET).response();
            assertThat(answer.bodyText()).isEqualTo("ok");
            assertThat(answer.fields().has("Connection")).isFalse();
            assertThat(stand.backend.connections()).hasSize(i);
        }
        Await.until("all are closed", () -> stand.backend.openConnections() == 0);
        assertThat(reused()).isZero();
        stand.nothingFailed();
    }

    @Test
    void doesNotKeepWhatEndsWithItsConnection() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\n\r\nok");
            connection.close();
        });
        RawClient client = stand.client();
        for (int i = 1; i <= 3; i++) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            assertThat(stand.backend.connections()).hasSize(i);
        }
        stand.nothingFailed();
    }

    /** A connection that is being closed does not count against the limit: the next one may be made at once. */
    @Test
    void countsNoConnectionThatItCloses() throws IOException {
        stand.start("", "max-connections: 1");
        stand.backend.reply("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
        RawClient client = stand.client();
        client.send(GET.repeat(5));
        for (int i = 0; i < 5; i++) {
            assertThat(client.response().bodyText()).as("response %d", i).isEqualTo("ok");
        }
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noticesThatAnIdleConnectionIsClosed(boolean withReset) throws IOException {
        stand.get();
        stand.sidecar().awaitIdle();
        BackendConnection idle = stand.backend.connections().get(0);
        if (withReset) {
            idle.reset();
        } else {
            idle.close();
        }
        Await.until("noticed", () -> stand.sidecar().count(Count.BACKEND_CONNECTIONS_IDLE) == 0);
        RawResponse response = stand.client().send(POST).response();
        assertThat(response.bodyText()).isEqualTo("ok");
        assertThat(stand.sidecar().count(Count.RETRIES)).isZero();
        stand.nothingFailed();
    }

    /** Closes each connection at its second request, as one whose idle timeout runs out at that moment. */
    private void closeAtTheSecond(boolean withReset) {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(RecordingBackend.OK);
            connection.readHead();
            if (withReset) {
                connection.reset();
            } else {
                connection.close();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void repeatsOnceOnAFreshConnection(boolean withReset) throws IOException {
        stand.start("", "max-connections: 1");
        closeAtTheSecond(withReset);
        RawClient client = stand.client();
        for (int i = 0; i < 4; i++) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        assertThat(stand.sidecar().count(Count.RETRIES)).isEqualTo(3);
        assertThat(stand.backend.connections()).hasSize(4);
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\n\r\n",
                POST,
                "PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: 1\r\n\r\nx",
                "PUT / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            })
    void doesNotRepeat(String request) throws IOException {
        closeAtTheSecond(false);
        RawClient client = stand.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        stand.refused(client.send(request).response(), Failure.BACKEND_CLOSED);
        assertThat(stand.sidecar().count(Count.RETRIES)).isZero();
        assertThat(stand.backend.connections()).hasSize(1);
    }

    /** What is written when the connection ends is more than it takes at once, so that it is a write that fails. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void doesNotRepeatWhatItWasWriting(boolean chunked) throws IOException {
        String piece = "x".repeat(1 << 16);
        closeAtTheSecond(true);
        RawClient client = stand.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        client.send("POST / HTTP/1.1\r\nHost: app\r\n"
                + (chunked
                        ? "Transfer-Encoding: chunked\r\n\r\n"
                        : "Content-Length: " + (piece.length() * 64) + "\r\n\r\n"));
        for (int i = 0; i < 64; i++) {
            client.trySend(Wire.bytes(chunked ? "10000\r\n" + piece + "\r\n" : piece));
        }
        stand.refused(client.response(), Failure.BACKEND_CLOSED);
        assertThat(stand.sidecar().count(Count.RETRIES)).isZero();
        assertThat(stand.backend.connections()).hasSize(1);
    }

    @Test
    void repeatsOnlyOnce() throws IOException {
        stand.get();
        stand.sidecar().awaitIdle();
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.close();
        });
        stand.refused(stand.get(), Failure.BACKEND_CLOSED);
        assertThat(stand.sidecar().count(Count.RETRIES)).isOne();
        assertThat(stand.backend.requests()).hasSize(3);
    }

    /** The pool is full of connections that the backend has closed: the repetition takes the place of one of them. */
    @Test
    void repeatsThoughThePoolIsFull() throws IOException {
        stand.start("", "max-connections: 3");
        warm(3);
        stand.backend.onRequest(connection -> {
            if (connection.index() < 3) {
                stand.backend.connections().subList(0, 3).forEach(BackendReuseIT::reset);
            } else {
                connection.readRequest();
                connection.write(RecordingBackend.OK);
            }
        });
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    private static void reset(BackendConnection connection) {
        try {
            connection.reset();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
