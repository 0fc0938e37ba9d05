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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Serversets in a real ZooKeeper. */
final class ZooKeeperIT {
    private static final String SET = "/services/app";

    /** Twice the ten seconds for which a client waits whose connection a server forgot that had not quite begun. */
    private static final int FORGOTTEN_MS = 20_000;

    private final RecordingBackend one = RecordingBackend.start();
    private final RecordingBackend two = RecordingBackend.start();

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
        one.close();
        two.close();
    }

    private Sidecar sidecar(String dest, String dtab) {
        return Sidecar.of(
                """
                engine: finagle
                log-level: error
                admin: {address: "127.0.0.1:0"}
                finagle: {dtab: "DTAB"}
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                  - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                clusters:
                  app: {dest: DEST}
                  fallback: {endpoints: ["127.0.0.1:${BACKEND}"]}
                  barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                """.replace("DTAB", dtab).replace("DEST", dest).replace("ZK", "127.0.0.1:" + cable.port()), two);
    }

    private static RawResponse get(RawClient client) {
        try {
            return client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n").response();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** How many endpoints its set has; -1 as long as there is no answer. */
    private static long known(Sidecar sidecar) {
        return sidecar.admin("GET", "/clusters")
                .bodyText()
                .lines()
                .filter(line -> line.startsWith("app source=zookeeper:") && line.contains(" state=bound "))
                .map(line -> Long.parseLong(line.replaceAll(".* known=(\\d+).*", "$1")))
                .findFirst()
                .orElse(-1L);
    }

    private static boolean goesTo(RecordingBackend backend, RawClient client) {
        int before = backend.requests().size();
        return get(client).status() == 200 && backend.requests().size() == before + 1;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"zk!ZK!/services/app", "zk2!ZK!/services/app!http", "/s/services/app", "/s/services/app:http"})
    void findsLosesAndFindsAnEndpoint(String dest) throws IOException, InterruptedException, KeeperException {
        if (dest.endsWith("http")) {
            zooKeeper.additional();
        }
        String first = zooKeeper.join(SET, one.port());
        try (Sidecar sidecar = sidecar(dest, "/s => /$/com.twitter.serverset/ZK");
                RawClient client = sidecar.client()) {
            assertThat(goesTo(one, client)).isTrue();
            zooKeeper.leave(first);
            Await.until("it is lost", () -> "no-endpoint".equals(get(client).field("Remora-Error")));
            String second = zooKeeper.join(SET, two.port());
            Await.until("another one is found", () -> goesTo(two, client));
            zooKeeper.join(SET, one.port());
            Await.until("both are used", () -> goesTo(one, client));
            zooKeeper.leave(second);
            Await.until("one is left", () -> known(sidecar) == 1);
            sidecar.barrier();
            for (int i = 0; i < 5; i++) {
                assertThat(goesTo(one, client)).isTrue();
            }
        }
    }

    @Test
    void whoIsNotAliveIsNotUsed() throws IOException, InterruptedException, KeeperException {
        for (String status : List.of("STARTING", "STOPPING", "DEAD", "WARNING")) {
            zooKeeper.join(SET, two.port(), status);
        }
        String alive = zooKeeper.join(SET, one.port());
        try (Sidecar sidecar = sidecar("zk!ZK!/services/app", "");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 20; i++) {
                assertThat(goesTo(one, client)).isTrue();
            }
            assertThat(known(sidecar)).isOne();
            zooKeeper.leave(alive);
            Await.until("nobody is left", () -> "no-endpoint".equals(get(client).field("Remora-Error")));
            assertThat(two.requests()).isEmpty();
            zooKeeper.join(SET, two.port());
            Await.until("one is alive", () -> goesTo(two, client));
        }
    }

    /** Nine of ten requests; with weights alike no hundred would have 80 of them. */
    @Test
    void whoWeighsMoreGetsMore() throws IOException, InterruptedException, KeeperException {
        String heavy = zooKeeper.join(SET, one.port());
        zooKeeper.join(SET, two.port());
        zooKeeper.weigh(SET, heavy, 9);
        try (Sidecar sidecar = sidecar("zk!ZK!/services/app", "");
                RawClient client = sidecar.client()) {
            Await.until("its share", () -> {
                int ones = one.requests().size();
                int twos = two.requests().size();
                for (int i = 0; i < 100; i++) {
                    assertThat(get(client).status()).isEqualTo(200);
                }
                return one.requests().size() >= ones + 80 && two.requests().size() > twos;
            });
        }
    }

    @Test
    void aNameFallsBackWhileItsSetIsEmpty() throws IOException, InterruptedException, KeeperException {
        try (Sidecar sidecar = sidecar("/s/services/app", "/s => /#/fallback; /s => /$/com.twitter.serverset/ZK");
                RawClient client = sidecar.client()) {
            assertThat(goesTo(two, client)).isTrue();
            String member = zooKeeper.join(SET, one.port());
            Await.until("the set is used", () -> goesTo(one, client));
            zooKeeper.leave(member);
            Await.until("the other one is used", () -> goesTo(two, client));
        }
    }

    @Test
    void survivesItsServersEnd() throws IOException, InterruptedException, KeeperException {
        zooKeeper.join(SET, one.port());
        try (Sidecar sidecar = sidecar("zk!ZK!/services/app", "");
                RawClient client = sidecar.client()) {
            assertThat(goesTo(one, client)).isTrue();
            zooKeeper.kill();
            for (int i = 0; i < 20; i++) {
                assertThat(goesTo(one, client)).isTrue();
            }
            zooKeeper.begin();
            zooKeeper.join(SET, two.port());
            assertThat(Await.within(FORGOTTEN_MS, () -> goesTo(two, client)))
                    .as("the new endpoint is found")
                    .isTrue();
        }
    }

    @Test
    void survivesTheEndOfItsSession() throws IOException, InterruptedException, KeeperException {
        String first = zooKeeper.join(SET, one.port());
        try (Sidecar sidecar = sidecar("zk!ZK!/services/app", "");
                RawClient client = sidecar.client()) {
            assertThat(goesTo(one, client)).isTrue();
            cable.cut();
            zooKeeper.join(SET, two.port());
            zooKeeper.leave(first);
            assertThat(Await.within(FORGOTTEN_MS, () -> zooKeeper.hasLogged("Expiring session")))
                    .isTrue();
            assertThat(goesTo(one, client)).isTrue();
            cable.mend();
            assertThat(Await.within(FORGOTTEN_MS, () -> goesTo(two, client)))
                    .as("the new endpoint is found")
                    .isTrue();
            Await.until("the old one is lost", () -> known(sidecar) == 1);
            sidecar.barrier();
            assertThat(goesTo(two, client)).isTrue();
        }
    }

    @Test
    void aRequestWaitsForAServerThatCannotBeReachedYet() throws IOException, InterruptedException, KeeperException {
        zooKeeper.join(SET, one.port());
        cable.cut();
        try (Sidecar sidecar = sidecar("zk!ZK!/services/app", "");
                RawClient client = sidecar.client()) {
            client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n");
            sidecar.barrier();
            assertThat(one.connections()).isEmpty();
            cable.mend();
            assertThat(client.response().bodyText()).isEqualTo("ok");
            assertThat(one.requests()).hasSize(1);
        }
    }
}
