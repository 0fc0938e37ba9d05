package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The rule that a refused message has broken, as the access log and the client have it. */
@Contract
final class RuleNamesIT {
    private static final String HOST = "Host: app\r\n";
    private static final String END = "\r\n\r\n";
    private static final String CODED = "POST / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked" + END;

    @TempDir
    private static Path directory;

    private static RecordingBackend backend;
    private static AccessLogFile log;
    private static Sidecar sidecar;
    /** Lines of the access log. */
    private static int logged;

    @BeforeAll
    static void start() {
        backend = RecordingBackend.start();
        log = new AccessLogFile(directory.resolve("access.log"));
        sidecar = Sidecar.start(Setup.before(backend)
                .listener("errors: detailed\nrefuse-in-path: [semicolon]")
                .rules(
                        "match: { prefix: /admin }, cluster: app",
                        "match: { prefix: /old }, cluster: app, rewrite: { prefix: /new }",
                        "cluster: app")
                .process(log.setting()));
    }

    @AfterAll
    static void stop() {
        sidecar.close();
        backend.close();
    }

    private static Arguments of(String rule, String request) {
        return Arguments.of(rule, request);
    }

    private static String get(String... lines) {
        return "GET / HTTP/1.1\r\n" + String.join("\r\n", lines) + END;
    }

    static Stream<Arguments> requests() {
        String a = HOST.strip();
        return Stream.of(
                of("bare-cr", get(a, "X: a\rb")),
                of("bare-cr", CODED + "1\rx"),
                of("bare-lf", "GET / HTTP/1.1\n" + HOST + "\r\n"),
                of("bare-lf", "GET / HTTP/1.1\r\nHost: app\n\r\n"),
                of("request-line", "GET  / HTTP/1.1\r\n" + HOST + "\r\n"),
                of("request-line", "GET / HTTP/x\r\n" + HOST + "\r\n"),
                of("line-too-long", "GET /" + "a".repeat(9_000) + " HTTP/1.1\r\n" + HOST + "\r\n"),
                of("line-too-long", CODED + "1;" + "a".repeat(9_000)),
                of("space-before-fields", get(" " + a)),
                of("folded-line", get(a, " b")),
                of("space-before-colon", get("Host : app")),
                of("field-name", get(a, "X(: b")),
                of("field-name", get(a, ": b")),
                of("field-value", get(a, "X: a\u0001b")),
                of("field-value", CODED + "0\r\nX: \u0001" + END),
                of("underscore", get(a, "Content_Length: 5")),
                of("fields-too-large", get(a, "X: " + "a".repeat(33_000))),
                of("fields-too-large", CODED + "0\r\nX: " + "a".repeat(33_000) + END),
                of("too-many-fields", get(a, "X: a\r\n".repeat(120).strip())),
                of("target", "GET a HTTP/1.1\r\n" + HOST + "\r\n"),
                of("target", "GET /a#b HTTP/1.1\r\n" + HOST + "\r\n"),
                of("host-missing", get("X: a")),
                of("host-repeated", get(a, a)),
                of("host-invalid", get("Host: a b")),
                of("connect-port", "CONNECT app:x HTTP/1.1\r\n" + HOST + "\r\n"),
                of("max-forwards", "OPTIONS / HTTP/1.1\r\n" + HOST + "Max-Forwards: x" + END),
                of("path-refused", "GET /a;b HTTP/1.1\r\n" + HOST + "\r\n"),
                of("path-spelling", "GET /public/%2e%2e/admin HTTP/1.1\r\n" + HOST + "\r\n"),
                of("path-dots", "GET /old/x/../y HTTP/1.1\r\n" + HOST + "\r\n"),
                of("content-length", get(a, "Content-Length: x")),
                of("content-length", get(a, "Content-Length: 01")),
                of("length-and-coding", get(a, "Content-Length: 1", "Transfer-Encoding: chunked")),
                of("coding-in-http10", "GET / HTTP/1.0\r\n" + HOST + "Transfer-Encoding: chunked" + END),
                of("coding-repeated", get(a, "Transfer-Encoding: gzip", "Transfer-Encoding: chunked")),
                of("chunked-not-last", get(a, "Transfer-Encoding: chunked, gzip")),
                of("chunk-size", CODED + "x\r\n"),
                of("chunk-size", CODED + "fffffffff\r\n"),
                of("chunk-extension", CODED + "1;a=\u0001\r\n"),
                of("chunk-end", CODED + "1\r\naX"),
                of("hidden-body", get(a, "Sec-WebSocket-Key1: a", "Sec-WebSocket-Key2: a")),
                of("connection-options", get(a, "Connection: " + "a,".repeat(40))));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aRequestThatIsRefusedSaysWhy(String rule, String request) throws IOException {
        backend.onRequest(connection -> connection.readToEnd());
        try (RawClient client = sidecar.client()) {
            RawResponse response = client.send(request).response();
            assertThat(response.status()).isBetween(400, 499);
            told(rule, response);
        }
    }

    private static void told(String rule, RawResponse response) {
        assertThat(response.field("Remora-Reason")).isEqualTo(rule);
        assertThat(response.bodyText()).contains(" Reason: " + rule + ".\n");
        assertThat(log.line(++logged)).contains(",\"reason\":\"" + rule + "\",");
    }

    static Stream<Arguments> responses() {
        String ok = "HTTP/1.1 200 OK\r\n";
        return Stream.of(
                of("status-line", "HTTP/1.1 20 OK" + END),
                of("too-many-interims", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(101) + ok + END),
                of("status", "HTTP/1.1 099 Low" + END),
                of("bare-lf", "HTTP/1.1 200 OK\nX: a" + END),
                of("field-name", ok + "X(: a" + END),
                of("field-value", ok + "X: \u0001" + END),
                of("fields-too-large", ok + "X: " + "a".repeat(70_000) + END),
                of("content-length", ok + "Content-Length: 1, 2" + END),
                of("length-and-coding", ok + "Content-Length: 1\r\nTransfer-Encoding: chunked" + END),
                of("transfer-coding", ok + "Transfer-Encoding: gzip" + END),
                of("coding-in-http10", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked" + END),
                of(
                        "unasked-switch",
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket" + END),
                of("connection-options", ok + "Connection: " + "a,".repeat(40) + END));
    }

    @ParameterizedTest
    @MethodSource("responses")
    void aResponseThatIsRefusedSaysWhy(String rule, String answer) throws IOException {
        backend.reply(answer);
        try (RawClient client = sidecar.client()) {
            RawResponse response =
                    client.send("GET / HTTP/1.1\r\n" + HOST + "\r\n").response();
            assertThat(response.status()).isEqualTo(502);
            told(rule, response);
        }
    }

    @Test
    void aResponseThatIsCutSaysWhyInTheLog() throws IOException {
        backend.reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" + END + "x\r\n");
        try (RawClient client = sidecar.client()) {
            client.send("GET / HTTP/1.1\r\n" + HOST + "\r\n").readToEnd();
        }
        assertThat(log.line(++logged)).contains("\"failure\":\"bad-response\",\"reason\":\"chunk-size\",");
    }

    @Test
    void aRequestThatIsCutShortSaysSo() throws IOException {
        backend.onRequest(connection -> connection.readToEnd());
        try (RawClient client = sidecar.client()) {
            client.send("POST / HTTP/1.1\r\n" + HOST + "Content-Length: 5" + END + "ab")
                    .shutdownOutput();
            told("cut-short", client.response());
        }
    }

    @Test
    void whatCouldBeReadStandsInTheLog() throws IOException {
        String[] requests = {
            "PUT /a?b=c HTTP/1.1\r\nHost: app.test\r\nUser-Agent: curl/8\r\nReferer: http://r/\r\nX: \u0001" + END,
            "GET /a/b",
            "GET /" + "a".repeat(9_000) + " HTTP/1.1\r\n" + HOST + "\r\n",
            "\u0001" + END
        };
        String[] expected = {
            "\"method\":\"PUT\",\"target\":\"/a?b=c\",\"version\":\"HTTP/1.1\",\"host\":\"app.test\",\"status\":400,",
            "\"method\":\"GET\",\"target\":\"/a/b\",",
            "\"method\":\"GET\",\"target\":\"/" + "a".repeat(1_023) + "\",",
            "\"method\":\"-\",\"target\":\"-\","
        };
        for (int i = 0; i < requests.length; i++) {
            try (RawClient client = sidecar.client()) {
                client.send(requests[i] + (i == 1 ? "\n" : "")).response();
            }
            String line = log.line(++logged);
            assertThat(line).contains(expected[i]);
            if (i == 0) {
                assertThat(line).contains("\"referer\":\"http://r/\",\"user_agent\":\"curl/8\"");
            }
        }
    }

    /** A stream that is cut for its silence says which key to change. */
    @Test
    void aStreamThatRestsSaysByWhichKeyItEnds() throws IOException {
        AccessLogFile idle = new AccessLogFile(directory.resolve("idle.log"));
        backend.onRequest(connection -> {
            RawRequest request = connection.readHead();
            connection.write(
                    request.target().equals("/socket")
                            ? "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" + END
                            : "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" + END);
            connection.readToEnd();
        });
        String socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        try (Sidecar other = Sidecar.start(Setup.before(backend)
                .listener("timeouts: {body-idle: 100ms, idle: 100ms}")
                .rules("match: { path: /own }, cluster: app, timeouts: { stream-idle: 50ms }", "cluster: app")
                .process(idle.setting()))) {
            String[] paths = {"/", "/own", "/socket"};
            String[] keys = {"timeouts.body-idle", "timeouts.stream-idle", "timeouts.idle"};
            for (int i = 0; i < paths.length; i++) {
                try (RawClient client = other.client()) {
                    client.send("GET " + paths[i] + " HTTP/1.1\r\n" + HOST + (i == 2 ? socket : "") + "\r\n")
                            .readToEnd();
                }
                assertThat(idle.line(i + 1)).contains(",\"reason\":\"" + keys[i] + "\",");
            }
        }
    }

    /** By default no client learns how its messages are read. */
    @Test
    void aPlainListenerTellsTheLogAlone() throws IOException {
        AccessLogFile plain = new AccessLogFile(directory.resolve("plain.log"));
        try (Sidecar other = Sidecar.start(Setup.before(backend).process(plain.setting()));
                RawClient client = other.client()) {
            RawResponse response =
                    client.send("GET a HTTP/1.1\r\n" + HOST + "\r\n").response();
            assertThat(response.field("Remora-Reason")).isNull();
            assertThat(response.bodyText()).isEqualTo("The request is not valid HTTP.\n");
            assertThat(plain.line(1)).contains("\"reason\":\"target\"");
        }
    }

    /** Names that only HTTP/2 has are {@code Http2RuleNamesIT}'s, and a request that is cut short has a test of its own. */
    @Test
    void everyNameIsTested() throws IOException {
        Set<String> tested = new TreeSet<>(Set.of("cut-short"));
        Stream.concat(requests(), responses()).forEach(row -> tested.add((String) row.get()[0]));
        tested.addAll(Set.of(
                "host-differs",
                "length-differs",
                "pseudo-field",
                "connection-field",
                "end-of-stream",
                "connect-content",
                "http2-frames"));
        assertThat(tested).isEqualTo(namesOnThePage());
    }

    private static Set<String> namesOnThePage() throws IOException {
        Pattern row = Pattern.compile("^\\| `([a-z0-9-]+)` \\|", Pattern.MULTILINE);
        Set<String> names = new TreeSet<>();
        Matcher rows = row.matcher(Files.readString(Path.of("..", "..", "docs", "http-conformance.md")));
        while (rows.find()) {
            names.add(rows.group(1));
        }
        return names;
    }
}
