package io.remora.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.FreePort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Sidecars;
import io.remora.warmupkeys.WarmUpConfig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Requests of the sidecar's own before it is ready: made, bounded in time, and nowhere to be seen afterwards. */
final class WarmUpIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    @TempDir
    private Path directory;

    private static String page(SidecarProcess sidecar, String page) throws IOException {
        try (RawClient admin = sidecar.adminClient()) {
            return admin.send("GET " + page + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .bodyText();
        }
    }

    private static void answers(SidecarProcess sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            assertThat(client.send(SeamStand.GET).response().bodyText()).isEqualTo("ok");
        }
    }

    private SidecarProcess start(Setup setup) throws IOException {
        return SidecarProcess.start(directory, List.of(), List.of(), setup);
    }

    private static String warm(String keys) {
        return "log-level: info\nwarm-up: { " + keys + " }";
    }

    @Test
    void isInNoMetricAndNoLog() throws IOException {
        Path access = directory.resolve("access.log");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = start(Setup.before(backend)
                        .process(warm("requests: 120") + "\naccess-log: { output: " + access + " }"))) {
            String log = sidecar.log();
            assertThat(log).contains("warm-up: 120 requests in ");
            assertThat(log.indexOf("warm-up: 120")).isLessThan(log.indexOf(" ready; admin on"));
            assertThat(log).doesNotContain("listener warm-up").doesNotContain("WARN");
            assertThat(backend.requests()).isEmpty();
            assertThat(page(sidecar, "/metrics"))
                    .doesNotContain("warm-up")
                    .contains("remora_exchanges_started_total{listener=\"test\"} 0");
            assertThat(page(sidecar, "/clusters")).doesNotContain("warm-up");
            answers(sidecar);
            sidecar.endsWell();
            assertThat(access).content().hasLineCount(1);
        }
    }

    @Test
    void isOverWhenItsTimeIs() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar =
                        start(Setup.before(backend).process(warm("requests: 100000, timeout: 300ms")))) {
            assertThat(sidecar.log())
                    .contains("WARN warm-up by HTTP/1.1 ended after ")
                    .contains("its time is over");
            answers(sidecar);
            sidecar.endsWell();
        }
    }

    // ---- whatever listeners take

    /** Clients need no certificate for it, although the listener's do. */
    @Test
    void speaksWhatListenersDo() throws IOException {
        String protection =
                TLS.pki().listener("client-certificates: required, " + TLS.pki().trust("ca"), "server");
        Path loaded = directory.resolve("loaded.txt");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory,
                        List.of(),
                        List.of("-Xlog:class+load:file=" + loaded),
                        Setup.before(backend)
                                .process(warm("requests: 15, timeout: 60s"))
                                // a busy machine may take longer than the second of the default
                                .cluster("timeouts: { connect: 30s }")
                                .listener(protection + "\nprotocol: auto"))) {
            assertThat(sidecar.log())
                    .contains("warm-up: 30 requests in ")
                    .doesNotContain("WARN warm-up")
                    .doesNotContain("insecure-skip-verification");
            assertThat(loaded)
                    .content()
                    .contains("io.remora.http2.Http2FrontendConnection")
                    .contains("io.remora.tls.TlsHandshake");
            assertThat(backend.requests()).isEmpty();
            assertThat(page(sidecar, "/metrics")).doesNotContain("warm-up");
            sidecar.endsWell();
        }
    }

    @Test
    void takesPartInPlainHttp2() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = start(Setup.before(backend)
                        .process(warm("requests: 60, timeout: 60s"))
                        .listener("protocol: http2"))) {
            assertThat(sidecar.log()).contains("warm-up: 60 requests in ").doesNotContain("WARN");
            sidecar.endsWell();
        }
    }

    /** Nobody else has to answer. */
    @Test
    void needsNoAdminListenerOnAPort() throws Exception {
        Path admin = directory.resolve("admin.sock");
        String yaml = Setup.at(1)
                .process(warm("requests: 30"))
                .yaml()
                .replace("127.0.0.1:0\" }\n", "unix:" + admin + "\" }\n");
        try (Proxy proxy = Proxy.start(read(yaml))) {
            assertThat(proxy.ready()).isTrue();
            String metrics = Command.run(
                            directory, "curl", "-s", "--unix-socket", admin.toString(), "http://localhost/metrics")
                    .good();
            assertThat(metrics).contains("remora_ready 1").doesNotContain("warm-up");
        }
    }

    // ---- requests that go on

    /** They pass the routes of a listener that lets nobody in, and count for nothing. */
    @Test
    void makesTheGetsThatAreNamed() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = start(Setup.before(backend)
                        .process(warm(
                                "requests: 20, timeout: 60s, gets: [{ path: \"/a?b=1\", host: app.test, times: 7 },"
                                        + " { path: /none, times: 3 }]"))
                        .listener("clients: { deny: [\"0.0.0.0/0\"] }\nrate-limits: [{ rate: 1/m }]"))) {
            assertThat(sidecar.log()).contains("warm-up: 30 requests in ").doesNotContain("WARN");
            List<RawRequest> requests = backend.requests();
            assertThat(requests).hasSize(10);
            assertThat(requests.get(0).target()).isEqualTo("/a?b=1");
            assertThat(requests.get(0).field("Host")).isEqualTo("app.test");
            assertThat(requests.get(0).field("User-Agent")).isEqualTo("remora-warm-up");
            assertThat(requests.get(9).field("Host")).isEqualTo("localhost");
            assertThat(page(sidecar, "/metrics"))
                    .contains("remora_exchanges_started_total{listener=\"test\"} 0")
                    .doesNotContain("warm-up");
            sidecar.endsWell();
        }
    }

    /** Neither is an endpoint out of use afterwards that was not there yet, nor is the sidecar not ready. */
    @Test
    void tellsOfGetsThatFail() throws IOException {
        try (RecordingBackend backend =
                        RecordingBackend.start().reply("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
                SidecarProcess sidecar = start(Setup.before(backend)
                        .process(warm("requests: 20, timeout: 60s, gets: [{ path: /busy, times: 5 }]"))
                        .cluster("accrual: { consecutive-failures: 1 }"))) {
            assertThat(sidecar.log())
                    .contains("WARN warm-up by GET /busy of localhost on listener test ended after 20 requests")
                    .contains("a response is 503")
                    .contains(" ready; admin on");
            backend.replyOk();
            answers(sidecar);
            assertThat(page(sidecar, "/clusters")).doesNotContain("ejected");
            sidecar.endsWell();
        }
    }

    // ---- what else happens meanwhile

    @Test
    void leavesALevelThatIsChangedMeanwhile() throws IOException {
        int port = FreePort.next();
        String yaml = Setup.at(1)
                .process(warm("requests: 100000, timeout: 3s"))
                .yaml()
                .replace("admin: { address: \"127.0.0.1:0\" }", "admin: { address: \"127.0.0.1:" + port + "\" }");
        Path file = Files.writeString(directory.resolve("level.yaml"), yaml);
        try (Sidecars sidecars = new Sidecars(directory)) {
            SidecarProcess one = sidecars.start(file);
            String url = "http://127.0.0.1:" + port + "/log-level";
            Await.until(
                    "its admin listener",
                    () -> Command.run(directory, "curl", "-s", "-f", "-X", "POST", "-d", "debug", url)
                                    .status()
                            == 0);
            assertThat(one.log()).doesNotContain(" ready; admin on");
            one.awaitLog(" ready; admin on");
            assertThat(Command.run(directory, "curl", "-s", url).good()).startsWith("level: debug\n");
        }
    }

    @Test
    void endsWithTheProcess() throws IOException {
        try (Sidecars sidecars = new Sidecars(directory)) {
            String yaml = sidecars.yaml(warm("requests: 100000, timeout: 50s") + "\n");
            SidecarProcess one = sidecars.start(yaml);
            Await.until(
                    "its admin listener",
                    () -> Command.run(directory, "curl", "-s", "http://127.0.0.1:" + sidecars.adminPort + "/live")
                                    .status()
                            == 0);
            long startNs = System.nanoTime();
            one.process().destroy();
            assertThat(one.status()).as(one.log()).isZero();
            assertThat(System.nanoTime() - startNs).isLessThan(40_000_000_000L);
            assertThat(sidecars.unix()).doesNotExist();
        }
    }

    /** One that drains never becomes ready, and takes nothing over. */
    @Test
    void leavesADrainAsItIs() throws IOException {
        try (Sidecars sidecars = new Sidecars(directory)) {
            SidecarProcess old = sidecars.start(sidecars.yaml("")).awaitReady();
            int port = FreePort.next();
            String slow = sidecars.yaml(warm("requests: 100000, timeout: 4s") + "\n")
                    .replace("127.0.0.1:" + sidecars.adminPort, "127.0.0.1:" + port);
            SidecarProcess next = sidecars.start(slow, "--takeover");
            String url = "http://127.0.0.1:" + port + "/drain";
            Await.until(
                    "its admin listener",
                    () -> Command.run(directory, "curl", "-s", "-f", "-X", "POST", url)
                                    .status()
                            == 0);
            next.awaitLog("takeover: ending before ready; the running process keeps its sockets");
            assertThat(next.log()).doesNotContain(" ready; admin on");
            assertThat(sidecars.ask(sidecars.port, "/").bodyText()).isEqualTo("ok");
            next.process().destroy();
            assertThat(next.status()).as(next.log()).isZero();
            assertThat(next.log()).doesNotContain(" ready; admin on");
            assertThat(sidecars.curl(sidecars.unix(), "/")).isEqualTo("ok");
            assertThat(old.process().isAlive()).as(old.log()).isTrue();
        }
    }

    @Test
    void isShownAsItIsRead() throws Exception {
        String yaml = Setup.at(1).process("warm-up: {}").yaml();
        ProxyConfig config = read(yaml);
        assertThat(config.options().get(WarmUpConfig.WARM_UP)).isNotNull();
        assertThat(ConfigText.render(config)).contains("warm-up:\n  requests: 2000\n  timeout: 10s\n");
        assertThat(read(ConfigText.render(config))).isEqualTo(config);
        ProxyConfig gets = read(Setup.at(1)
                .process("warm-up: { gets: [{ path: /a }, { path: \"/b?c\", host: \"h:1\", times: 2 }] }")
                .yaml());
        assertThat(gets.options().get(WarmUpConfig.WARM_UP)).isNotNull();
        assertThat(read(ConfigText.render(gets))).isEqualTo(gets);
    }

    private static ProxyConfig read(String yaml) throws Exception {
        return ConfigReader.read(
                "test.yaml",
                new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                new FeatureList());
    }
}
