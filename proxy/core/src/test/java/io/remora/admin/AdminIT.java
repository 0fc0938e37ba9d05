package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.Address;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import io.remora.log.Log;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.PrometheusLint;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.transport.Handshake;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the operator's pages say, asked for over sockets. */
final class AdminIT {
    private final TestControl control = TestControl.onLoopback();
    private final LogLevel levelBefore = Log.level();
    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.start(control, Handshake.NONE);
    }

    @AfterEach
    void stop() {
        server.close();
        Log.level(levelBefore);
    }

    @Test
    void liveFromTheStartAndReadyWhenTheProxyIs() throws IOException {
        assertThat(get("/live").status()).isEqualTo(200);
        assertThat(get("/ready").status()).isEqualTo(503);
        control.ready = true;
        assertThat(get("/ready").bodyText()).isEqualTo("ready\n");
        control.ready = false;
        assertThat(get("/ready?verbose").bodyText()).isEqualTo("not ready\n");
    }

    /** A client that opens many connections loses its own. */
    @Test
    void connectionsOfOneAddressLeaveOthersTheirs() throws IOException {
        String live = "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n";
        List<RawClient> many = new ArrayList<>();
        try (RawClient other = RawClient.connectFrom("127.0.0.2", server.address())) {
            assertThat(other.send(live).response().status()).isEqualTo(200);
            for (int i = 0; i < 2 * AdminConfig.MAX_CONNECTIONS; i++) {
                many.add(RawClient.connect(server.address()));
            }
            assertThat(many.get(0).closedByPeer()).isTrue();
            assertThat(other.send(live).response().status()).isEqualTo(200);
            assertThat(many.get(many.size() - 1).send(live).response().status()).isEqualTo(200);
        } finally {
            many.forEach(RawClient::close);
        }
    }

    @Test
    void metricsPassTheLinter() throws IOException {
        control.listener.add(ListenerMetric.EXCHANGES_STARTED, 7);
        control.listener.record(ListenerMetric.PROXY_TIME, 123_456);
        RawResponse response = get("/metrics");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.field("content-type")).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        PrometheusLint lint = PrometheusLint.of(response.bodyText());
        assertThat(lint.problems()).isEmpty();
        assertThat(lint.samples())
                .containsEntry("remora_exchanges_started_total{listener=\"ingress\"}", 7.0)
                .containsEntry("remora_proxy_time_seconds_count{listener=\"ingress\"}", 1.0)
                .containsEntry("remora_ready", 0.0);
        assertThat(lint.samples().get("remora_jvm_direct_memory_max_bytes")).isPositive();
    }

    @Test
    void configAsItWasUnderstood() throws IOException {
        assertThat(get("/config").bodyText()).contains("workers: 1\n").contains("127.0.0.1:8081");
    }

    @Test
    void clustersWithTheirEndpoints() throws IOException {
        assertThat(get("/clusters").bodyText())
                .isEqualTo(
                        "app source=static state=bound known=1\n  127.0.0.1:8081 open=4 idle=3 active=1 exchanges=0 connects=0 connect_failures=2"
                                + " reused=0 pool_exhausted=0 weight=1 zone=- priority=0\n");
    }

    @Test
    void clustersForPrograms() throws IOException {
        String json =
                "{\"clusters\":[{\"name\":\"app\",\"source\":\"static\",\"state\":\"bound\",\"known\":1,\"endpoints\":["
                        + "{\"address\":\"127.0.0.1:8081\",\"open\":4,\"idle\":3,\"active\":1,\"exchanges\":0,\"connects\":0,"
                        + "\"connect_failures\":2,\"reused\":0,\"pool_exhausted\":0,\"weight\":1,\"zone\":\"\",\"priority\":0}]}]}\n";
        RawResponse asked = get("/clusters?format=json");
        assertThat(asked.bodyText()).isEqualTo(json);
        assertThat(asked.field("content-type")).isEqualTo("application/json");
        assertThat(get("/clusters?format=text").field("content-type")).startsWith("text/plain");
    }

    @Test
    void threadsAsTheKernelAndTheJvmKnowThem() throws IOException {
        assertThat(get("/threads").bodyText())
                .startsWith("tid cpu_ms state name\n")
                .containsPattern("\n\\d+ \\d+ [RSD] remora-admin\n")
                .contains("\nRUNNABLE daemon remora-admin\n")
                .doesNotContain("AdminConnection");
        assertThat(get("/threads?stacks=true").bodyText())
                .contains("io.remora.admin.AdminConnection.")
                .containsPattern("\nremora-admin tid=\\d+ cpu_ms=\\d+\n  ");
    }

    /** The kernel keeps the beginning of a name only. */
    @Test
    void threadsThatTheKernelNamesAlikeHaveNoFigures() throws Exception {
        List<String> names = List.of("qz-a-name-that-is-long-1", "qz-a-name-that-is-long-2", "qz-another-long-name");
        CountDownLatch begun = new CountDownLatch(names.size());
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (String name : names) {
            Thread thread = new Thread(() -> rest(begun, end), name);
            threads.add(thread);
            thread.start();
        }
        begun.await();
        try {
            assertThat(get("/threads?stacks=true").bodyText())
                    .contains("\nqz-a-name-that-is-long-1\n", "\nqz-a-name-that-is-long-2\n")
                    .containsPattern("\nqz-another-long-name tid=\\d+ cpu_ms=\\d+\n");
        } finally {
            end.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void rest(CountDownLatch begun, CountDownLatch end) {
        begun.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void memoryByKind() throws IOException {
        assertThat(get("/memory").bodyText())
                .contains("rss_anon_bytes ", "rss_file_bytes ", "rss_peak_bytes ", "heap_used_bytes ")
                .contains("metaspace_used_bytes ", "code_cache_", "direct_used_bytes ");
    }

    @Test
    void latencyLogTellsAnIntervalOnce() throws IOException {
        control.listener.record(ListenerMetric.TOTAL_TIME, 5_000_000);
        assertThat(exchange("HEAD /latency.hlog HTTP/1.1\r\nHost: localhost\r\n\r\n", "HEAD")
                        .status())
                .isEqualTo(200);
        get("/metrics");
        assertThat(totalsLogged()).isEqualTo(1);
        assertThat(totalsLogged()).isZero();
        control.listener.record(ListenerMetric.TOTAL_TIME, 5_000_000);
        control.listener.record(ListenerMetric.TOTAL_TIME, 5_000_000);
        assertThat(totalsLogged()).isEqualTo(2);
    }

    private long totalsLogged() throws IOException {
        String text = get("/latency.hlog").bodyText();
        HistogramLogReader reader =
                new HistogramLogReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
        while (reader.hasNext()) {
            EncodableHistogram interval = reader.nextIntervalHistogram();
            if (interval.getTag().equals("ingress.total")) {
                return ((Histogram) interval).getTotalCount();
            }
        }
        throw new AssertionError(text);
    }

    @Test
    void theIndexNamesEveryPage() throws IOException {
        String index = get("/").bodyText();
        for (String line : index.split("\n")) {
            String[] words = line.split(" +");
            String method = words[0].equals("GET") ? "GET" : "OPTIONS";
            int expected = words[0].equals("GET") ? 200 : 405;
            if (!words[1].equals("/ready")) {
                assertThat(exchange(method + " " + words[1] + " HTTP/1.1\r\nHost: localhost\r\n\r\n", method)
                                .status())
                        .as(line)
                        .isEqualTo(expected);
            }
        }
        assertThat(index.split("\n")).hasSize(21);
    }

    @Test
    void aReloadIsAnsweredWhenItHasEnded() throws IOException {
        assertThat(post("/reload", "").bodyText()).isEqualTo("reloaded\n");
        control.reloadStatus = 422;
        RawResponse refused = post("/reload", "");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(get("/config").bodyText())
                .startsWith(
                        "# generation 2, since 1970-01-01T00:00:01.000Z\n"
                                + "# the last reload, 1970-01-01T00:00:03.000Z:\n#   refused:\n#   first\n#   second\nworkers: 1\n");
    }

    @ParameterizedTest
    @CsvSource({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "get"})
    void aMutationNeedsAPost(String method) throws IOException {
        for (String path : new String[] {"/drain", "/reload", "/shutdown"}) {
            RawResponse response = exchange(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", method);
            assertThat(response.status()).isEqualTo(405);
            assertThat(response.field("allow")).isEqualTo("POST");
        }
        assertThat(control.drains).hasValue(0);
        assertThat(control.shutdowns).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({"PUT", "DELETE", "OPTIONS", "get"})
    void theLogLevelIsReadOrPosted(String method) throws IOException {
        RawResponse response = exchange(method + " /log-level?level=error HTTP/1.1\r\nHost: localhost\r\n\r\n", method);
        assertThat(response.status()).isEqualTo(405);
        assertThat(response.field("allow")).isEqualTo("GET, HEAD, POST");
        assertThat(Log.level()).isEqualTo(levelBefore);
    }

    @Test
    void aComponentHasALevelOfItsOwn() throws IOException {
        assertThat(post("/log-level?level=warn", "").status()).isEqualTo(200);
        assertThat(post("/log-level?component=tls&level=debug", "").bodyText()).isEqualTo("tls debug\n");
        assertThat(post("/log-level?component=netty", "error").bodyText()).isEqualTo("netty error\n");
        assertThat(get("/log-level?level=error").bodyText())
                .isEqualTo("level: warn\ncomponents:\n  process: warn\n  listener: warn\n  cluster: warn\n"
                        + "  tls: debug\n  memory: warn\n  netty: error\n  finagle: warn\n");
        assertThat(Log.enabled(LogComponent.TLS, LogLevel.DEBUG)).isTrue();
        assertThat(Log.enabled(LogComponent.CLUSTER, LogLevel.INFO)).isFalse();
        for (String wrong : new String[] {"component=TLS&level=info", "component=nobody&level=info", "component=tls"}) {
            assertThat(post("/log-level?" + wrong, "").status()).as(wrong).isEqualTo(400);
        }
        assertThat(post("/log-level?component=nobody&level=info", "").bodyText())
                .isEqualTo("the component is one of process, listener, cluster, tls, memory, netty, finagle\n");
        assertThat(Log.level(LogComponent.TLS)).isEqualTo(LogLevel.DEBUG);
        // that of the whole is that of each
        assertThat(post("/log-level", "info").bodyText()).isEqualTo("info\n");
        assertThat(get("/log-level").bodyText()).doesNotContain("debug", "error", "warn");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/live",
                "/ready",
                "/metrics",
                "/config",
                "/clusters",
                "/dashboard",
                "/threads",
                "/memory",
                "/latency.hlog"
            })
    void aPageTakesNoPost(String path) throws IOException {
        RawResponse response = post(path, "");
        assertThat(response.status()).isEqualTo(405);
        assertThat(response.field("allow")).isEqualTo("GET, HEAD");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nothing", "/live/", "/LIVE", "//live", "/drain/x", "/metrics%20"})
    void whatIsNotThereIs404(String path) throws IOException {
        assertThat(get(path).status()).isEqualTo(404);
        assertThat(post(path, "").status()).isEqualTo(404);
    }

    @Test
    void anOutcomeAfterTheEndIsDropped() throws Exception {
        control.mayReload = new CountDownLatch(1);
        try (RawClient client = RawClient.connect(server.address())) {
            client.send("POST /reload HTTP/1.1\r\nHost: localhost\r\n\r\n");
            Await.until("the reload has begun", () -> control.reloading != null);
            server.close();
            control.mayReload.countDown();
            control.reloading.join();
            assertThat(control.reloadFailure).isNull();
        }
    }

    @Test
    void drainAndShutdown() throws IOException {
        assertThat(post("/drain", "").status()).isEqualTo(202);
        assertThat(control.drains).hasValue(1);
        assertThat(control.shutdowns).hasValue(0);
        assertThat(post("/shutdown", "").status()).isEqualTo(202);
        assertThat(control.shutdowns).hasValue(1);
    }

    @Test
    void logLevelByBodyOrByQuery() throws IOException {
        assertThat(post("/log-level", "debug\n").bodyText()).isEqualTo("debug\n");
        assertThat(Log.level()).isEqualTo(LogLevel.DEBUG);
        assertThat(post("/log-level?level=warn", "").status()).isEqualTo(200);
        assertThat(Log.level()).isEqualTo(LogLevel.WARN);
        assertThat(exchange(
                                "POST /log-level HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        + "2\r\ner\r\n3\r\nror\r\n0\r\n\r\n",
                                "POST")
                        .status())
                .isEqualTo(200);
        assertThat(Log.level()).isEqualTo(LogLevel.ERROR);
        for (String wrong : new String[] {"", "DEBUG", "loud", "debug warn"}) {
            assertThat(post("/log-level", wrong).status()).isEqualTo(400);
        }
        assertThat(Log.level()).isEqualTo(LogLevel.ERROR);
    }

    @Test
    void aBodyMayWaitForThe100() throws IOException {
        try (RawClient client = RawClient.connect(server.address())) {
            client.send(
                    "POST /log-level HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
            assertThat(client.responseHead().status()).isEqualTo(100);
            client.send("warn");
            assertThat(client.response().status()).isEqualTo(200);
        }
        assertThat(Log.level()).isEqualTo(LogLevel.WARN);
    }

    @Test
    void headIsGetWithoutTheBody() throws IOException {
        try (RawClient client = RawClient.connect(server.address())) {
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
            RawResponse get = client.response();
            client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
            RawResponse head = client.response("HEAD");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.field("content-length")).isEqualTo(get.field("content-length"));
            assertThat(head.field("date")).endsWith(" GMT").hasSize(29);
            client.send("GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(client.response().bodyText()).isEqualTo("live\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "evil.example, 403",
        "evil.example:9990, 403",
        "127.0.0.1.evil.example, 403",
        // none, and what is no host at all (RFC 9112 3.2)
        "'', 400",
        "[::1].evil.example, 400",
    })
    void aNameThatIsNotLocalhostIsRefused(String host, int status) throws IOException {
        for (String line : new String[] {"GET /live", "POST /shutdown"}) {
            assertThat(exchange(line + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n", "GET")
                            .status())
                    .isEqualTo(status);
        }
        assertThat(exchange("GET http://" + host + "/live HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET")
                        .status())
                .isEqualTo(status);
        assertThat(control.shutdowns).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1:9990", "10.0.0.7", "[::1]:9990"})
    void anAddressOrLocalhostIsAnswered(String host) throws IOException {
        assertThat(exchange("GET /live HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "GET")
                        .status())
                .isEqualTo(200);
        assertThat(exchange("GET http://" + host + "/live HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void oneHostFieldIsNeeded() throws IOException {
        assertThat(exchange("GET /live HTTP/1.1\r\n\r\n", "GET").status()).isEqualTo(400);
        assertThat(exchange("GET /live HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "GET")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aWebPageMayNotMutate() throws IOException {
        assertThat(exchange(
                                "POST /shutdown HTTP/1.1\r\nHost: 127.0.0.1:9990\r\nOrigin: http://evil.example\r\n"
                                        + "Content-Length: 0\r\n\r\n",
                                "POST")
                        .status())
                .isEqualTo(403);
        assertThat(control.shutdowns).hasValue(0);
    }

    @Test
    void healthServesTwoPagesToAnyHost() throws IOException {
        InetSocketAddress health = server.healthAddress();
        control.ready = true;
        for (String version :
                new String[] {"1.1\r\nHost: pod.example\r\n", "1.1\r\nHost: 10.1.2.3:8086\r\n", "1.0\r\n"}) {
            for (String page : new String[] {"/live", "/ready"}) {
                assertThat(exchange(health, "GET " + page + " HTTP/" + version + "\r\n", "GET")
                                .status())
                        .isEqualTo(200);
            }
        }
        for (String page : new String[] {"/", "/metrics", "/config", "/threads", "/drain", "/shutdown", "/log-level"}) {
            for (String method : new String[] {"GET", "POST"}) {
                String request = method + " " + page + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
                assertThat(exchange(health, request, method).status()).isEqualTo(404);
            }
        }
        assertThat(exchange(health, "POST /live HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", "POST")
                        .status())
                .isEqualTo(405);
        control.ready = false;
        assertThat(exchange(health, "GET /ready HTTP/1.1\r\nHost: h\r\n\r\n", "GET")
                        .status())
                .isEqualTo(503);
    }

    @Test
    void anAddressOutsideLoopbackNeedsPermission() throws IOException {
        Address any = new Address("0.0.0.0", 0);
        assertThatThrownBy(() -> AdminServer.start(new TestControl(any, false, null), Handshake.NONE))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("0.0.0.0:0")
                .hasMessageContaining("admin.allow-remote");
        AdminServer remote = AdminServer.start(new TestControl(any, true, null), Handshake.NONE);
        try {
            InetSocketAddress local =
                    new InetSocketAddress("127.0.0.1", remote.address().getPort());
            assertThat(exchange(local, "GET /live HTTP/1.1\r\nHost: 10.1.2.3\r\n\r\n", "GET")
                            .status())
                    .isEqualTo(200);
            assertThat(exchange(local, "GET /live HTTP/1.1\r\nHost: pod.example\r\n\r\n", "GET")
                            .status())
                    .isEqualTo(403);
            assertThat(remote.healthAddress()).isNull();
        } finally {
            remote.close();
        }
    }

    @Test
    void aPortInUseIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Address address = new Address("127.0.0.1", taken.getLocalPort());
            assertThatThrownBy(() -> AdminServer.start(new TestControl(address, false, null), Handshake.NONE))
                    .isInstanceOf(BindException.class)
                    .hasMessage("admin: " + address + ": Address already in use");
            assertThatThrownBy(() -> AdminServer.start(
                            new TestControl(new Address("127.0.0.1", 0), false, address), Handshake.NONE))
                    .isInstanceOf(BindException.class)
                    .hasMessage("health: " + address + ": Address already in use");
        }
    }

    @Test
    void aHostWithoutAddressIsNamed() {
        assertThatThrownBy(() -> AdminServer.start(
                        new TestControl(new Address("no-such-host.invalid", 1), false, null), Handshake.NONE))
                .isInstanceOf(BindException.class)
                .hasMessage("admin: no-such-host.invalid:1: no such host");
    }

    private RawResponse get(String target) throws IOException {
        return exchange("GET " + target + " HTTP/1.1\r\nHost: localhost:9990\r\n\r\n", "GET");
    }

    private RawResponse post(String target, String body) throws IOException {
        return exchange(
                "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n\r\n"
                        + body,
                "POST");
    }

    private RawResponse exchange(String request, String method) throws IOException {
        return exchange(server.address(), request, method);
    }

    private static RawResponse exchange(InetSocketAddress address, String request, String method) throws IOException {
        try (RawClient client = RawClient.connect(address)) {
            return client.send(request).response(method);
        }
    }
}
