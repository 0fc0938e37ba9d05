package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backends that answer before the request is whole. */
@Contract
final class BackendEarlyIT {
    /** More than the kernel holds on the way: a body that it took whole would end the request, and the connection stay. */
    private static final int LARGE_BYTES = 64 << 20;

    @RegisterExtension
    final Stand stand = new Stand();

    private static String post(int length) {
        return "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + length + "\r\n\r\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"413 Content Too Large", "401 Unauthorized", "200 OK"})
    void answersAfterTheHeadAndReadsOn(String status) throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 " + status + "\r\nContent-Length: 4\r\n\r\nearl");
            connection.readToEnd();
        });
        RawClient client = stand.client();
        RawResponse response = client.send(post(10) + "12345").response();
        assertThat(response.status() + " " + response.reason()).isEqualTo(status);
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(response.bodyText()).isEqualTo("earl");
        client.trySend(Wire.bytes("67890" + GET));
        assertThat(client.shutdownOutputQuietly().readToEnd()).isEmpty();
        Await.until("the backend's connection is not kept", () -> stand.backend.openConnections() == 0);
        stand.nothingFailed();
    }

    /** The reset that follows an unread body can break the writing of it before the response is read. */
    @RepeatedTest(20)
    void answersAfterTheHeadAndCloses() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig");
            connection.close();
        });
        RawClient client = stand.client();
        client.send(post(LARGE_BYTES));
        Pattern.tryWrite(client, LARGE_BYTES);
        RawResponse response = client.response();
        assertThat(response.status()).as(response.toString()).isEqualTo(413);
        assertThat(response.bodyText()).isEqualTo("big");
        assertThat(client.closedByPeer()).isTrue();
        stand.nothingFailed();
    }

    @Test
    void answersWhileTheBodyIsComing() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            InputStream in = connection.input();
            for (int i = 0; i < 5; i++) {
                connection.write("1\r\n" + (char) in.read() + "\r\n");
            }
            connection.write("0\r\n\r\n");
        });
        RawClient client = stand.client();
        client.send(post(5) + "a");
        assertThat(client.responseHead().status()).isEqualTo(200);
        for (String octet : new String[] {"a", "b", "c", "d", "e"}) {
            assertThat(Wire.text(client.read(6))).isEqualTo("1\r\n" + octet + "\r\n");
            if (!octet.equals("e")) {
                client.send(Character.toString(octet.charAt(0) + 1));
            }
        }
        assertThat(Wire.text(client.read(5))).isEqualTo("0\r\n\r\n");
        stand.nothingFailed();
    }

    /**
     * The response begins early and ends late, so that the request is whole by then: the backend's connection serves
     * again.
     */
    @Test
    void beginsEarlyAndEndsInTime() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nea");
            connection.input().readNBytes(10);
            connection.write("rl");
        });
        RawClient client = stand.client();
        client.send(post(10));
        client.responseHead();
        assertThat(Wire.text(client.read(2))).isEqualTo("ea");
        client.send("1234567890");
        assertThat(Wire.text(client.read(2))).isEqualTo("rl");
        stand.backend.replyOk();
        stand.sidecar().awaitIdle();
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        assertThat(stand.backend.connections()).hasSize(1);
        stand.nothingFailed();
    }

    @Test
    void answersAnExpectationAndTheBodyComesAnyway() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
            connection.readToEnd();
        });
        RawClient client = stand.client();
        client.send(
                "POST / HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
        assertThat(client.response().status()).isEqualTo(417);
        Pattern.tryWrite(client, LARGE_BYTES);
        assertThat(client.shutdownOutputQuietly().readToEnd()).isEmpty();
        stand.nothingFailed();
    }

    /** A client that never stops sending gets the response, and five seconds to take it. */
    @Test
    void endsAClientThatGoesOnSending() throws IOException {
        stand.start("limits: { body: 1KiB }", "");
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 2000\r\n\r\n");
        stand.refused(client.response(), Failure.BODY_TOO_LARGE);
        long startNs = System.nanoTime();
        byte[] some = new byte[1024];
        while (client.trySend(some)) {
            assertThat(System.nanoTime() - startNs).isLessThan(Await.TIMEOUT_MS * 1_000_000L);
        }
        Await.until("closed", () -> stand.sidecar().closedConnections() == 1);
    }
}
