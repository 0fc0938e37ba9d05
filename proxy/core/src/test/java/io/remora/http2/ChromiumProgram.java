package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Certificates;
import io.remora.testkit.Chromium;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.WebSocketPrograms;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page in Chromium, over TLS and HTTP/2 by ALPN, its WebSocket on a stream. {@code scripts/test-websocket} and {@code scripts/test-h2} run it. */
final class ChromiumProgram {
    /** A browser that starts on a busy machine. */
    private static final int PATIENCE_SECONDS = 60;

    private static final String PAGE = """
            <!doctype html><title>page</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">
            <img src="/one.svg" alt=""><img src="/two.svg" alt=""><script src="/page.js"></script>
            """;
    private static final String SVG = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    @TempDir
    Path directory;

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final Semaphore heard = new Semaphore(0);

    // ---- the backend

    private void serve(BackendConnection connection) throws IOException {
        RawRequest request = connection.readRequest();
        switch (request.target()) {
            case "/" -> answer(connection, "text/html", PAGE);
            case "/page.js" -> answer(connection, "text/javascript", script());
            case "/page.css" -> answer(connection, "text/css", "title { color: red }");
            case "/one.svg", "/two.svg" -> answer(connection, "image/svg+xml", SVG);
            case "/upload?octets" -> answer(connection, "text/plain", request.body().length + " octets");
            case "/stream" -> stream(connection);
            case "/heard" -> {
                heard.release();
                answer(connection, "text/plain", "");
            }
            case "/told" -> {
                answer(connection, "text/plain", "");
                told.add(request.bodyText());
            }
            default -> connection.write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        }
    }

    private static void answer(BackendConnection connection, String type, String body) throws IOException {
        connection.write("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body);
    }

    private static String script() throws IOException {
        try (InputStream script = WebSocketPrograms.class.getResourceAsStream("page.js")) {
            return new String(script.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Each piece comes when the page has told that it has the one before. */
    private void stream(BackendConnection connection) throws IOException {
        connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (String piece : List.of("one", "two", "six")) {
            connection.write("3\r\n" + piece + "\r\n");
            connection.waitFor(this::awaitHeard);
        }
        connection.write("0\r\n\r\n");
    }

    private void awaitHeard() {
        try {
            assertThat(heard.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- the page

    private static String yaml(String protocol, AccessLogFile log, int chat) {
        return """
                admin: { address: "127.0.0.1:0" }
                log-level: warn
                LOG
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    protocol: PROTOCOL
                    TLS
                    routes:
                      - { match: { path: /chat }, cluster: chat }
                      - { cluster: app }
                  - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
                clusters:
                  app: { endpoints: ["127.0.0.1:${BACKEND}"] }
                  chat: { endpoints: ["127.0.0.1:CHAT"] }
                  barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
                """.replace("LOG", log.setting())
                .replace("PROTOCOL", protocol)
                .replace("TLS", TLS.pki().listener("", "server"))
                .replace("CHAT", "" + chat);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http2", "auto"})
    void opensAPage(String protocol) throws InterruptedException {
        assumeFalse(Chromium.program().isEmpty(), "chromium is not installed");
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        try (WebSocketPrograms programs = new WebSocketPrograms(directory);
                RecordingBackend backend = RecordingBackend.start().onRequest(this::serve);
                Sidecar sidecar = Sidecar.of(yaml(protocol, log, programs.ws()), backend)) {
            String origin = "localhost:" + sidecar.address().getPort();
            String page;
            try (Chromium browser = new Chromium(directory, TLS.pki().path("server.crt"))) {
                browser.open("https://" + origin + "/");
                page = told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
            assertThat(page)
                    .isNotNull()
                    .contains("upload 300000 octets\n", "stream [one][two][six]\n")
                    .contains("chat hello, and the long one; permessage-deflate; 4000 true\n")
                    .contains("h2 /\n", "h2 /page.css\n", "h2 /page.js\n", "h2 /one.svg\n", "h2 /two.svg\n")
                    .contains("h2 /upload\n", "h2 /stream\n", "h2 /heard\n")
                    .doesNotContain("http/1");
            sawWhatThePageSent(backend.requests(), origin);
            sidecar.awaitIdle();
            assertThat(log.lines(12))
                    .allMatch(line -> line.contains("HTTP/2"))
                    .anyMatch(line -> line.contains("/chat") && line.contains("\"status\":101"));
        }
    }

    private static void sawWhatThePageSent(List<RawRequest> requests, String origin) {
        assertThat(requests).hasSize(11).allMatch(one -> one.field("Via").startsWith("2.0 "));
        assertThat(requests).allMatch(one -> origin.equals(one.field("Host")));
        assertThat(requests).allMatch(one -> "https".equals(one.field("X-Forwarded-Proto")));
        RawRequest upload = requests.stream()
                .filter(one -> one.method().equals("POST") && one.target().equals("/upload?octets"))
                .findFirst()
                .orElseThrow();
        assertThat(upload.bodyText()).isEqualTo("x".repeat(300_000));
        assertThat(upload.field("Origin")).isEqualTo("https://" + origin);
        assertThat(upload.field("Content-Length")).isEqualTo("300000");
    }
}
