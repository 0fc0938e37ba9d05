package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backends that say more than they were asked: none of it reaches a client, least of all another one. */
@Contract
final class BackendExtraIT {
    private static final String POISON = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON";
    private static final String POST = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 1\r\n\r\nx";

    @RegisterExtension
    final Stand stand = new Stand();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\n",
            })
    void sendsMoreBehindAResponse(String response) throws IOException {
        stand.backend.reply(response + POISON);
        RawClient first = stand.client();
        int status = first.send(GET).response().status();
        assertThat(status).isIn(200, 204, 304);
        stand.backend.replyOk();
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        assertThat(first.send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(stand.backend.connections()).hasSize(2);
        assertThat(stand.backend.connections().get(0).ended()).isTrue();
        stand.nothingFailed();
    }

    @Test
    void sendsMoreThanAHeadHas() throws IOException {
        stand.backend.reply(POISON);
        RawClient client = stand.client();
        assertThat(client.send("HEAD / HTTP/1.1\r\nHost: app\r\n\r\n")
                        .response("HEAD")
                        .field("Content-Length"))
                .isEqualTo("6");
        stand.backend.replyOk();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        assertThat(stand.backend.connections().get(0).ended()).isTrue();
    }

    @Test
    void sendsMoreWhileTheRequestIsStillComing() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(RecordingBackend.OK + POISON);
            connection.readToEnd();
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nab");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        client.trySend(Wire.bytes("cde"));
        assertThat(client.shutdownOutputQuietly().readToEnd()).isEmpty();
    }

    @Test
    void speaksBeforeItIsAsked() throws IOException {
        stand.backend.onAccept(connection -> connection.write(POISON));
        RawClient client = stand.client();
        // on a fresh connection the two cannot be told apart; on the next one nothing of it may be left
        client.send(GET).response();
        stand.backend.onAccept(connection -> {});
        assertThat(client.send(GET).response().bodyText()).isIn("ok", "POISON");
        stand.sidecar().awaitIdle();
        assertThat(stand.get().bodyText()).isEqualTo("ok");
    }

    @ParameterizedTest
    @ValueSource(strings = {POISON, "\r\n", "x"})
    void speaksOnAnIdleConnection(String octets) throws IOException {
        BackendConnection idle = warmOne();
        idle.write(octets);
        Await.until("closed", idle::ended);
        Await.until("forgotten", () -> stand.sidecar().count(Count.BACKEND_CONNECTIONS_IDLE) == 0);
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    private BackendConnection warmOne() throws IOException {
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        stand.sidecar().awaitIdle();
        return stand.backend.connections().get(0);
    }

    /** The request is looked at first, while what the backend said before is still with the kernel. */
    @ParameterizedTest
    @ValueSource(strings = {POISON, "\r\n", "x"})
    void speaksInTheTurnInWhichItsConnectionIsWanted(String octets) throws IOException {
        BackendConnection idle = warmOne();
        RawClient client = stand.client();
        stand.sidecar().barrier();
        stand.sidecar().stall(() -> {
            client.send(GET);
            idle.write(octets);
        });
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(idle.received())
                .hasSameSizeAs(stand.backend.connections().get(1).received());
        stand.nothingFailed();
    }

    /** The same with an end in place of bytes: even what must not be repeated is safe on another connection. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsInTheTurnInWhichItsConnectionIsWanted(boolean withReset) throws IOException {
        BackendConnection idle = warmOne();
        RawClient client = stand.client();
        stand.sidecar().barrier();
        stand.sidecar().stall(() -> {
            client.send(POST);
            if (withReset) {
                idle.reset();
            } else {
                idle.close();
            }
        });
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(stand.sidecar().count(Count.RETRIES)).isZero();
        stand.nothingFailed();
    }
}
