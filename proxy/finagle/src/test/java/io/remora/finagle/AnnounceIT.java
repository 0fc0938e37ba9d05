package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.LogLevel;
import io.remora.log.Log;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
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
                    announce: {names: ["zk!ZK!/services/app!3"]}
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

    private static boolean isAnnounced(Sidecar sidecar) {
        return sets(sidecar) == 1;
    }

    /** As far as it knows. */
    private static long sets(Sidecar sidecar) {
        return sidecar.metrics().sum("remora_announced", "listener", "test");
    }

    private static long announcements(Sidecar sidecar) {
        return sidecar.metrics().sum("remora_announcements_total", "listener", "test");
    }

    @Test
    void isFoundByAnotherSidecarUntilItDrains() throws IOException {
        try (Sidecar sidecar = announced();
                Sidecar other = sidecar(
                        "  - {name: test, address: \"127.0.0.1:0\", cluster: app}", "{dest: zk!ZK!/services/app}");
                RawClient client = other.client()) {
            Await.until("it is found", () -> get(client).status() == 200);
            assertThat(backend.requests()).hasSize(1);
            Await.until("it knows", () -> isAnnounced(sidecar));

            sidecar.drain();
            Await.until("it has left", () -> members().isEmpty());
            Await.until("it knows", () -> !isAnnounced(sidecar));
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
                    announce: {names: ["zk!ZK!/services/app!3!side"], address: "side.example.org:8081"}
                  - name: test
                    address: "127.0.0.1:0"
                    cluster: app
                    announce: {names: ["zk!ZK!/services/app!3", "zk!ZK!/services/app!3!http"], address: "app.example.org:0"}
                """, "{endpoints: [\"127.0.0.1:${BACKEND}\"]}")) {
            untilAMember();
            assertThat(members()).singleElement().asString().startsWith("member_");
            assertThat(zooKeeper.data(SET + '/' + members().get(0)))
                    .isEqualTo("{\"serviceEndpoint\":{\"host\":\"app.example.org\",\"port\":"
                            + sidecar.address().getPort()
                            + "},\"additionalEndpoints\":{\"http\":{\"host\":\"app.example.org\",\"port\":"
                            + sidecar.address().getPort() + "},\"side\":{\"host\":\"side.example.org\",\"port\":8081}},"
                            + "\"status\":\"ALIVE\",\"shard\":3}");
        }
    }

    @Test
    void joinsOnceZooKeeperCanBeReached() throws IOException {
        cable.cut();
        try (Sidecar sidecar = announced();
                RawClient client = sidecar.client()) {
            assertThat(get(client).status()).isEqualTo(200);
            assertThat(isAnnounced(sidecar)).isFalse();
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
            Await.until("it is told twice", () -> announcements(sidecar) == 2);
            assertThat(isAnnounced(sidecar)).isTrue();
        }
    }

    /** Once, however often it is tried; what its client says of each attempt is not worth a warning. */
    @Test
    void saysOnceThatZooKeeperCannotBeReached() throws IOException {
        PrintStream standardError = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try (Sidecar sidecar = announced()) {
            Log.level(LogLevel.INFO);
            untilAMember();
            int connected = cable.connected();
            cable.cut();
            Await.until("it is said", () -> count(lines, "ZooKeeper unreachable") == 1);
            // several attempts later
            assertThat(Await.within(SESSION_MS, () -> cable.refused() >= 4)).isTrue();
            cable.mend();
            assertThat(Await.within(SESSION_MS, () -> count(lines, "ZooKeeper reachable again") == 1))
                    .isTrue();
            assertThat(cable.connected()).isGreaterThan(connected);
            assertThat(count(lines, "ZooKeeper unreachable")).isOne();
            assertThat(count(lines, "WARN finagle: ")).isZero();
            Await.until(
                    "it is a member", () -> isAnnounced(sidecar) && members().size() == 1);
        } finally {
            Log.level(LogLevel.ERROR);
            System.setErr(standardError);
        }
    }

    private static int count(ByteArrayOutputStream lines, String words) {
        return lines.toString(StandardCharsets.UTF_8).split(words, -1).length - 1;
    }

    @Test
    void joinsAgainWhereSomebodyHasRemovedIt() throws IOException, InterruptedException, KeeperException {
        try (Sidecar sidecar = announced()) {
            untilAMember();
            String before = members().get(0);
            zooKeeper.leave(SET + '/' + before);
            Await.until(
                    "another member", () -> members().size() == 1 && !members().contains(before));
            Await.until("it is told twice", () -> announcements(sidecar) == 2);
            assertThat(isAnnounced(sidecar)).isTrue();
        }
    }

    /** Whoever reads the set finds it all the same. */
    @Test
    void writesItsRecordAgainWhereSomebodyHasWrittenAnother()
            throws IOException, InterruptedException, KeeperException {
        try (Sidecar sidecar = announced()) {
            untilAMember();
            Await.until("it knows", () -> isAnnounced(sidecar));
            String node = SET + '/' + members().get(0);
            String record = zooKeeper.data(node);
            for (String other : List.of("{}", "", "{}")) {
                zooKeeper.write(node, other);
                Await.until("its own again", () -> data(node).equals(record));
            }
            Await.until("it knows", () -> isAnnounced(sidecar));
            assertThat(members()).hasSize(1);
        }
    }

    private String data(String node) {
        try {
            return zooKeeper.data(node);
        } catch (IOException | KeeperException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** What somebody writes into the node has the watch for its end spent. */
    @Test
    void joinsAgainWhereSomebodyHasChangedItBefore() throws IOException, InterruptedException, KeeperException {
        try (Sidecar sidecar = announced()) {
            untilAMember();
            Await.until("it knows", () -> isAnnounced(sidecar));
            String before = members().get(0);
            for (int i = 0; i < 3; i++) {
                zooKeeper.write(SET + '/' + before, "{}");
            }
            zooKeeper.leave(SET + '/' + before);
            Await.until(
                    "another member", () -> members().size() == 1 && !members().contains(before));
        }
    }

    /** The node is made, and nobody is told: it is found by its session, and no second one is made. */
    @Test
    void isOneMemberWhereTheAnswerWasLost() throws IOException, InterruptedException, KeeperException {
        zooKeeper.leave(zooKeeper.join(SET, backend.port()));
        // of the session, of the look at both parts of the path; not of the making
        cable.answers(3);
        try (Sidecar sidecar = announced()) {
            untilAMember();
            String member = members().get(0);
            cable.cut();
            assertThat(isAnnounced(sidecar)).isFalse();
            cable.mend();
            assertThat(Await.within(SESSION_MS, () -> isAnnounced(sidecar))).isTrue();
            assertThat(members()).containsExactly(member);
            assertThat(announcements(sidecar)).isEqualTo(1);
        }
    }

    @Test
    void isOneMemberWhenItsServerHasComeBack() throws IOException, InterruptedException {
        try (Sidecar sidecar = announced();
                RawClient client = sidecar.client()) {
            untilAMember();
            String before = members().get(0);
            zooKeeper.kill();
            assertThat(get(client).status()).isEqualTo(200);
            int connected = cable.connected();
            zooKeeper.begin();
            assertThat(Await.within(SESSION_MS, () -> cable.connected() > connected))
                    .isTrue();
            // for longer than its session would last by itself
            assertThat(Await.within(6_000, () -> !members().equals(List.of(before))))
                    .as("another member, or none")
                    .isFalse();
            assertThat(isAnnounced(sidecar)).isTrue();
            assertThat(announcements(sidecar)).isEqualTo(1);
        }
    }

    @Test
    void drainsWhereZooKeeperCannotBeTold() throws IOException {
        try (Sidecar sidecar = announced()) {
            untilAMember();
            Await.until("it knows", () -> isAnnounced(sidecar));
            cable.cut();
            sidecar.drain();
            untilThePortIsClosed(sidecar);
            assertThat(members()).hasSize(1);
            assertThat(isAnnounced(sidecar)).as("as long as its session lasts").isTrue();
        }
        assertThat(Await.within(SESSION_MS, () -> members().isEmpty()))
                .as("its session has ended")
                .isTrue();
    }

    /** One that is silent and keeps its connections, beside one that answers. */
    @Test
    void leavesAnEnsembleThatAnswersBesideOneThatDoesNot() throws IOException, InterruptedException, KeeperException {
        Cable other = new Cable(zooKeeper.port());
        try (other;
                Sidecar sidecar = sidecar(
                        """
                  - name: test
                    address: "127.0.0.1:0"
                    cluster: app
                    announce: {names: ["zk!OTHER!/services/app!3", "zk!ZK!/services/app!4"]}
                """.replace("OTHER", "127.0.0.1:" + other.port()), "{endpoints: [\"127.0.0.1:${BACKEND}\"]}")) {
            Await.until("both are there", () -> members().size() == 2);
            Await.until("it knows", () -> sets(sidecar) == 2);
            assertThat(announcements(sidecar)).isEqualTo(2);
            String answering = null;
            for (String member : members()) {
                answering = zooKeeper.data(SET + '/' + member).contains("\"shard\":3") ? member : answering;
            }
            String its = answering;
            assertThat(its).isNotNull();
            cable.answers(0);
            sidecar.drain();
            Await.until("it has left", () -> !members().contains(its));
            Await.until("it knows of the one", () -> sets(sidecar) == 1);
            untilThePortIsClosed(sidecar);
            assertThat(sets(sidecar)).as("the other one lasts as its session").isEqualTo(1);
            assertThat(announcements(sidecar)).isEqualTo(2);
        }
    }

    @Test
    void isInOneSetWhereTheSessionWithTheOtherHasEnded() throws IOException {
        Cable other = new Cable(zooKeeper.port());
        try (other;
                Sidecar sidecar = sidecar(
                        """
                  - name: test
                    address: "127.0.0.1:0"
                    cluster: app
                    announce: {names: ["zk!OTHER!/services/app!3", "zk!ZK!/services/app!4", "zk!ZK!/services/app!4!http"]}
                """.replace("OTHER", "127.0.0.1:" + other.port()), "{endpoints: [\"127.0.0.1:${BACKEND}\"]}")) {
            Await.until("it knows of both", () -> sets(sidecar) == 2);
            // the session ends at the server, which says so to a client that asks it once more
            for (Cable lost : List.of(other, cable)) {
                lost.cut();
                assertThat(Await.within(SESSION_MS, () -> members().size() == 1))
                        .as("its session has ended")
                        .isTrue();
                assertThat(sets(sidecar)).isEqualTo(2);
                lost.mend();
                assertThat(Await.within(SESSION_MS, () -> members().size() == 2))
                        .as("it has joined again")
                        .isTrue();
                Await.until("it knows of both", () -> sets(sidecar) == 2);
            }
            assertThat(announcements(sidecar)).isEqualTo(4);
        }
    }

    /** Nobody waits on the admin listener meanwhile. */
    private static void untilThePortIsClosed(Sidecar sidecar) {
        InetSocketAddress address = sidecar.address();
        Await.until("the port is closed", () -> {
            assertThat(sidecar.admin("GET", "/live").status()).isEqualTo(200);
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                return !socket.isConnected();
            } catch (IOException refused) {
                return true;
            }
        });
    }
}
