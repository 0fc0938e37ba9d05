package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backends that leave the sidecar waiting. */
@Contract
final class BackendTimeoutIT {
    private static final String SHORT_HEADER = "timeouts: { response-header: 200ms }";
    private static final String SHORT_BODY = "timeouts: { body-idle: 200ms }";
    private static final int LARGE_BYTES = 64 << 20;

    @RegisterExtension
    final Stand stand = new Stand();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 2",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
                "HTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\n\r\n"
            })
    void neverAnswers(String part) throws IOException {
        stand.start("", SHORT_HEADER);
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(part);
            connection.readToEnd();
        });
        RawClient client = stand.client();
        stand.refused(client.send(GET).response(), Failure.RESPONSE_TIMEOUT);
        Await.until("the backend's connection is closed", () -> stand.backend.openConnections() == 0);
        stand.backend.replyOk();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
    }

    @Test
    void neverAnswersARequestWithABody() throws IOException {
        stand.start("", SHORT_HEADER);
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.readToEnd();
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        stand.refused(client.response(), Failure.RESPONSE_TIMEOUT);
        stand.backend.replyOk();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
    }

    /**
     * The wait for the response begins with the request's end: a body that takes longer than it is no fault of the
     * backend.
     */
    @Test
    void waitsFromTheEndOfTheRequest() throws IOException {
        stand.start("", "timeouts: { response-header: 400ms }");
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 1\r\n\r\n");
        Await.until("the head is there", () -> stand.backend.received().length > 0);
        long startNs = System.nanoTime();
        Await.until("longer than the timeout", () -> System.nanoTime() - startNs > 700_000_000L);
        assertThat(client.send("x").response().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    @Test
    void interimResponsesDoNotBuyTime() throws IOException {
        stand.start("", "timeouts: { response-header: 500ms }");
        AtomicBoolean ended = new AtomicBoolean();
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            while (!Await.within(50, ended::get)) {
                connection.write("HTTP/1.1 102 Processing\r\n\r\n");
            }
        });
        RawResponse response = stand.get();
        ended.set(true);
        assertThat(response.interim()).isNotEmpty();
        stand.refused(response, Failure.RESPONSE_TIMEOUT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 10\r\n\r\n12345",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
                "\r\n12345"
            })
    void stallsInTheBody(String part) throws IOException {
        stand.start(SHORT_BODY, "");
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\n" + part);
            connection.readToEnd();
        });
        RawClient client = stand.client();
        assertThatThrownBy(() -> client.send(GET).response()).isInstanceOf(EOFException.class);
        stand.countedOnce(Failure.BACKEND_STALLED);
        Await.until("the backend's connection is closed", () -> stand.backend.openConnections() == 0);
    }

    /** It is the rest between two bytes that counts, not the whole. */
    @Test
    void trickles() throws IOException {
        stand.start("timeouts: { body-idle: 400ms }", "timeouts: { response-header: 500ms }");
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n");
            for (int i = 0; i < 8; i++) {
                Stand.pause(80);
                connection.write("x");
            }
        });
        assertThat(stand.get().bodyText()).isEqualTo("x".repeat(8));
        stand.nothingFailed();
    }

    /** The client is not read for longer than the kernels and the buffers hold, then the backend is given up. */
    @Test
    void doesNotReadTheRequest() throws IOException {
        stand.start(SHORT_BODY, "");
        stand.backend.onRequest(connection -> {
            connection.readHead();
            Await.until("given up", () -> stand.failures(Failure.BACKEND_STALLED) == 1);
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
        Pattern.tryWrite(client, LARGE_BYTES);
        RawResponse response = stand.refused(client.response(), Failure.BACKEND_STALLED);
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(stand.sidecar().count(Count.REQUEST_BODY_BYTES)).isLessThan(LARGE_BYTES / 2);
    }

    /** Having answered does not free it from reading. */
    @Test
    void answersAndDoesNotReadOn() throws IOException {
        stand.start(SHORT_BODY, "");
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
            Await.until("given up", () -> stand.failures(Failure.BACKEND_STALLED) == 1);
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
        Pattern.tryWrite(client, LARGE_BYTES);
        assertThat(client.responseHead().status()).isEqualTo(200);
        assertThat(client.readToEnd()).hasSize(5);
        stand.countedOnce(Failure.BACKEND_STALLED);
    }

    /** Reads a request of many buffers with rests, each shorter than the timeout, that together are longer. */
    @Test
    void readsTheRequestSlowly() throws IOException {
        stand.start("timeouts: { body-idle: 400ms }", "");
        int length = 24 << 20;
        stand.backend.onRequest(connection -> {
            connection.readHead();
            for (int i = 0; i < 6; i++) {
                Stand.pause(80);
                connection.input().skipNBytes(length / 6);
            }
            connection.write(RecordingBackend.OK);
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + length + "\r\n\r\n");
        Pattern.write(client::send, length);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    @Test
    void isNotKeptWhenIdleForLong() throws IOException {
        stand.start("", "timeouts: { idle: 200ms }");
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        Await.until("closed", () -> stand.backend.openConnections() == 0);
        Await.until("gone from the pool", () -> stand.sidecar().count(Count.BACKEND_CONNECTIONS_IDLE) == 0);
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }
}
