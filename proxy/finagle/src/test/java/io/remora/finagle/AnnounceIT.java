package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar's listeners as members of a serverset in a real ZooKeeper, found by Finagle's own reader. */
final class AnnounceIT {
    private static final String SET = "/services/app";

    /** Twice the ten seconds after which a session ends, and for which a client waits that a server forgot. */
    private static final int SESSION_MS = 20_000;

    private final RecordingBackend backend = RecordingBackend.start();

    @TempDir
    private Path directory;

    private ZooKeeperProgram zooKeeper;
    private Cable cable;

    @BeforeEach
    void start() throws IOException {
        zooKeeper = ZooKeeperProgram.start(directory);
        cable = new Cable(zooKeeper.port());
    }

    @AfterEach
    void close() {
        cable.close();
        zooKeeper.close();
        backend.close();
    }

    private Sidecar sidecar(String listeners, String cluster) {
        return Sidecar.of(
                """
                engine: finagle
                log-level: error
                admin: {address: "127.0.0.1:0"}
                listeners:
                  - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                LISTENERS
                clusters:
                  app: CLUSTER
                  barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                """.replace("LISTENERS", listeners)
                        .replace("CLUSTER", cluster)
                        .replace("ZK", "127.0.0.1:" + cable.port()),
                backend);
    }

    private Sidecar announced() {
        return sidecar("""
                  - name: test
                    address: "127.0.0.1:0"
                    cluster: app
                    announce: {name: "zk!ZK!/services/app!3"}
                """, "{endpoints: [\"127.0.0.1:${BACKEND}\"]}");
    }

    private List<String> members() {
        try {
            return zooKeeper.members(SET);
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        } catch (IOException | KeeperException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private void untilAMember() {
        assertThat(Await.within(SESSION_MS, () -> members().size() == 1))
                .as("it is a member")
                .isTrue();
    }

    private static RawResponse get(RawClient client) {
        try {
            return client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n").response();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String metric(Sidecar sidecar, String series) {
        return sidecar.admin("GET", "/metrics")
                .bodyText()
                .lines()
                .filter(line -> line.startsWith(series))
                .findFirst()
                .orElse("");
    }

    @Test
    void isFoundByAnotherSidecarUntilItDrains() throws IOException {
        try (Sidecar sidecar = announced();
                Sidecar other = sidecar(
                        "  - {name: test, address: \"127.0.0.1:0\", cluster: app}", "{dest: zk!ZK!/services/app}");
                RawClient client = other.client()) {
            Await.until("it is found", () -> get(client).status() == 200);
            assertThat(backend.requests()).hasSize(1);
            assertThat(metric(sidecar, "remora_announced{listener=\"test\"}")).endsWith(" 1");

            sidecar.drain();
            assertThat(members()).isEmpty();
            assertThat(metric(sidecar, "remora_announced{listener=\"test\"}")).endsWith(" 0");
            Await.until("the other one looks elsewhere", () -> "no-endpoint"
                    .equals(get(client).field("Remora-Error")));
        }
        assertThat(members()).isEmpty();
    }

    @Test
    void listenersOfOneMemberAreItsEndpoints() throws IOException, InterruptedException, KeeperException {
        try (Sidecar sidecar = sidecar("""
                  - name: side
                    address: "127.0.0.1:0"
                    cluster: app
                    announce: {name: "zk!ZK!/services/app!3!side", address: "side.example.org:8081"}
                  - name: test
                    address: "127.0.0.1:0"
                    cluster: app
                    announce: {name: "zk!ZK!/services/app!3", address: "app.example.org:0"}
                """, "{endpoints: [\"127.0.0.1:${BACKEND}\"]}")) {
            untilAMember();
            assertThat(members()).singleElement().asString().startsWith("member_");
            assertThat(zooKeeper.data(SET + '/' + members().get(0)))
                    .isEqualTo("{\"serviceEndpoint\":{\"host\":\"app.example.org\",\"port\":"
                            + sidecar.address().getPort()
                            + "},\"additionalEndpoints\":{\"side\":{\"host\":\"side.example.org\",\"port\":8081}},"
                            + "\"status\":\"ALIVE\",\"shard\":3}");
        }
    }

    @Test
    void joinsOnceZooKeeperCanBeReached() throws IOException {
        cable.cut();
        try (Sidecar sidecar = announced();
                RawClient client = sidecar.client()) {
            assertThat(get(client).status()).isEqualTo(200);
            assertThat(metric(sidecar, "remora_announced{listener=\"test\"}")).endsWith(" 0");
            cable.mend();
            untilAMember();
        }
    }

    @Test
    void joinsAgainAfterTheEndOfItsSession() throws IOException {
        try (Sidecar sidecar = announced()) {
            untilAMember();
            String before = members().get(0);
            cable.cut();
            assertThat(Await.within(SESSION_MS, () -> members().isEmpty())).isTrue();
            cable.mend();
            untilAMember();
            assertThat(members()).doesNotContain(before);
            Await.until("it is told twice", () -> metric(sidecar, "remora_announcements_total{listener=\"test\"}")
                    .endsWith(" 2"));
        }
    }

    @Test
    void joinsAgainWhereSomebodyHasRemovedIt() throws IOException, InterruptedException, KeeperException {
        try (Sidecar sidecar = announced()) {
            untilAMember();
            String before = members().get(0);
            zooKeeper.leave(SET + '/' + before);
            Await.until(
                    "another member", () -> members().size() == 1 && !members().contains(before));
            assertThat(sidecar.admin("GET", "/metrics").bodyText()).contains("remora_announced{listener=\"test\"}");
        }
    }

    @Test
    void isOneMemberWhenItsServerHasComeBack() throws IOException, InterruptedException {
        try (Sidecar sidecar = announced();
                RawClient client = sidecar.client()) {
            untilAMember();
            zooKeeper.kill();
            assertThat(get(client).status()).isEqualTo(200);
            zooKeeper.begin();
            untilAMember();
            Await.until("it knows of itself", () -> metric(sidecar, "remora_announced{listener=\"test\"}")
                    .endsWith(" 1"));
            assertThat(members()).hasSize(1);
        }
    }

    @Test
    void drainsWhereZooKeeperCannotBeTold() throws IOException {
        try (Sidecar sidecar = announced();
                RawClient client = sidecar.client()) {
            untilAMember();
            cable.cut();
            assertThat(get(client).status()).isEqualTo(200);
            sidecar.drain();
            assertThat(members()).hasSize(1);
        }
        assertThat(Await.within(SESSION_MS, () -> members().isEmpty()))
                .as("its session has ended")
                .isTrue();
    }
}
