package io.remora.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ProxyConfig;
import io.remora.memory.MemoryPlan;
import io.remora.memory.Plans;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections of which it is not known yet what they carry: under reloads and drains, in a crowd, and where memory is short. */
final class DetectChangesIT {
    private static final int MANY = 1 << 20;
    private static final int CROWD = 2_000;
    private static final int BATCH = 100;
    private static final long HELD = 256 << 10;
    private static final String DETECT = "protocol: detect, detect: { cluster: CLUSTER, timeout: 1h }";

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private final RecordingBackend first = RecordingBackend.start();
    private final RecordingBackend second = RecordingBackend.start();
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        clients.forEach(RawClient::close);
        backend.close();
        first.close();
        second.close();
    }

    private ProxyConfig config(String listener) {
        return SeamStand.config("""
                listeners:
                  - { name: test, address: "127.0.0.1:0", cluster: app, LISTENER }
                clusters:
                  app: { endpoints: ["127.0.0.1:BACKEND"] }
                  first: { protocol: tcp, endpoints: ["127.0.0.1:FIRST"] }
                  second: { protocol: tcp, endpoints: ["127.0.0.1:SECOND"] }
                """.replace("LISTENER", listener)
                .replace("BACKEND", Integer.toString(backend.port()))
                .replace("FIRST", Integer.toString(first.port()))
                .replace("SECOND", Integer.toString(second.port())));
    }

    private ProxyConfig detecting(String cluster) {
        return config(DETECT.replace("CLUSTER", cluster));
    }

    private SeamStand start() {
        return SeamStand.start(new Seams(), detecting("first"));
    }

    private SeamStand start(Seams seams, MemoryPlan plan) {
        return SeamStand.start(seams, plan, detecting("first"));
    }

    private RawClient client(SeamStand stand) {
        RawClient client = RawClient.connect(stand.address());
        clients.add(client);
        return client;
    }

    private static void undecided(SeamStand stand, int count) {
        Await.until("undecided", () -> stand.metric("remora_detect_undecided") == count);
    }

    // ---- reloads

    @Test
    void goWhereTheConfigurationLeadsWhenTheyAreDecided() throws IOException {
        first.onRequest(connection -> connection.write("first"));
        second.onAccept(connection -> connection.write("second"));
        try (SeamStand stand = start()) {
            RawClient tunnel = client(stand).send("G");
            undecided(stand, 1);
            stand.proxy().replace(detecting("second"));
            assertThat(Wire.text(tunnel.send("\0").read(6))).isEqualTo("second");
            assertThat(first.connections()).isEmpty();
            tunnel.close();
        }
    }

    @Test
    void endWhereTheListenerSpeaksSomethingElseFromNowOn() throws IOException {
        try (SeamStand stand = start()) {
            RawClient silent = client(stand);
            RawClient half = client(stand).send("GET /");
            undecided(stand, 2);
            stand.proxy().replace(config("protocol: http1"));
            assertThat(silent.closedByPeer()).isTrue();
            assertThat(half.closedByPeer()).isTrue();
            assertThat(stand.get("/").status()).isEqualTo(200);
            stand.proxy().replace(detecting("second"));
            client(stand);
            undecided(stand, 1);
            assertThat(stand.page("/metrics").lines().filter(line -> line.startsWith("remora_detect_undecided{")))
                    .as("one series, whatever was there before")
                    .hasSize(1);
            assertThat(stand.metric("remora_detect_connections_total", "lost")).isEqualTo(2);
        }
    }

    // ---- drains

    /** Another process answers on the socket by then, and who has connected here before is served once more. */
    @Test
    void areServedWhoseHandshakeOutlastsTheBeginningOfADrain() throws Exception {
        ProxyConfig config = config("proxy-protocol: { from: [127.0.0.1] }, timeouts: { header-read: 1h }, "
                + DETECT.replace("CLUSTER", "first"));
        String header = "PROXY UNKNOWN\r\n";
        try (Proxy proxy = Proxy.start(config);
                RawClient late = RawClient.connect(proxy.address("test"));
                RawClient served = RawClient.connect(proxy.address("test"))) {
            late.send(header.substring(0, 5));
            // who came behind it is there
            assertThat(served.send(header + SeamStand.GET).response().status()).isEqualTo(200);
            proxy.retire(TimeUnit.HOURS.toNanos(1));
            assertThat(proxy.awaitDrained(Await.TIMEOUT_MS)).isTrue();
            late.send(header.substring(5) + SeamStand.GET);
            assertThat(late.response().status()).isEqualTo(200);
            assertThat(late.closedByPeer()).isTrue();
        }
    }

    // ---- a crowd

    /** All that come in one turn of the loop, in which nobody hears of those that have been closed. */
    @Test
    void makeRoomForOthersOneEach() throws IOException {
        int most = 8;
        Seams seams = new Seams();
        try (SeamStand stand = start(seams, Plans.pool(256L << 20, most, MANY))) {
            List<RawClient> before = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                before.add(client(stand));
                undecided(stand, i + 1);
            }
            CountDownLatch mayGoOn = new CountDownLatch(1);
            stand.loops().get(0).eventLoop().execute(() -> Await.open(mayGoOn));
            for (int i = 0; i < most; i++) {
                client(stand).send("GET /");
            }
            mayGoOn.countDown();
            for (RawClient gone : before) {
                assertThat(gone.closedByPeer()).isTrue();
            }
            undecided(stand, most);
            assertThat(stand.metric("remora_frontend_connections_active")).isEqualTo(most);
            assertThat(stand.metric("remora_memory_connections_shed_total")).isEqualTo(most);
            assertThat(stand.metric("remora_detect_connections_total", "lost")).isEqualTo(most);
        }
    }

    /** Each has sent a part of a line that it never ends: what they hold is bounded, and whoever sends a whole one is served. */
    @Test
    void holdNoMoreThanTheirPartOfTheMemory() throws IOException {
        MemoryPlan plan = Plans.plain(Plans.NO_LIMIT, 0, 256L << 20, 0, HELD, MANY, MANY);
        String part = "GET /" + "a".repeat(300);
        try (SeamStand stand = start(new Seams(), plan)) {
            while (clients.size() < CROWD) {
                for (int i = 0; i < BATCH; i++) {
                    client(stand).send(part);
                }
                Await.until(
                        "all have been read",
                        () -> stand.metric("remora_detect_undecided") + stand.failures("overloaded") == clients.size());
            }
            assertThat(stand.metric("remora_detect_undecided"))
                    .as("who may wait, with 512 octets each")
                    .isEqualTo(HELD / 2 / 512);
            assertThat(stand.metric("remora_memory_heads_bytes")).isEqualTo(HELD / 2);
            assertThat(stand.get("/").status()).as("beside them").isEqualTo(200);
            for (RawClient client : clients) {
                client.reset();
            }
            undecided(stand, 0);
            assertThat(stand.metric("remora_memory_heads_bytes")).isZero();
            Await.until("all are closed", () -> stand.metric("remora_frontend_connections_active") == 0);
            assertThat(stand.metric("remora_detect_connections_total", "lost")).isEqualTo(CROWD);
            assertThat(first.connections()).isEmpty();
        }
    }

    /** Whoever grows beyond what it began with counts with what it takes, and not with what it has sent. */
    @Test
    void countWhatTheyTakeAndNotWhatTheyHaveSent() throws IOException {
        try (SeamStand stand = start()) {
            RawClient slow = client(stand);
            slow.send("G");
            undecided(stand, 1);
            Await.until("held", () -> stand.metric("remora_memory_heads_bytes") == 512);
            slow.send("ET /" + "a".repeat(1_000));
            Await.until("more", () -> stand.metric("remora_memory_heads_bytes") >= 1_005);
            assertThat(stand.metric("remora_memory_reserved_bytes")).isPositive();
            assertThat(slow.send(" HTTP/1.1\r\nHost: app\r\n\r\n").response().status())
                    .isEqualTo(200);
            slow.close();
            Await.until("nothing held", () -> stand.metric("remora_memory_heads_bytes") == 0);
            Await.until("nothing reserved", () -> stand.metric("remora_memory_reserved_bytes") == 0);
        }
    }
}
