package io.remora.reload;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.check.Overrides;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.seams.ClientLoad;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.FreePort;
import io.remora.testkit.MountedSecret;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.TestEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A configuration file that changes under traffic, and is read anew when somebody asks for it or looks after it. */
@EveryEngine
final class ReloadIT {
    private static final int RELOADS = 60;

    @TempDir
    private Path directory;

    private final RecordingBackend alpha = RecordingBackend.start().reply(response("alpha"));
    private final RecordingBackend beta = RecordingBackend.start().reply(response("beta"));
    private Path file;
    private SeamStand stand;

    @BeforeEach
    void file() {
        file = directory.resolve("remora.yaml");
    }

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

    /** The text of a file. Idle connections of a removed listener close soon. */
    private static String yaml(String rest) {
        return "log-level: warn\nvia: remora\nadmin: {address: \"127.0.0.1:0\"}\n" + rest + "drain-idle: 200ms\n";
    }

    private String to(String cluster) {
        return to(cluster, "");
    }

    private String to(String cluster, String more) {
        int port = (cluster.equals("alpha") ? alpha : beta).port();
        return yaml("listeners:\n  - {name: test, address: \"127.0.0.1:0\", cluster: " + cluster + more + "}\n"
                + "clusters:\n  " + cluster + ": {endpoints: [\"127.0.0.1:" + port + "\"]}\n");
    }

    /** A listener of its own for each port, all before one cluster. */
    private String on(Map<String, Integer> ports) {
        StringBuilder text =
                new StringBuilder("listeners:\n  - {name: test, address: \"127.0.0.1:0\", cluster: alpha}\n");
        ports.forEach((name, port) -> text.append("  - {name: ")
                .append(name)
                .append(", address: \"127.0.0.1:")
                .append(port)
                .append("\", cluster: ")
                .append(name.equals("b") ? "beta" : "alpha")
                .append("}\n"));
        return yaml(text + "clusters:\n  alpha: {endpoints: [\"127.0.0.1:" + alpha.port() + "\"]}\n"
                + "  beta: {endpoints: [\"127.0.0.1:" + beta.port() + "\"]}\n");
    }

    private void write(String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void start(String text) throws IOException, ConfigException {
        write(text);
        start();
    }

    private void start() throws IOException, ConfigException {
        ProxyConfig config = TestEngine.of(ConfigReader.readFile(file.toString(), Map.of(), new FeatureList()));
        stand = SeamStand.start(new Seams(), config);
        stand.proxy().reloadFrom(file.toString(), new Overrides(config.engine(), null, null, null, null));
    }

    private RawResponse reload() throws IOException {
        try (RawClient admin = RawClient.connect(stand.proxy().adminAddress())) {
            return admin.send("POST /reload HTTP/1.1\r\n"
                            + "Host: localhost\r\n"
                            + "Content-Length: 0\r\n"
                            + "Connection: close\r\n\r\n")
                    .response();
        }
    }

    private String reload(String text) throws IOException {
        write(text);
        RawResponse response = reload();
        assertThat(response.status()).as(response.bodyText()).isEqualTo(200);
        return response.bodyText();
    }

    private static RawClient connect(int port) {
        return RawClient.connect(new InetSocketAddress("127.0.0.1", port));
    }

    private static String get(int port) throws IOException {
        try (RawClient client = connect(port)) {
            return client.send(SeamStand.GET).response().bodyText();
        }
    }

    private static boolean isOpen(int port) {
        try (java.net.Socket socket = new java.net.Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    // ---- what is wrong changes nothing

    @Test
    void tellsEveryProblemAndChangesNothing() throws Exception {
        start(to("alpha"));
        RawClient kept = stand.client();
        assertThat(kept.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
        write(to("beta", ", tls: {key: none}, limits: {body: -3}").replace("endpoints", "endpoint"));
        RawResponse refused = reload();
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.bodyText().lines()).hasSizeGreaterThan(2).allMatch(line -> line.startsWith(file + ":"));
        assertThat(kept.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
        assertThat(stand.page("/config"))
                .startsWith("# generation 1, since 2")
                .contains("# the last reload, 2", "#   refused:", "#   " + file + ":")
                .doesNotContain("beta");
        assertThat(stand.metric("remora_config_generation")).isOne();
        assertThat(stand.metric("remora_config_reloads_total", "refused")).isOne();
    }

    @Test
    void anAddressThatCannotBeBoundChangesNothing() throws Exception {
        start(to("alpha"));
        try (ServerSocket taken = new ServerSocket(0)) {
            int free = FreePort.next();
            write(on(Map.of("a", free, "b", taken.getLocalPort())));
            RawResponse refused = reload();
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.bodyText()).contains("cannot listen on 127.0.0.1:" + taken.getLocalPort());
            assertThat(isOpen(free)).isFalse();
        }
        assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
        assertThat(stand.page("/metrics")).doesNotContain("listener=\"a\"").doesNotContain("cluster=\"beta\"");
    }

    @Test
    void standardInputCannotBeReadAgain() throws Exception {
        start(to("alpha"));
        stand.proxy().reloadFrom("-", null);
        RawResponse refused = reload();
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.bodyText()).contains("standard input, which cannot be read again");
    }

    // ---- what is good

    @Test
    void manyReloadsUnderLoadDropNothing() throws Exception {
        start(to("alpha"));
        reload(to("beta"));
        try (ClientLoad load = new ClientLoad(stand)) {
            for (int i = 0; i < RELOADS; i++) {
                reload(to(i % 2 == 0 ? "alpha" : "beta"));
            }
            load.assertAllServed();
            assertThat(load.bodies()).containsExactlyInAnyOrder("alpha", "beta");
        }
        assertThat(stand.metric("remora_config_generation")).isEqualTo(RELOADS + 2);
        assertThat(stand.metric("remora_config_reloads_total", "taken")).isEqualTo(RELOADS + 1);
        assertThat(stand.failures()).isZero();
        Await.until("no thread is left of them", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("remora-reload")));
        Await.until("alpha is forgotten", () -> !stand.page("/metrics").contains("cluster=\"alpha\""));
    }

    @Test
    void whatCannotChangeLiveIsNamedAndTheRestTaken() throws Exception {
        start(to("alpha"));
        assertThat(reload("workers: 3\n" + to("beta")))
                .contains("generation 2", "workers: cannot change at runtime", "cluster beta: added");
        assertThat(stand.get("/").bodyText()).isEqualTo("beta");
        assertThat(stand.page("/config")).contains("\nworkers: 1\n", "#   workers: cannot change at runtime");
    }

    @Test
    void listenersComeAndGo() throws Exception {
        int a = FreePort.next();
        start(on(Map.of()));
        assertThat(reload(on(Map.of("a", a)))).contains("listener a: added on 127.0.0.1:" + a);
        CountDownLatch mayAnswer = new CountDownLatch(1);
        alpha.onRequest(connection -> {
            connection.readRequest();
            Await.open(mayAnswer);
            connection.write(response("late"));
        });
        try (RawClient busy = connect(a)) {
            busy.send(SeamStand.GET);
            Await.until("the request is at the backend", () -> alpha.received().length > 0);
            assertThat(reload(on(Map.of()))).contains("listener a: removed, and drained");
            assertThat(isOpen(a)).isFalse();
            mayAnswer.countDown();
            RawResponse last = busy.response();
            assertThat(last.bodyText()).isEqualTo("late");
            assertThat(last.field("Connection")).isEqualTo("close");
            assertThat(busy.closedByPeer()).isTrue();
        }
        // and back again while the former one is on its way out
        alpha.reply(response("alpha"));
        reload(on(Map.of("a", a)));
        assertThat(get(a)).isEqualTo("alpha");
        assertThat(stand.metric("remora_exchanges_finished_total", "listener=\"a\""))
                .isEqualTo(2);
    }

    @Test
    void theSeriesOfAListenerEndWithIt() throws Exception {
        int a = FreePort.next();
        start(on(Map.of("a", a)).replace("name: a,", "name: a, timeouts: {header-read: 100ms},"));
        assertThat(get(a)).isEqualTo("alpha");
        reload(on(Map.of()));
        Await.until("it is forgotten", () -> !stand.page("/metrics").contains("listener=\"a\""));
    }

    @Test
    void anAddressMovesAndThoseOfTheFormerOneAreDrained() throws Exception {
        int former = FreePort.next();
        int next = FreePort.next();
        start(on(Map.of("a", former)));
        try (RawClient kept = connect(former)) {
            assertThat(kept.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
            assertThat(reload(on(Map.of("a", next)))).contains("moved from 127.0.0.1:" + former);
            assertThat(get(next)).isEqualTo("alpha");
            assertThat(isOpen(former)).isFalse();
            assertThat(kept.closedByPeer()).isTrue();
        }
        assertThat(stand.metric("remora_exchanges_finished_total", "listener=\"a\""))
                .isEqualTo(2);
    }

    @Test
    void listenersSwapTheirPorts() throws Exception {
        int one = FreePort.next();
        int other = FreePort.next();
        start(on(Map.of("a", one, "b", other)));
        assertThat(get(one) + get(other)).isEqualTo("alphabeta");
        reload(on(Map.of("a", other, "b", one)));
        assertThat(get(one) + get(other)).isEqualTo("betaalpha");
    }

    /** The socket stays, and what speaks on it changes for new connections. */
    @Test
    void aListenerChangesItsKind() throws Exception {
        start(to("alpha"));
        RawClient plain = stand.client();
        assertThat(plain.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
        reload(to("alpha", ", proxy-protocol: {from: [127.0.0.0/8]}"));
        assertThat(plain.closedByPeer()).isTrue();
        RawClient told = stand.client();
        assertThat(told.send("PROXY TCP4 192.0.2.7 127.0.0.1 5000 80\r\n" + SeamStand.GET)
                        .response()
                        .bodyText())
                .isEqualTo("alpha");
        reload(to("alpha"));
        assertThat(told.closedByPeer()).isTrue();
        assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
    }

    @Test
    void moreConnectionsMayBeOpenFromThenOn() throws Exception {
        start(to("alpha", ", limits: {connections: 1}"));
        RawClient first = stand.client();
        assertThat(first.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
        RawClient second = stand.client().send(SeamStand.GET);
        reload(to("alpha", ", limits: {connections: 2}"));
        assertThat(second.response().bodyText()).isEqualTo("alpha");
        assertThat(first.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
    }

    // ---- a file that is looked after

    @Test
    void aMountedFileIsFollowed() throws Exception {
        MountedSecret mount = new MountedSecret(Files.createDirectory(directory.resolve("mount")), "remora.yaml");
        Path next = directory.resolve("next");
        String watched = "reload: {watch: true}\n";
        mount.put(Files.writeString(next, watched + to("alpha")));
        file = mount.path("remora.yaml");
        start();
        assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
        mount.put(Files.writeString(next, watched + to("beta")));
        Await.until("it is followed", () -> stand.get("/").bodyText().equals("beta"));
        assertThat(stand.metric("remora_config_generation")).isEqualTo(2);
        mount.put(Files.writeString(next, watched + "listeners: no\n"));
        Await.until("it is refused", () -> stand.metric("remora_config_reloads_total", "refused") == 1);
        mount.put(Files.writeString(next, to("alpha")));
        Await.until("it is followed again", () -> stand.get("/").bodyText().equals("alpha"));
        // who goes by it comes before who is told of it
        Await.until("it is told", () -> stand.metric("remora_config_reloads_total", "taken") == 2);
        assertThat(stand.page("/config")).contains("  watch: false");
    }
}
