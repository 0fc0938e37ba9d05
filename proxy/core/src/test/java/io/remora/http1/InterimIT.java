package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Interim responses: when they come, how many there are, and what they wait for. */
@Contract
final class InterimIT {
    private static final String HINT = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n";

    @RegisterExtension
    final Stand stand = new Stand();

    @Test
    void comeAsTheyAre() throws IOException {
        stand.backend.reply(
                "HTTP/1.1 102 Processing\r\n\r\n" + HINT + HINT + "HTTP/1.1 199 Own\r\n\r\n" + RecordingBackend.OK);
        RawClient client = stand.client();
        for (int i = 0; i < 3; i++) {
            RawResponse response = client.send(GET).response();
            assertThat(response.interim()).extracting(RawResponse::status).containsExactly(102, 103, 103, 199);
            assertThat(response.interim().get(1).field("Link")).isEqualTo("</style.css>");
            assertThat(response.bodyText()).isEqualTo("ok");
        }
        assertThat(stand.responses(2)).isEqualTo(3);
        assertThat(stand.backend.connections()).hasSize(1);
        stand.nothingFailed();
    }

    /** At once, not with the final response. */
    @Test
    void comeAtOnce() throws IOException {
        AtomicLong mayFinish = new AtomicLong();
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(HINT);
            Await.until("the hint is there", () -> mayFinish.get() == 1);
            connection.write(RecordingBackend.OK);
        });
        RawClient client = stand.client();
        assertThat(client.send(GET).responseHead().status()).isEqualTo(103);
        mayFinish.set(1);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    @Test
    void comeBetweenPartsOfTheRequest() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 100 Continue\r\n\r\n");
            InputStream in = connection.input();
            for (int i = 0; i < 3; i++) {
                in.read();
                connection.write("HTTP/1.1 102 Processing\r\n\r\n");
            }
            connection.write(RecordingBackend.OK);
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
        assertThat(client.responseHead().status()).isEqualTo(100);
        for (int i = 0; i < 3; i++) {
            client.send("x");
            assertThat(client.responseHead().status()).isEqualTo(102);
        }
        assertThat(client.response().bodyText()).isEqualTo("ok");
        stand.nothingFailed();
    }

    /** None for an old client, and its response is whole. */
    @Test
    void areNotForOldClients() throws IOException {
        stand.backend.reply(HINT.repeat(100) + RecordingBackend.OK);
        RawClient client = stand.client();
        String raw = Wire.text(client.send("GET / HTTP/1.0\r\n\r\n").readToEnd());
        assertThat(raw).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\nok");
        stand.nothingFailed();
    }

    /** A backend that sends nothing else is stopped by a client that does not read, and given up after a hundred. */
    @Test
    void doNotFillTheMemory() throws IOException {
        stand.start("", "");
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            while (connection.isOpen()) {
                connection.write(HINT.repeat(1000));
            }
        });
        long directBefore = stand.sidecar().count(Count.DIRECT_MEMORY_BYTES);
        AtomicLong most = new AtomicLong();
        RawClient client = stand.narrowClient();
        client.send(GET);
        Await.until("given up", () -> {
            most.accumulateAndGet(stand.sidecar().count(Count.DIRECT_MEMORY_BYTES), Math::max);
            return stand.failures(Failure.BAD_RESPONSE) == 1;
        });
        assertThat(most.get() - directBefore).isLessThan(512 * 1024);
        client.reset();
    }

    @Test
    void trailersComeBothWays() throws IOException {
        stand.backend.onRequest(connection -> {
            assertThat(connection.readRequest().trailers().lines())
                    .extracting(Object::toString)
                    .containsExactly("X-Sum: 1", "x-sum: 2");
            connection.write(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: b\r\nC: d\r\na: e\r\n\r\n");
        });
        RawClient client = stand.client();
        client.send(
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\n");
        RawResponse response = client.response();
        assertThat(response.trailers().lines()).extracting(Object::toString).containsExactly("A: b", "C: d", "a: e");
        assertThat(stand.backend.problems()).isEmpty();
        stand.nothingFailed();
    }
}
