package io.remora.http.rules;

import static io.remora.http.rules.Messages.GET;
import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.ok;
import static io.remora.http.rules.Messages.post;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Upgrade, CONNECT and Expect: the three ways in which a request wants more than a response. */
@Contract
final class UpgradeIT {
    private static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    private static final String ASK = get("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: a");

    @RegisterExtension
    static final Bench BENCH = new Bench();

    /** Switches, then writes back whatever comes until its end. */
    private static final RecordingBackend.Script ECHO = connection -> {
        connection.readHead();
        connection.write(SWITCH);
        byte[] some = new byte[1024];
        for (int count = connection.input().read(some);
                count > 0;
                count = connection.input().read(some)) {
            connection.write(java.util.Arrays.copyOf(some, count));
        }
        connection.write("bye");
        connection.close();
    };

    @Test
    @DisplayName("Row 55: an upgrade that was asked for and granted becomes a tunnel")
    void row55_upgradeGranted() throws IOException {
        BENCH.backend.onRequest(ECHO);
        RawClient client = BENCH.client();
        RawResponse response = client.send(ASK).response();
        assertThat(response.status()).isEqualTo(101);
        assertThat(response.fields().tokens("Connection")).contains("upgrade");
        assertThat(response.fields().tokens("Upgrade")).containsExactly("websocket");
        String frames = "\u0081\0\r\n\r\nGET / HTTP/9.9\r\n\r\n\u00ff";
        assertThat(Wire.text(client.send(frames).read(frames.length()))).isEqualTo(frames);
        client.shutdownOutput();
        assertThat(Wire.text(client.readToEnd())).isEqualTo("bye");
    }

    @Test
    @DisplayName("Row 55: bytes behind either header section belong to the tunnel")
    void row55_bytesBehindTheSwitch() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH + "first");
            assertThat(connection.input().readNBytes(5)).isEqualTo(Wire.bytes("early"));
            connection.write("second");
            connection.readToEnd();
        });
        RawClient client = BENCH.client();
        assertThat(client.send(ASK + "early").response().status()).isEqualTo(101);
        assertThat(Wire.text(client.read(11))).isEqualTo("firstsecond");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\n\r\n",
            })
    @DisplayName("Row 55: 101 that nobody asked for")
    void row55_unaskedSwitch(String response) {
        assertThat(BENCH.answered(response + "LEAKED").status()).isEqualTo(502);
        Await.until("backend connection closed", () -> BENCH.backend.openConnections() == 0);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket, other\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\n\r\n",
            })
    @DisplayName("Row 55: 101 without Upgrade, or to something else")
    void row55_otherSwitch(String response) {
        assertThat(BENCH.answered(ASK, "GET", response + "LEAKED").status()).isEqualTo(502);
    }

    @Test
    @DisplayName("Row 55: an upgrade that is not granted is an exchange like any other")
    void row55_upgradeDeclined() throws IOException {
        RawClient client = BENCH.client();
        assertThat(client.send(ASK).response().bodyText()).isEqualTo("ok");
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(BENCH.requestsAtBackend()).hasSize(2);
        assertThat(BENCH.requestsAtBackend().get(0).fields().tokens("Upgrade")).containsExactly("websocket");
        assertThat(BENCH.requestsAtBackend().get(0).fields().tokens("Connection"))
                .contains("upgrade");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "Upgrade: websocket | websocket",
                "Upgrade: TLS/1.2, HTTP/1.1 | TLS/1.2, HTTP/1.1",
                "Upgrade: h2c, websocket | websocket",
                "Upgrade: websocket,, H2C ,foo/2 | websocket, foo/2",
                "Upgrade: a, h2c=upgrade: b | a, b",
                "Upgrade: h2c/1, h2cx | h2cx",
                "upgrade: h2c |",
                "Upgrade: |",
                "X: y |",
            })
    @DisplayName("Row 55: a 426 says which protocol it wants, but for h2c")
    void row55_upgradeRequired(String lines, @Nullable String upgrade) throws IOException {
        String required = "HTTP/1.1 426 Upgrade Required\r\nConnection: Upgrade, X-Hop\r\nX-Hop: 1\r\n"
                + lines.replace("=", "\r\n") + "\r\nContent-Length: 2\r\n\r\nno";
        RawResponse response = BENCH.answered(required);
        assertThat(response.status()).isEqualTo(426);
        assertThat(response.bodyText()).isEqualTo("no");
        assertThat(response.fields().has("X-Hop")).isFalse();
        if (upgrade == null) {
            assertThat(response.fields().has("Upgrade")).isFalse();
            assertThat(response.fields().has("Connection")).isFalse();
        } else {
            assertThat(response.fields().all("Upgrade")).containsExactly(upgrade);
            assertThat(response.fields().tokens("Connection")).containsExactly("upgrade");
        }
        // the connection serves on, unless the client wants no more
        BENCH.mark();
        response = BENCH.answered(bare("GET / HTTP/1.1", "Host: app", "Connection: close"), "GET", required);
        assertThat(response.fields().has("Upgrade")).isEqualTo(upgrade != null);
        assertThat(response.fields().tokens("Connection")).contains("close");
        BENCH.mark();
        response = BENCH.answered(bare("GET / HTTP/1.0", "Host: app"), "GET", required);
        assertThat(response.fields().has("Upgrade")).isFalse();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"200 OK", "400 Bad", "421 Misdirected", "503 Busy"})
    @DisplayName("Row 55: no other response than a 426 offers another protocol")
    void row55_upgradeOffered(String status) {
        RawResponse response = BENCH.answered(
                "HTTP/1.1 " + status + "\r\nConnection: Upgrade\r\nUpgrade: a\r\nContent-Length: 0\r\n\r\n");
        assertThat(response.fields().has("Upgrade")).isFalse();
        assertThat(response.fields().has("Connection")).isFalse();
    }

    @Test
    @DisplayName("Row 55: Upgrade from HTTP/1.0 is ignored")
    void row55_upgradeFromOldClient() {
        RawRequest request =
                BENCH.forwarded(bare("GET / HTTP/1.0", "Host: app", "Connection: Upgrade", "Upgrade: websocket"));
        assertThat(request.fields().has("Upgrade")).isFalse();
        assertThat(request.fields().tokens("Connection")).doesNotContain("upgrade");
    }

    @Test
    @DisplayName("Row 55: 100 comes before 101")
    void row55_continueBeforeSwitch() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 100 Continue\r\n\r\n" + SWITCH);
            connection.readToEnd();
        });
        RawClient client = BENCH.client();
        client.send(get("Connection: Upgrade", "Upgrade: websocket", "Expect: 100-continue"));
        assertThat(client.responseHead().status()).isEqualTo(100);
        assertThat(client.responseHead().status()).isEqualTo(101);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"h:80", "127.0.0.1:443", "[::1]:80"})
    @DisplayName("Row 60: CONNECT is not implemented")
    void row60_connect(String target) {
        BENCH.refused(bare("CONNECT " + target + " HTTP/1.1", "Host: " + target) + "tunnel", 501);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "h",
                "h:",
                "h:port",
                "h:65536",
                "h:-1",
                "h:+80",
                ":80",
                "h:80/",
                "/",
                "http://h:80",
                "u@h:80",
                "h:80:80",
                "*"
            })
    @DisplayName("Row 60: CONNECT without a valid port")
    void row60_connectInvalidPort(String target) {
        BENCH.refused(bare("CONNECT " + target + " HTTP/1.1", "Host: h:80"), 400);
    }

    @Test
    @DisplayName("Row 60: a tunnel delivers what was under way, then closes both sides")
    void row60_tunnelClose() throws IOException {
        String last = "x".repeat(300_000);
        BENCH.backend.onRequest(connection -> {
            connection.readHead();
            connection.write(SWITCH + last);
            connection.shutdownOutput();
            connection.readToEnd();
        });
        RawClient client = BENCH.client();
        assertThat(client.send(ASK).response().status()).isEqualTo(101);
        assertThat(client.readToEnd()).hasSize(last.length());
        client.send("still heard");
        Await.until("heard", () -> Wire.text(BENCH.atBackend()).endsWith("still heard"));
        client.close();
        Await.until("closed", () -> BENCH.backend.openConnections() == 0);
    }

    @Test
    @DisplayName("Row 61: the header section goes out without waiting for the body, 100 comes back, then the body goes")
    void row61_expectContinue() throws IOException {
        BENCH.backend.onRequest(connection -> {
            RawRequest head = connection.readHead();
            assertThat(head.fields().all("Expect")).containsExactly("100-continue");
            connection.write("HTTP/1.1 100 Continue\r\nX: y\r\n\r\n");
            connection.write(ok(Wire.text(connection.input().readNBytes(3)), "Content-Length: 3"));
        });
        RawClient client = BENCH.client();
        client.send(post("", "Content-Length: 3", "Expect: 100-continue"));
        assertThat(client.responseHead().status()).isEqualTo(100);
        assertThat(client.send("abc").response().bodyText()).isEqualTo("abc");
    }

    @Test
    @DisplayName("Row 61: a final response instead of 100, and the body is not waited for")
    void row61_expectationFailed() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
            connection.readToEnd();
        });
        RawClient client = BENCH.client();
        client.send(post("", "Content-Length: 3", "Expect: 100-continue"));
        RawResponse response = client.response();
        assertThat(response.status()).isEqualTo(417);
        assertThat(response.interim()).isEmpty();
    }

    @Test
    @DisplayName("Row 61: a backend that says nothing; the client sends anyway")
    void row61_silentBackend() throws IOException {
        AtomicReference<String> body = new AtomicReference<>("");
        BENCH.backend.onRequest(connection -> {
            body.set(connection.readRequest().bodyText());
            connection.write(RecordingBackend.OK);
        });
        RawClient client = BENCH.client();
        client.send(post("", "Content-Length: 3", "Expect: 100-continue"));
        Await.until("the header section is there", () -> Wire.text(BENCH.atBackend())
                .endsWith("\r\n\r\n"));
        RawResponse response = client.send("abc").response();
        assertThat(response.interim()).isEmpty();
        assertThat(body).hasValue("abc");
    }

    @Test
    @DisplayName("Row 61: an expectation of HTTP/1.0 is ignored")
    void row61_expectFromOldClient() {
        String octets = bare("POST / HTTP/1.0", "Host: app", "Expect: 100-continue", "Content-Length: 3") + "abc";
        assertThat(BENCH.forwarded(octets).fields().has("Expect")).isFalse();
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Upgrade: websocket\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 7",
                "Connection: X\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 8",
            })
    @DisplayName("GHSA-4mp9-239f-g9hg: Upgrade without Connection: upgrade is not tunnelled")
    void advisory_GHSA_4mp9_239f_g9hg(String lines) {
        assertThat(BENCH.forwarded(get(lines)).fields().has("Upgrade")).isFalse();
        assertThat(BENCH.answered(get(lines), "GET", SWITCH + "LEAKED").status())
                .isEqualTo(502);
    }

    @Test
    @DisplayName("Section 3: Sec-WebSocket-Key1 and -Key2 announce no body of eight octets")
    void gap_oldWebSocketKeys() {
        String keys = request(
                "GET / HTTP/1.1",
                "Connection: Upgrade",
                "Upgrade: WebSocket",
                "Sec-WebSocket-Key1: 1",
                "Sec-WebSocket-Key2: 2");
        BENCH.refused(keys + "GET /x HTTP/1.1\r\nHost: app\r\n\r\n", 400);
        BENCH.refused(get("Sec-WebSocket-Key1: 1", "Sec-WebSocket-Key2: 2") + "12345678" + GET, 400);
    }

    @Test
    @DisplayName("Section 3: nor does Sec-WebSocket-Origin a body of sixteen in a 101")
    void gap_oldWebSocketOrigin() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Origin: a\r\nSec-WebSocket-Location: b\r\n\r\nfirst");
            connection.readToEnd();
        });
        RawClient client = BENCH.client();
        RawResponse response = client.send(ASK).response();
        if (response.status() == 101) {
            assertThat(Wire.text(client.read(5))).isEqualTo("first");
        } else {
            assertThat(response.status()).isEqualTo(502);
        }
    }
}
