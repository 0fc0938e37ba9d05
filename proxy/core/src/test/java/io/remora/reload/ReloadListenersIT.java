package io.remora.reload;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.check.Overrides;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.exchange.ListenerLoop;
import io.remora.feature.FeatureList;
import io.remora.memory.MemoryLimit;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.Stats;
import io.remora.naming.Resolver;
import io.remora.seams.SeamStand;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.FreePort;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.TestEngine;
import io.remora.testkit.TrustingClient;
import io.remora.transport.Acceptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listeners of each kind under a configuration that changes, and what a reload that fails leaves of them. */
@EveryEngine
final class ReloadListenersIT {
    private static final long MIB = 1 << 20;
    private static final int HEADERS = 1;
    private static final int END_STREAM = 1;
    private static final int FRAME_HEAD = 9;

    @TempDir
    private Path directory;

    private final RecordingBackend alpha = RecordingBackend.start().reply(response("alpha"));
    private final RecordingBackend beta = RecordingBackend.start().reply(response("beta"));
    private final Failing seams = new Failing();
    private final Noting files = new Noting();
    private SeamStand stand;

    @AfterEach
    void close() {
        if (stand != null) {
            stand.close();
        }
        alpha.close();
        beta.close();
    }

    private static String response(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** Counts how often what was judged is released. */
    private static final class Noting extends ProcessFiles {
        final AtomicInteger forgotten = new AtomicInteger();

        @Override
        public void forgetJudged() {
            super.forgetJudged();
            forgotten.incrementAndGet();
        }
    }

    /** Has what is to speak on connections fail with an error. */
    private static final class Failing extends Seams {
        final CountDownLatch looking = new CountDownLatch(1);
        final CountDownLatch mayLook = new CountDownLatch(1);
        volatile boolean failing;

        /** As names are looked up that nobody answers for. */
        @Override
        public Resolver resolver(ClusterConfig config, Shared shared) throws IOException {
            if (config.name().equals("slow")) {
                looking.countDown();
                Await.open(mayLook);
            }
            return super.resolver(config, shared);
        }

        @Override
        public Acceptor.Protocol protocol(ListenerLoop listener, Shared shared) {
            if (failing) {
                throw new NoClassDefFoundError("io/remora/none");
            }
            return super.protocol(listener, shared);
        }
    }

    private Path file() {
        return directory.resolve("remora.yaml");
    }

    /** The listener that the stand's clients talk to, with more keys, and more listeners. */
    private String yaml(String cluster, String more, String... listeners) {
        StringBuilder text = new StringBuilder("log-level: warn\nvia: remora\ndrain-idle: 200ms\n");
        text.append("admin: {address: \"127.0.0.1:0\"}\n");
        text.append("listeners:\n  - {name: test, address: \"127.0.0.1:0\", cluster: ");
        text.append(cluster).append(more).append("}\n");
        for (String listener : listeners) {
            text.append("  - {").append(listener).append("}\n");
        }
        return text + "clusters:\n  alpha: {endpoints: [\"127.0.0.1:" + alpha.port() + "\"]}\n"
                + "  beta: {endpoints: [\"127.0.0.1:" + beta.port() + "\"]}\n";
    }

    private void start(String text) throws IOException, ConfigException {
        start(text, null);
    }

    private void start(String text, MemoryLimit limit) throws IOException, ConfigException {
        Files.writeString(file(), text);
        ProxyConfig config = TestEngine.of(ConfigReader.readFile(file().toString(), Map.of(), new FeatureList()));
        MemoryPlan plan = limit == null
                ? Memory.plan(config, files)
                : MemoryPlan.of(limit, config.workers(), Memory.costs(config, files));
        stand = SeamStand.start(seams, files, plan, config);
        stand.proxy().reloadFrom(file().toString(), new Overrides(config.engine(), null, null, null, null));
    }

    private RawResponse reload(String text) throws IOException {
        Files.writeString(file(), text);
        try (RawClient admin = RawClient.connect(stand.proxy().adminAddress())) {
            return admin.send("POST /reload HTTP/1.1\r\n"
                            + "Host: localhost\r\n"
                            + "Content-Length: 0\r\n"
                            + "Connection: close\r\n\r\n")
                    .response();
        }
    }

    private void taken(String text) throws IOException {
        RawResponse response = reload(text);
        assertThat(response.status()).as(response.bodyText()).isEqualTo(200);
    }

    private void refused(String text, String why) throws IOException {
        RawResponse response = reload(text);
        assertThat(response.status()).as(response.bodyText()).isEqualTo(422);
        assertThat(response.bodyText()).contains(why);
        assertThat(stand.metric("remora_config_generation")).isOne();
    }

    // ---- copies of requests

    /** A copy goes with no client's connection, and with its listener all the same: it is cut when the drain's time is over. */
    @Test
    void aCopyEndsWithTheListenerThatMadeIt() throws Exception {
        CountDownLatch copied = new CountDownLatch(1);
        beta.onRequest(connection -> {
            connection.readRequest();
            copied.countDown();
        });
        String mirroring =
                "name: other, address: \"127.0.0.1:0\", routes: [{cluster: alpha, mirror: {cluster: beta, timeout:"
                        + " 60s}}], timeouts: {header-read: 1s}";
        start("drain-timeout: 1s\n" + yaml("alpha", "", mirroring));
        try (RawClient client = RawClient.connect(stand.proxy().address("other"))) {
            assertThat(client.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
        }
        assertThat(copied.await(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)).isTrue();
        taken("drain-timeout: 1s\n" + yaml("alpha", ""));
        // counted for as long as it is under way
        assertThat(stand.page("/metrics")).contains("remora_mirrors_in_flight{listener=\"other\"} 1");
        Await.until("the listener's series end", () -> !stand.page("/metrics").contains("listener=\"other\""));
        assertThat(stand.metric("remora_backend_exchanges_in_flight")).isZero();
    }

    // ---- TLS

    private Pki pki() {
        return new Pki(directory)
                .authority("ca")
                .issue("ca", "one", "DNS:one.test")
                .issue("ca", "two", "DNS:two.test");
    }

    @Test
    void anotherCertificateIsForNewConnections() throws Exception {
        Pki pki = pki();
        start(yaml("alpha", ", " + pki.listener("", "one")));
        try (TrustingClient former = TrustingClient.connect(stand.address())) {
            assertThat(former.names()).contains("one.test");
            assertThat(former.get()).endsWith("alpha");
            taken(yaml("alpha", ", " + pki.listener("", "two")));
            assertThat(former.closedByPeer()).isTrue();
        }
        try (TrustingClient next = TrustingClient.connect(stand.address())) {
            assertThat(next.names()).contains("two.test");
            assertThat(next.get()).endsWith("alpha");
        }
        assertThat(stand.page("/metrics")
                        .lines()
                        .filter(line -> line.startsWith("remora_tls_certificate_expires_seconds{")))
                .hasSize(1);
    }

    @Test
    void tlsIsTurnedOnAndOff() throws Exception {
        Pki pki = pki();
        start(yaml("alpha", ""));
        RawClient plain = stand.client();
        assertThat(plain.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
        taken(yaml("alpha", ", " + pki.listener("", "one")));
        assertThat(plain.closedByPeer()).isTrue();
        try (TrustingClient client = TrustingClient.connect(stand.address())) {
            assertThat(client.get()).endsWith("alpha");
            taken(yaml("beta", ""));
            assertThat(client.closedByPeer()).isTrue();
        }
        assertThat(stand.get("/").bodyText()).isEqualTo("beta");
    }

    /** Its certificates are judged, and so read, at the first look at the file; it would hold them twice. */
    @Test
    void aLookThatFindsNothingNewKeepsNoCertificates() throws Exception {
        start("reload: {watch: true}\n" + yaml("alpha", ", " + pki().listener("", "one")));
        Await.until("what was judged is released", () -> files.forgotten.get() > 0);
        assertThat(stand.metric("remora_config_generation")).isOne();
    }

    // ---- HTTP/2

    /** The next frame, its head before it. */
    private static byte[] frame(RawClient client) throws IOException {
        byte[] head = client.read(FRAME_HEAD);
        int length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | head[2] & 0xff;
        ByteBuffer whole = ByteBuffer.allocate(FRAME_HEAD + length);
        return whole.put(head).put(client.read(length)).array();
    }

    /** What a stream brings until it ends. */
    private static String body(RawClient client, int stream) throws IOException {
        StringBuilder body = new StringBuilder();
        while (true) {
            byte[] frame = frame(client);
            if (frame[8] == stream && frame[3] <= HEADERS) {
                if (frame[3] == 0) {
                    body.append(new String(frame, FRAME_HEAD, frame.length - FRAME_HEAD, StandardCharsets.ISO_8859_1));
                }
                if ((frame[4] & END_STREAM) != 0) {
                    return body.toString();
                }
            }
        }
    }

    // a GET of / from app, from HPACK's own table but for the name
    private static byte[] request(int stream) {
        return new byte[] {
            0, 0, 8, 1, 5, 0, 0, 0, (byte) stream, (byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 3, 'a', 'p', 'p'
        };
    }

    @Test
    void openStreamsStay() throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        alpha.onRequest(connection -> {
            connection.readRequest();
            Await.open(mayAnswer);
            connection.write(response("late"));
        });
        start(yaml("alpha", ", protocol: http2"));
        RawClient client = stand.client();
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").send(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
        client.send(request(1));
        Await.until("the request is at the backend", () -> alpha.received().length > 0);
        taken(yaml("beta", ", protocol: http2, http2: {max-concurrent-streams: 7}"));
        client.send(request(3));
        assertThat(body(client, 3)).isEqualTo("beta");
        mayAnswer.countDown();
        assertThat(body(client, 1)).isEqualTo("late");
        client.send(request(5));
        assertThat(body(client, 5)).isEqualTo("beta");
    }

    // ---- Unix sockets

    private static String overUnix(Path path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
            String request = SeamStand.GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1)));
            ByteBuffer all = ByteBuffer.allocate(1 << 12);
            while (channel.read(all) >= 0) {
                // until it ends
            }
            return new String(all.array(), 0, all.position(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void aUnixSocketComesGoesAndComesBack() throws Exception {
        Path path = directory.resolve("s");
        String unix = "name: u, address: \"unix:" + path + "\", cluster: beta";
        start(yaml("alpha", ""));
        for (int i = 0; i < 2; i++) {
            taken(yaml("alpha", "", unix));
            assertThat(overUnix(path)).endsWith("beta");
            taken(yaml("beta", "", unix));
            assertThat(overUnix(path)).endsWith("beta");
            taken(yaml("alpha", ""));
            assertThat(path).doesNotExist();
        }
        assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
    }

    // ---- what fails

    /** An image may lack a class that only then is asked for. */
    @Test
    void anErrorChangesNothing() throws Exception {
        String other = "name: other, address: \"127.0.0.1:" + FreePort.next() + "\", cluster: alpha";
        start(yaml("alpha", "", other));
        RawClient kept = stand.client();
        assertThat(kept.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
        seams.failing = true;
        refused(yaml("beta", "", other + ", proxy-protocol: {from: [127.0.0.0/8]}"), "NoClassDefFoundError");
        seams.failing = false;
        assertThat(kept.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
        assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
        taken(yaml("beta", "", other));
        assertThat(kept.send(SeamStand.GET).response().bodyText()).isEqualTo("beta");
    }

    /** It would show a version that nobody can speak, with a further row for each attempt. */
    @Test
    void http2ThatIsNotTurnedOnIsNotCounted() throws Exception {
        start(yaml("alpha", ""));
        try (ServerSocket taken = new ServerSocket(0)) {
            String other = "name: other, cluster: alpha, address: \"127.0.0.1:" + taken.getLocalPort() + "\"";
            refused(yaml("alpha", ", protocol: auto", other), "cannot listen on");
        }
        assertThat(stand.page("/metrics")).doesNotContain("remora_http2_connections", "remora_grpc_calls_total");
        taken(yaml("alpha", ", protocol: auto"));
        assertThat(stand.page("/metrics")).contains("remora_http2_connections", "remora_grpc_calls_total");
        assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
    }

    /** The same of copies and of limits, which a scrape would take for what is asked for. Of all else that is counted, ReloadFailureIT tells. */
    @Test
    void aReloadThatFailsLeavesNoCountsOfMirrorsAndLimits() throws Exception {
        String other = "name: other, address: \"127.0.0.1:0\", ";
        start(yaml("alpha", "", other + "cluster: alpha"));
        try (ServerSocket taken = new ServerSocket(0)) {
            String third = "name: third, cluster: alpha, address: \"127.0.0.1:" + taken.getLocalPort() + "\"";
            String limited = ", rate-limits: [{name: few, rate: 1/m}]";
            String mirroring = "protocol: auto, routes: [{cluster: alpha, mirror: {cluster: beta}}]";
            refused(yaml("alpha", limited, other + mirroring, third), "cannot listen on");
            assertThat(stand.page("/metrics")).doesNotContain("remora_mirrors_", "limit=\"few\"");
            taken(yaml("alpha", limited, other + mirroring));
            assertThat(stand.page("/metrics")).contains("remora_mirrors_", "limit=\"few\"");
        }
    }

    /** Else each change of what it speaks would leave further ones behind for as long as there is a listener of its name. */
    @Test
    void copiesAreCountedOnByTheListenerThatFollows() throws Exception {
        String other = "name: other, address: \"127.0.0.1:0\", routes: [{cluster: alpha, mirror: {cluster: beta}}]";
        start(yaml("alpha", "", other));
        int counts = stand.proxy().stats().rows(Stats.MIRRORS).size();
        assertThat(counts).isPositive();
        taken(yaml("alpha", "", other + ", protocol: auto"));
        taken(yaml("alpha", "", other));
        assertThat(stand.proxy().stats().rows(Stats.MIRRORS)).hasSize(counts);
    }

    @Test
    void aMoveThatFailsLeavesTheLimitAsItWas() throws Exception {
        String other = "name: other, cluster: alpha, address: \"127.0.0.1:";
        start(yaml("alpha", "", other + FreePort.next() + "\""));
        try (ServerSocket taken = new ServerSocket(0)) {
            String moved = other + taken.getLocalPort() + "\", admission: {adaptive: {min: 1, max: 2}}";
            refused(yaml("alpha", "", moved), "cannot listen on");
        }
        assertThat(stand.page("/metrics")).doesNotContain("remora_admission_limit{");
    }

    @Test
    void whatTheMemoryDoesNotAllowForIsRefused() throws Exception {
        MemoryLimit limit = new MemoryLimit(256 * MIB, "/x", 64 * MIB, 8 * MIB, 64 * MIB, 64 * MIB, 0);
        start(yaml("alpha", ", limits: {connections: 100}"), limit);
        refused(yaml("beta", ", limits: {connections: 1000000}"), "enough for connections");
        refused(yaml("beta", ", " + pki().listener("", "one")), "memory: it was divided at the start");
        assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
    }

    /** A table that stays is not made a second time, and one that goes makes room, though a start with both would take more connections. */
    @Test
    void aTableThatStaysLeavesRoomForAnother() throws Exception {
        MemoryLimit limit = new MemoryLimit(256 * MIB, "/x", 64 * MIB, 8 * MIB, 64 * MIB, 64 * MIB, 0);
        String large =
                ", rate-limits: [{name: large, rate: 1/s, by: client, keys: 200000}, {name: %s, rate: 1/s, by: client,"
                        + " keys: %d}]";
        start(yaml("alpha", large.formatted("a", 1_000)), limit);
        int connections = stand.proxy().plan().connections();
        refused(yaml("beta", large.formatted("c", 250_000)), "memory: it was divided at the start");
        taken(yaml("beta", large.formatted("b", 20_000)));
        assertThat(stand.proxy().plan().connections()).isEqualTo(connections);
    }

    /** Without TLS there would be room for more, had the memory not been divided with it. */
    @Test
    void whatWasDividedWithTlsStaysDividedSo() throws Exception {
        MemoryLimit limit = new MemoryLimit(256 * MIB, "/x", 64 * MIB, 8 * MIB, 64 * MIB, 64 * MIB, 0);
        start(yaml("alpha", ", " + pki().listener("", "one")), limit);
        int most = stand.proxy().plan().connections();
        refused(yaml("beta", ", limits: {connections: " + (most + 1) + "}"), "enough for connections: " + most);
        taken(yaml("beta", ", limits: {connections: " + most + "}"));
        assertThat(stand.get("/").bodyText()).isEqualTo("beta");
    }

    @Test
    void aDrainDoesNotWaitForNamesToBeLookedUp() throws Exception {
        start(yaml("alpha", ""));
        String slow = yaml("beta", "") + "  slow: {endpoints: [\"127.0.0.1:" + beta.port() + "\"]}\n";
        Thread reloading = new Thread(() -> reloadUnlessDraining(slow));
        reloading.start();
        Await.open(seams.looking);
        try {
            CompletableFuture.runAsync(stand.proxy()::drain).get(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } finally {
            seams.mayLook.countDown();
        }
        reloading.join(Await.TIMEOUT_MS);
        assertThat(stand.page("/config")).contains("#   the sidecar is draining");
        assertThat(stand.metric("remora_config_generation")).isOne();
    }

    private void reloadUnlessDraining(String text) {
        try {
            refused(text, "the sidecar is draining");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void nothingIsReadAnewBeforeItIsKnownWhere() throws Exception {
        stand = SeamStand.start(alpha.port());
        try (RawClient admin = RawClient.connect(stand.proxy().adminAddress())) {
            RawResponse response = admin.send("POST /reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    .response();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.bodyText()).contains("was not read from a file");
        }
    }
}
