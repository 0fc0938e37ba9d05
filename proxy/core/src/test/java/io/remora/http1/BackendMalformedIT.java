package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backends that do not speak HTTP: 502, their connection closed, the client's kept. */
@Contract
final class BackendMalformedIT {
    @RegisterExtension
    final Stand stand = new Stand();

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "\0\0HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "\u0016\u0003\u0001\u0000\u00a5\u0001\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n\r\n",
                "220 mail.example ESMTP\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "HTTP/2 200\r\n\r\n",
                "HTTP/2.0 200 OK\r\n\r\n",
                "HTTP/0.9 200 OK\r\n\r\n",
                "HTTP/1.1\r\n\r\n",
                "HTTP/1.1 OK\r\n\r\n",
                "HTTP/1.1 20 OK\r\n\r\n",
                "HTTP/1.1 099 Low\r\n\r\n",
                "HTTP/1.1 000 Low\r\n\r\n",
                "HTTP/1.1 2000 Long\r\n\r\n",
                "HTTP/1.1 -20 OK\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 200 OK\r\nnocolon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nno colon\r\n\r\nok",
                "HTTP/1.1 200 OK\r\ntwo words: c\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length 2: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding\tx: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\ntwo words: c\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX\0: y\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX: \0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1a\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\n\r\nnonsense\r\n\r\n",
            })
    void answersWithWhatIsNoResponse(String octets) throws IOException {
        stand.backend.reply(octets);
        RawClient client = stand.client();
        stand.refused(client.send(GET).response(), Failure.BAD_RESPONSE);
        Await.until("the backend's connection is closed", () -> stand.backend.openConnections() == 0);
        stand.backend.replyOk();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
    }

    /** Field lines that come one by one are looked at one by one. */
    @Test
    void answersInPieces() throws IOException {
        for (String line : new String[] {"X: y\r\n", "no colon\r\n"}) {
            stand.backend.onRequest(connection -> {
                connection.readRequest();
                for (String part : List.of(
                        "HTTP/1.1 200 OK\r\n", "Content-Le", "ngth: 2\r\n", line, "Z : z\r\n fold\r\n\r", "\nok")) {
                    connection.write(part);
                    if (part.startsWith("no")) {
                        return;
                    }
                    stand.sidecar().barrier();
                }
            });
            RawResponse response = stand.get();
            assertThat(response.status()).as(line).isEqualTo(line.startsWith("X") ? 200 : 502);
        }
        stand.countedOnce(Failure.BAD_RESPONSE);
    }

    @Test
    void answersWithAHeadWithoutEnd() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\n" + ("X: " + "y".repeat(1000) + "\r\n").repeat(100));
            connection.readToEnd();
        });
        stand.refused(stand.get(), Failure.BAD_RESPONSE);
    }

    @Test
    void answersWithAStatusLineWithoutEnd() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 " + "y".repeat(20_000));
            connection.readToEnd();
        });
        stand.refused(stand.get(), Failure.BAD_RESPONSE);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "x\r\n",
                "\r\n",
                "-1\r\n",
                "fffffffffffffffff\r\n",
                "2\r\nabc\r\n",
                "2\r\nabXY\r\n",
                "2 \0\r\nab\r\n"
            })
    void breaksTheChunking(String chunks) throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n");
            stand.sidecar().barrier();
            connection.write(chunks);
            connection.readToEnd();
        });
        RawClient client = stand.client();
        client.send(GET);
        assertThat(client.responseHead().status()).isEqualTo(200);
        assertThat(Wire.text(client.readToEnd())).startsWith("2\r\nok\r\n").doesNotEndWith("0\r\n\r\n");
        stand.countedOnce(Failure.BAD_RESPONSE);
        Await.until("the backend's connection is closed", () -> stand.backend.openConnections() == 0);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "nocolon\r\n",
                "no colon\r\n",
                "X: y\r\nno colon\r\n",
                "two words: c\r\n",
                "Content-Length 2: 2\r\n",
                "Trailer\r\n",
                "Trailer: x\r\nnocolon\r\n",
                ": no name\r\n",
                " Foo: a\r\n",
                "F\0o: a\r\n",
                "Fo(o: a\r\n",
                "Foo: a\rb\r\n",
                "Foo: a\nb\r\n",
                "Foo: \0\r\n",
            })
    void breaksTheTrailers(String lines) throws IOException {
        for (int split = 0; split < 3; split++) {
            cutInTrailers(split, lines);
        }
        stand.counted(Failure.BAD_RESPONSE, 3);
        Await.until("the backend's connection is closed", () -> stand.backend.openConnections() == 0);
    }

    /**
     * @param split 0 for one write, 1 for one that begins with the trailers, 2 for one in their middle as well
     */
    private void cutInTrailers(int split, String lines) throws IOException {
        int middle = split < 2 ? 0 : lines.length() / 2;
        String head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0;last\r\n";
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            if (split == 0) {
                connection.write(head + lines + "\r\n");
            } else {
                connection.write(head);
                stand.sidecar().barrier();
                connection.write(lines.substring(0, middle));
                stand.sidecar().barrier();
                connection.write(lines.substring(middle) + "\r\n");
            }
            connection.readToEnd();
        });
        RawClient client = stand.client();
        client.send(GET);
        assertThat(client.responseHead().status()).isEqualTo(200);
        assertThat(Wire.text(client.readToEnd())).as("split %s", split).isEqualTo("2\r\nok\r\n");
    }

    @Test
    void sendsTrailersThatAreMended() throws IOException {
        String octets = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n0:\r\n1\r\n0\r\n000\r\n"
                + "Foo : a\r\nBar: b\r\n\tc\r\n\r\n";
        for (int at = 0; at <= octets.length(); at++) {
            int split = at;
            stand.backend.onRequest(connection -> {
                connection.readRequest();
                connection.write(octets.substring(0, split));
                stand.sidecar().barrier();
                connection.write(octets.substring(split));
            });
            RawResponse response = stand.get();
            assertThat(response.bodyText()).isEqualTo("0:0");
            assertThat(response.trailers().all("Foo")).containsExactly("a");
            assertThat(response.trailers().all("Bar")).containsExactly("b c");
        }
        stand.nothingFailed();
    }

    @Test
    void sendsTrailersWithoutEnd() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
            connection.write(("X: " + "y".repeat(1000) + "\r\n").repeat(100));
            connection.readToEnd();
        });
        RawClient client = stand.client();
        client.send(GET);
        assertThat(client.responseHead().status()).isEqualTo(200);
        assertThat(client.readToEnd()).isEmpty();
        stand.countedOnce(Failure.BAD_RESPONSE);
    }
}
