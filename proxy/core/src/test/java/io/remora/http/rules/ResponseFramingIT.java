package io.remora.http.rules;

import static io.remora.http.rules.Messages.GET;
import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.ok;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a response ends, and which responses have no content at all. */
@Contract
final class ResponseFramingIT {
    private static final String CHUNKED_OK = ok("1;x=y\r\no\r\n1\r\nk\r\n0\r\n\r\n", "Transfer-Encoding: chunked");

    @RegisterExtension
    static final Bench BENCH = new Bench();

    /** Two exchanges on one client connection: the second shows that the first left nothing behind. */
    private static RawResponse firstOfTwo(String method, String backendOctets) throws IOException {
        RawClient client = BENCH.client();
        BENCH.backend.reply(backendOctets);
        RawResponse first = client.send(request(method + " / HTTP/1.1")).response(method);
        BENCH.backend.reply(ok("second", "Content-Length: 6"));
        assertThat(client.send(GET).response().bodyText()).isEqualTo("second");
        return first;
    }

    private static long count(String metric, String label, String value) {
        BENCH.sidecar().awaitIdle();
        return BENCH.sidecar().metrics().sum(metric, label, value);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(ints = {600, 666, 799, 999})
    @DisplayName("RFC 9110 15: a status from 600 to 999 passes, and counts as 5xx")
    void statusesBeyondTheClassesPass(int status) throws IOException {
        long responses = count("remora_responses_total", "class", "5xx");
        long failures = count("remora_endpoint_outcomes_total", "outcome", "failure");
        for (String framing :
                new String[] {"Content-Length: 2\r\n\r\nok", "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
                }) {
            RawResponse response = firstOfTwo("GET", "HTTP/1.1 " + status + " Beyond\r\n" + framing);
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.reason()).isEqualTo("Beyond");
            assertThat(response.bodyText()).isEqualTo("ok");
        }
        assertThat(count("remora_responses_total", "class", "5xx")).isEqualTo(responses + 2);
        assertThat(count("remora_endpoint_outcomes_total", "outcome", "failure"))
                .isEqualTo(failures + 2);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "5 \r\nhello\r\n0 \r\n\r\n",
                "5\t \t\r\nhello\r\n0\r\n\r\n",
                "0005    \r\nhello\r\n0       \r\nX-Sum: 1\r\n\r\n",
                "5 ;a=b\r\nhello\r\n0\r\n\r\n",
                "3 \r\nhel\r\n2  \r\nlo\r\n0   \r\n\r\n",
            })
    @DisplayName("RFC 9112 7.1: spaces behind the size of an endpoint's chunk are dropped")
    void spacesBehindChunkSizesAreDropped(String framedBody) throws IOException {
        // the client's reader takes nothing but digits
        assertThat(firstOfTwo("GET", ok(framedBody, "Transfer-Encoding: chunked"))
                        .bodyText())
                .isEqualTo("hello");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                " 5\r\nhello\r\n0\r\n\r\n",
                "5 0\r\nhello\r\n0\r\n\r\n",
                "5 \n\r\nhello\r\n0\r\n\r\n",
                "5 \nhello\r\n0\r\n\r\n",
                "5 x\r\nhello\r\n0\r\n\r\n",
                "5\u000b\r\nhello\r\n0\r\n\r\n",
                "5\u00a0\r\nhello\r\n0\r\n\r\n",
                " \r\nhello\r\n0\r\n\r\n",
            })
    @DisplayName("RFC 9112 7.1: nothing else around the size of an endpoint's chunk is")
    void otherSpacesEndTheResponse(String framedBody) throws IOException {
        BENCH.backend.reply(ok(framedBody, "Transfer-Encoding: chunked"));
        String raw = Wire.text(BENCH.client().send(GET).readToEnd());
        assertThat(raw).doesNotContain("hello").doesNotContain("\r\n0\r\n");
    }

    @Test
    @DisplayName("RFC 9112 7.1: spaces behind a chunk's size are bounded as the line is")
    void spacesBehindChunkSizesAreBounded() throws IOException {
        BENCH.backend.reply(ok("5" + " ".repeat(64 * 1024) + "\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked"));
        assertThat(Wire.text(BENCH.client().send(GET).readToEnd())).doesNotContain("hello");
    }

    @Test
    @DisplayName("Row 18: a chunked response is decoded and applied once")
    void row18_chunkedResponse() throws IOException {
        RawResponse response = firstOfTwo("GET", CHUNKED_OK);
        assertThat(response.bodyText()).isEqualTo("ok");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
            })
    @DisplayName("Row 19: no Transfer-Encoding in 1xx and 204")
    void row19_noCodingWithoutContent(String backendOctets) throws IOException {
        assertThat(firstOfTwo("GET", backendOctets).status()).isEqualTo(204);
    }

    @Test
    @DisplayName("Row 20: no Transfer-Encoding towards an HTTP/1.0 client")
    void row20_noCodingForOldClient() throws IOException {
        BENCH.backend.reply(CHUNKED_OK);
        String raw = Wire.text(
                BENCH.client().send(bare("GET / HTTP/1.0", "Host: app")).readToEnd());
        assertThat(raw)
                .startsWith("HTTP/1.1 200 ")
                .doesNotContainIgnoringCase("transfer-encoding")
                .endsWith("\r\n\r\nok");
    }

    @Test
    @DisplayName("Row 29: a response shorter than its length is cut where the client can see it")
    void row29_responseCutShort() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(ok("12345", "Content-Length: 10"));
            connection.close();
        });
        String raw = Wire.text(BENCH.client().send(GET).readToEnd());
        assertThat(raw).contains("Content-Length: 10\r\n").endsWith("\r\n\r\n12345");
    }

    @Test
    @DisplayName("Row 29: a chunked response without its last chunk likewise")
    void row29_chunkedResponseCutShort() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(ok("5\r\nhello\r\n", "Transfer-Encoding: chunked"));
            connection.close();
        });
        String raw = Wire.text(BENCH.client().send(GET).readToEnd());
        assertThat(raw).contains("hello").doesNotContain("\r\n0\r\n");
    }

    @Test
    @DisplayName("A response without framing ends with its connection")
    void row29_closeDelimitedResponse() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(ok("all of it"));
            connection.close();
        });
        assertThat(BENCH.client().send(GET).response().bodyText()).isEqualTo("all of it");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nLEAKED", "LEAKED", "\r\n", "\0"})
    @DisplayName("Row 30: what follows a response answers nobody")
    void row30_extraData(String extra) throws IOException {
        assertThat(firstOfTwo("GET", ok("ok", "Content-Length: 2") + extra).bodyText())
                .isEqualTo("ok");
        assertThat(firstOfTwo("GET", CHUNKED_OK + extra).bodyText()).isEqualTo("ok");
    }

    @Test
    @DisplayName("Row 30: nor what a backend says unasked on a connection that waits")
    void row30_unaskedResponse() throws IOException {
        AtomicBoolean answered = new AtomicBoolean();
        BENCH.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(ok("ok", "Content-Length: 2"));
            Await.until("the exchange is over", answered::get);
            connection.write(ok("LEAKED", "Content-Length: 6"));
        });
        RawClient client = BENCH.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        BENCH.sidecar().awaitIdle();
        answered.set(true);
        Await.until("the connection is given up", () -> BENCH.backend.openConnections() == 0);
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
    }

    @Test
    @DisplayName("Row 33: trailers of a response stay trailers, and dangerous ones are dropped")
    void row33_responseTrailers() {
        String trailers =
                "X-Sum: 1\r\nContent-Length: 9\r\nSet-Cookie: a=b\r\nAuthorization: c\r\nConnection: close\r\n";
        String response = ok("2\r\nok\r\n0\r\n" + trailers + "\r\n", "Transfer-Encoding: chunked", "Trailer: X-Sum");
        RawResponse seen = BENCH.answered(get("TE: trailers", "Connection: TE"), "GET", response);
        assertThat(seen.trailers().names()).containsExactly("X-Sum");
        assertThat(seen.fields().has("X-Sum")).isFalse();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"0", "5"})
    @DisplayName("Row 57: no Content-Length in 1xx and 204")
    void row57_noLengthWithoutContent(String length) throws IOException {
        assertThat(firstOfTwo("GET", "HTTP/1.1 204 No Content\r\nContent-Length: " + length + "\r\n\r\n")
                        .status())
                .isEqualTo(204);
        String interim = "HTTP/1.1 103 Early Hints\r\nContent-Length: " + length + "\r\nLink: a\r\n\r\n";
        RawResponse response = firstOfTwo("GET", interim + ok("ok", "Content-Length: 2"));
        assertThat(response.interim())
                .singleElement()
                .extracting(hint -> hint.field("Link"))
                .isEqualTo("a");
    }

    @Test
    @DisplayName("Row 57: Content-Length of a HEAD and a 304 response passes, and none is made up")
    void row57_lengthOfHeadAndNotModified() throws IOException {
        assertThat(firstOfTwo("HEAD", ok("", "Content-Length: 12345")).field("Content-Length"))
                .isEqualTo("12345");
        assertThat(firstOfTwo("HEAD", ok("")).fields().has("Content-Length")).isFalse();
        String notModified = "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n";
        assertThat(firstOfTwo("GET", notModified + "Content-Length: 12345\r\n\r\n")
                        .field("Content-Length"))
                .isEqualTo("12345");
        assertThat(firstOfTwo("GET", notModified + "\r\n").fields().has("Content-Length"))
                .isFalse();
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nLEAKED",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nLEAKED\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\nLEAKED",
            })
    @DisplayName("Row 58: content behind a HEAD response reaches nobody")
    void row58_noContentForHead(String backendOctets) throws IOException {
        assertThat(firstOfTwo("HEAD", backendOctets).status()).isEqualTo(200);
        RawClient client = BENCH.client();
        BENCH.backend.reply(backendOctets);
        String raw = Wire.text(
                client.send(request("HEAD / HTTP/1.1", "Connection: close")).readToEnd());
        assertThat(raw).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n").doesNotContain("LEAKED");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "HTTP/1.1 205 Reset Content\r\nContent-Length: 6\r\n\r\nLEAKED",
                "HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nLEAKED\r\n0\r\n\r\n",
                "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            })
    @DisplayName("Row 65: no content in 205")
    void row65_noContentInReset(String backendOctets) throws IOException {
        RawClient client = BENCH.client();
        BENCH.backend.reply(backendOctets);
        RawResponse response = client.send(GET).response();
        assertThat(response.status()).isIn(205, 502);
        assertThat(response.bodyText()).doesNotContain("LEAKED");
        if (response.status() == 205) {
            assertThat(response.body()).isEmpty();
        }
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "-1\r\nLEAKED\r\n0\r\n\r\n",
                "100000006\r\nLEAKED\r\n0\r\n\r\n",
                "6\r\nLEAKEDx\r\n0\r\n\r\n",
                "6;a=\n\r\nLEAKED\r\n0\r\n\r\n",
            })
    @DisplayName("Row 31: broken chunks of a response end it where the client can see it")
    void row31_brokenChunksInResponse(String body) throws IOException {
        BENCH.backend.reply(ok("2\r\nok\r\n" + body, "Transfer-Encoding: chunked"));
        String raw = Wire.text(BENCH.client().send(GET).readToEnd());
        if (raw.startsWith("HTTP/1.1 200 ")) {
            assertThat(raw).doesNotContain("\r\n0\r\n");
        } else {
            assertThat(raw).startsWith("HTTP/1.1 502 ").doesNotContain("LEAKED");
        }
        Await.until("backend connection closed", () -> BENCH.backend.openConnections() == 0);
    }
}
