package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Users' filters: what they may do acts on the wire, and what they may not do ends in their own exchange. */
final class FiltersIT {
    private static final String TESTS = TestFilters.class.getName() + '$';
    private static final String STREAMED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n";

    @TempDir
    private static Path directory;

    private static Path jars;

    private final RecordingBackend backend = RecordingBackend.start();

    @BeforeAll
    static void compile() throws IOException {
        jars = FilterJar.example(directory);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private static String plugins(String... names) {
        return "plugins: {directory: \"" + jars + "\", filters: [\"" + String.join("\", \"", names) + "\"]}\n";
    }

    private Sidecar with(String... filters) {
        return Sidecar.start(setup("engine: finagle\n" + plugins(filters)));
    }

    private Setup setup(String process) {
        return Setup.before(backend).process("log-level: error\n" + process);
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n";
    }

    private static String post(String path) {
        return "POST " + path + " HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";
    }

    private static RawResponse ask(Sidecar sidecar, String request) throws IOException {
        try (RawClient client = sidecar.client()) {
            return client.send(request).response(request.substring(0, request.indexOf(' ')));
        }
    }

    private static void isInternal(RawResponse response) {
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.field("Remora-Error")).isEqualTo("internal");
    }

    private String received() {
        return new String(backend.received(), StandardCharsets.ISO_8859_1);
    }

    // ---- what they are for

    @Test
    void runsTheExample() throws IOException {
        try (Sidecar sidecar = with("org.example.TenantFilter");
                RawClient client = sidecar.client()) {
            RawResponse refused = client.send(get("/")).response();
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.bodyText()).isEqualTo("no tenant\n");
            assertThat(backend.connections()).isEmpty();

            RawResponse passed = client.send("GET / HTTP/1.1\r\nHost: app\r\nX-Tenant: a\r\n\r\n")
                    .response();
            assertThat(passed.status()).isEqualTo(200);
            assertThat(passed.bodyText()).isEqualTo("ok");
            assertThat(passed.field("X-Endpoint-Status")).isEqualTo("200");
            assertThat(received()).contains("\r\nX-Tenant: a\r\n", "\r\nX-Checked-By: tenant-filter\r\n");
        }
    }

    @Test
    void takesThemInTheOrderGiven() throws IOException {
        try (Sidecar sidecar = with(TESTS + "First", TESTS + "Second")) {
            ask(sidecar, get("/"));
        }
        assertThat(received()).contains("X-Order: first\r\nX-Order: second\r\n");
    }

    @Test
    void letsThemWorkOnThreadsOfTheirOwn() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Elsewhere");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(get("/")).response().bodyText()).isEqualTo("ok");
                assertThat(client.send(post("/")).response().bodyText()).isEqualTo("ok");
            }
        }
        assertThat(received()).contains("\r\nX-Thread: another\r\n");
        assertThat(backend.connections()).hasSize(1);
    }

    // ---- what they must not break

    @ParameterizedTest
    @ValueSource(strings = {"/throws", "/links", "/nothing", "/fails", "/later"})
    void answersForAFilterThatFails(String path) throws IOException {
        try (Sidecar sidecar = with(TESTS + "Failing")) {
            isInternal(ask(sidecar, get(path)));
            isInternal(ask(sidecar, post(path)));
            assertThat(ask(sidecar, get("/")).bodyText()).isEqualTo("ok");
        }
    }

    @Test
    void waitsForAFilterAsLongAsForAnEndpoint() throws IOException {
        try (Sidecar sidecar = Sidecar.start(setup("engine: finagle\n" + plugins(TESTS + "Failing"))
                .cluster("timeouts: {response-header: 100ms}"))) {
            assertThat(ask(sidecar, get("/never")).status()).isEqualTo(504);
            assertThat(ask(sidecar, get("/")).bodyText()).isEqualTo("ok");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/crlf", "/wide", "/name", "/target", "/head", "/other"})
    void sendsNothingThatIsNoRequest(String path) throws IOException {
        try (Sidecar sidecar = with(TESTS + "Changing")) {
            isInternal(ask(sidecar, get(path)));
            assertThat(backend.received()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/framing", "/unframed"})
    void framesRequestsAsTheyCame(String path) throws IOException {
        try (Sidecar sidecar = with(TESTS + "Changing");
                RawClient client = sidecar.client()) {
            for (String request : new String[] {get(path), post(path), get(path)}) {
                assertThat(client.send(request).response().bodyText()).isEqualTo("ok");
            }
        }
        assertThat(backend.connections()).hasSize(1);
        assertThat(backend.requests()).hasSize(3);
        assertThat(backend.requests().get(1).bodyText()).isEqualTo("hello");
        assertThat(received()).contains("\r\nHost: app\r\n").doesNotContain(": 77\r\n", "chunked");
    }

    @Test
    void sendsWhatFiltersMayChange() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Changing");
                RawClient client = sidecar.client()) {
            for (String request : new String[] {get("/moved"), post("/put"), post("/body"), post("/nobody")}) {
                assertThat(client.send(request).response().bodyText()).isEqualTo("ok");
            }
        }
        assertThat(received()).startsWith("GET /there?a=b HTTP/1.1\r\n").contains("PUT /put HTTP/1.1\r\n");
        assertThat(backend.requests().get(2).bodyText()).isEqualTo("another body");
        assertThat(backend.requests().get(3).bodyText()).isEmpty();
        assertThat(backend.connections()).hasSize(1);
    }

    @Test
    void framesAnAnswerOfAFiltersOwn() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Answering");
                RawClient client = sidecar.client()) {
            RawResponse own = client.send(get("/itself")).response();
            assertThat(own.status()).isEqualTo(403);
            assertThat(own.bodyText()).isEqualTo("mine");
            assertThat(own.field("Content-Length")).isEqualTo("4");
            assertThat(own.field("Transfer-Encoding")).isNull();
            assertThat(own.field("X-Mine")).isEqualTo("yes");
            assertThat(client.send(get("/chunks")).response().bodyText()).isEqualTo("abcd");
            assertThat(client.send(get("/empty")).response().bodyText()).isEmpty();
            assertThat(client.send(get("/no-content")).response().status()).isEqualTo(204);
            assertThat(client.send(get("/not-modified")).response().status()).isEqualTo(304);
            RawResponse head =
                    client.send(get("/itself").replace("GET", "HEAD")).response("HEAD");
            assertThat(head.field("Content-Length")).isEqualTo("4");
            assertThat(client.send(get("/")).response().bodyText()).isEqualTo("ok");
            assertThat(backend.requests()).hasSize(1);
        }
    }

    @Test
    void givesAnAnswerToAClientThatKnowsNoChunks() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Answering");
                RawClient client = sidecar.client()) {
            client.send("GET /chunks HTTP/1.0\r\nHost: app\r\n\r\n");
            assertThat(new String(client.readToEnd(), StandardCharsets.ISO_8859_1))
                    .endsWith("\r\n\r\nabcd");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/early", "/status", "/crlf"})
    void givesNothingThatIsNoResponse(String path) throws IOException {
        try (Sidecar sidecar = with(TESTS + "Answering")) {
            isInternal(ask(sidecar, get(path)));
        }
    }

    /** The client has not sent the body, and learns so that it need not. */
    @Test
    void answersBeforeTheBodyIsThere() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Answering");
                RawClient client = sidecar.client()) {
            client.send(
                    "POST /itself HTTP/1.1\r\nHost: app\r\nContent-Length: 100000000\r\n\r\n" + "a".repeat(100_000));
            assertThat(client.response().bodyText()).isEqualTo("mine");
            assertThat(backend.connections()).isEmpty();
        }
    }

    /** What is dropped keeps no connection, and there is one. */
    @ParameterizedTest
    @CsvSource({"/beside, 403, beside", "/instead, 502, was 200"})
    void endsAResponseThatAFilterDrops(String path, int status, String body) throws IOException {
        backend.onRequest(connection ->
                connection.write(connection.readRequest().target().equals("/") ? RecordingBackend.OK : STREAMED));
        Setup one = setup("engine: finagle\n" + plugins(TESTS + "Answering")).cluster("max-connections: 1");
        try (Sidecar sidecar = Sidecar.start(one)) {
            for (int i = 0; i < 3; i++) {
                RawResponse response = ask(sidecar, get(path));
                assertThat(response.status()).isEqualTo(status);
                assertThat(response.bodyText()).isEqualTo(body);
                assertThat(ask(sidecar, get("/")).bodyText()).isEqualTo("ok");
            }
        }
    }

    @Test
    void keepsTheConnectionOfAWholeResponseThatAFilterDrops() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Answering");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(get("/instead")).response().bodyText()).isEqualTo("was 200");
            }
        }
        assertThat(backend.connections()).hasSize(1);
    }

    @Test
    void framesAResponseThatAFilterChanges() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Rewriting");
                RawClient client = sidecar.client()) {
            RawResponse missing = client.send(get("/404")).response();
            assertThat(missing.status()).isEqualTo(404);
            assertThat(missing.bodyText()).isEqualTo("ok");
            assertThat(client.send(get("/204")).response().status()).isEqualTo(204);
            assertThat(client.send(get("/longer")).response().bodyText()).isEqualTo("a longer body than it was");
            assertThat(client.send(get("/none")).response().bodyText()).isEmpty();
            assertThat(client.send(get("/framing")).response().bodyText()).isEqualTo("ok");
        }
        assertThat(backend.connections()).hasSize(1);
    }

    @Test
    void framesAStreamThatAFilterChanges() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(STREAMED);
            connection.write("2\r\nef\r\n0\r\n\r\n");
        });
        try (Sidecar sidecar = with(TESTS + "Rewriting");
                RawClient client = sidecar.client()) {
            RawResponse missing = client.send(get("/404")).response();
            assertThat(missing.status()).isEqualTo(404);
            assertThat(missing.bodyText()).isEqualTo("abcdef");
            assertThat(client.send(get("/204")).response().status()).isEqualTo(204);
            assertThat(client.send(get("/framing")).response().bodyText()).isEqualTo("abcdef");
        }
    }

    @Test
    void givesNoResponseTwice() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Rewriting")) {
            assertThat(ask(sidecar, get("/kept")).bodyText()).isEqualTo("ok");
            isInternal(ask(sidecar, get("/kept")));
        }
    }

    @Test
    void sendsNoBodyTwice() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Twice")) {
            assertThat(ask(sidecar, get("/")).bodyText()).isEqualTo("ok");
            assertThat(backend.requests()).hasSize(2);
            isInternal(ask(sidecar, post("/")));
            isInternal(ask(
                    sidecar, "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"));
        }
    }

    /** As with the default engine, an answer is what its status says, whoever sends the request once more. */
    @Test
    void countsWhatEachAnswerSaysOfItsEndpoint() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(
                    asked.getAndIncrement() == 0
                            ? "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
                            : RecordingBackend.OK);
        });
        try (Sidecar sidecar = with(TESTS + "Insisting")) {
            assertThat(ask(sidecar, get("/")).bodyText()).isEqualTo("ok");
            sidecar.awaitIdle();
            assertThat(outcomes(sidecar, "failure")).isOne();
            assertThat(outcomes(sidecar, "success")).isOne();
            assertThat(outcomes(sidecar, "ignored")).isZero();
        }
        assertThat(backend.connections()).as("none was stale").hasSize(1);
    }

    private static long outcomes(Sidecar sidecar, String outcome) {
        return sidecar.metrics().sum("remora_endpoint_outcomes_total", "outcome", outcome);
    }

    @Test
    void sendsNoRestOfABody() throws IOException {
        try (Sidecar sidecar = with(TESTS + "Reading");
                RawClient client = sidecar.client()) {
            client.send("POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n");
            isInternal(client.response());
            assertThat(backend.received()).isEmpty();
        }
    }

    @Test
    void letsATunnelPass() throws IOException {
        backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi");
            echo(connection);
        });
        try (Sidecar sidecar = with(TESTS + "First");
                RawClient client = sidecar.client()) {
            client.send("GET / HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
            assertThat(client.responseHead().status()).isEqualTo(101);
            client.send("you");
            assertThat(new String(client.read(5), StandardCharsets.ISO_8859_1)).isEqualTo("hiyou");
        }
    }

    private static void echo(BackendConnection connection) {
        try {
            for (int octet = connection.input().read();
                    octet >= 0;
                    octet = connection.input().read()) {
                connection.write(new byte[] {(byte) octet});
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- what is refused

    private static String problems(String plugins) {
        String yaml = "engine: finagle\n" + plugins + """
                listeners:
                  - {name: in, address: "127.0.0.1:1", cluster: app}
                clusters:
                  app: {endpoints: ["127.0.0.1:2"]}
                """;
        try {
            ProxyConfig config = ConfigReader.read(
                    "test.yaml",
                    new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                    Map.of(),
                    new FeatureList());
            new FinagleProvider().check("test.yaml", config);
            return "";
        } catch (ConfigException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void checksThemWithoutRunningThem() {
        assertThat(problems("")).isEmpty();
        assertThat(problems(plugins("org.example.TenantFilter", TESTS + "Unmade")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no.such.Filter       | no class 'no.such.Filter' in the jars of the directory",
                "java.lang.String     | 'java.lang.String' is no filter of HTTP, expected a com.twitter.finagle.Filter",
                "TEST.OfText          | TestFilters$OfText' is no filter of HTTP, expected",
                "TEST.Configured      | TestFilters$Configured' cannot be made, expected a public class with a public",
                "com.twitter.finagle.SimpleFilter | SimpleFilter' ",
            })
    void namesWhatIsNoFilter(String name, String message) {
        assertThat(problems(plugins(name.replace("TEST.", TESTS))))
                .startsWith("test.yaml:2:")
                .contains(": plugins.filters: ", message)
                .hasLineCount(1);
    }

    @Test
    void namesADirectoryThatIsNone() throws IOException {
        Path empty = Files.createDirectories(directory.resolve("empty"));
        assertThat(problems("plugins: {filters: [a.B], directory: /no/such}\n"))
                .startsWith(
                        "test.yaml:2:38: plugins.directory: '/no/such' cannot be read, expected a directory of jars");
        assertThat(problems("plugins: {filters: [a.B], directory: \"" + empty + "\"}\n"))
                .startsWith("test.yaml:2:38: plugins.directory: ")
                .contains("has no jar");
    }

    @Test
    void startsWithNoneThatCannotBeMade() {
        assertThatThrownBy(() -> with(TESTS + "Unmade").close()).hasMessageContaining("not today");
    }
}
