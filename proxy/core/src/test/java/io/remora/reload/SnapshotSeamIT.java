package io.remora.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.RequestIds;
import io.remora.naming.Resolver;
import io.remora.seams.ClientLoad;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.transport.Handshake;
import io.remora.transport.Link;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A configuration that is replaced while exchanges are under way. */
@EveryEngine
final class SnapshotSeamIT {
    private static final int REPLACEMENTS = 200;
    private static final int REPLACE_MS = 10;

    private final RecordingBackend alpha = RecordingBackend.start().reply(response("alpha"));
    private final RecordingBackend beta = RecordingBackend.start().reply(response("beta"));
    private final Watching watching = new Watching();

    @AfterEach
    void close() {
        alpha.close();
        beta.close();
    }

    private static String response(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** All requests go to the one cluster, by its own name. */
    private ProxyConfig config(String cluster, RecordingBackend backend) {
        return config(cluster, backend, "");
    }

    private ProxyConfig config(String cluster, RecordingBackend backend, String limits) {
        return SeamStand.config("""
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    limits: { LIMITS }
                    routes:
                      - { cluster: CLUSTER }
                clusters:
                  CLUSTER:
                    endpoints: ["127.0.0.1:PORT"]
                """.replace("CLUSTER", cluster)
                .replace("PORT", Integer.toString(backend.port()))
                .replace("limits: { LIMITS }", limits.isEmpty() ? "limits: { connections: 1000 }" : limits));
    }

    /** Notes generations, and holds back requests for {@code /held}. */
    private static final class Watching extends Stage {
        final AtomicLong generation = new AtomicLong();
        final AtomicBoolean backwards = new AtomicBoolean();
        final Queue<StagedRequest> held = new ConcurrentLinkedQueue<>();

        @Override
        public boolean pass(StagedRequest exchange) {
            long current = exchange.snapshot().generation();
            if (generation.getAndSet(current) > current) {
                backwards.set(true);
            }
            if (exchange.head().path().equals("/held")) {
                held.add(exchange);
                return false;
            }
            return true;
        }
    }

    private Seams seams() {
        return new Seams() {
            @Override
            public Stage[] stages(
                    ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing, Shared shared) {
                Stage[] shipped = super.stages(listener, requestIds, tracing, shared);
                Stage[] all = new Stage[shipped.length + 1];
                all[0] = watching;
                System.arraycopy(shipped, 0, all, 1, shipped.length);
                return all;
            }

            @Override
            public Resolver resolver(ClusterConfig config, Shared shared) throws IOException {
                if (config.name().equals("broken")) {
                    throw new IOException("cluster broken: nobody knows it");
                }
                return super.resolver(config, shared);
            }
        };
    }

    @Test
    void isReplacedAllTheTimeUnderLoad() throws Exception {
        ProxyConfig toAlpha = config("alpha", alpha);
        ProxyConfig toBeta = config("beta", beta);
        try (SeamStand stand = SeamStand.start(seams(), toAlpha)) {
            try (ClientLoad load = new ClientLoad(stand)) {
                for (int i = 0; i < REPLACEMENTS; i++) {
                    stand.proxy().replace(i % 2 == 0 ? toBeta : toAlpha);
                    TimeUnit.MILLISECONDS.sleep(REPLACE_MS);
                }
                load.assertAllServed();
                assertThat(load.bodies()).containsExactlyInAnyOrder("alpha", "beta");
            }
            assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
            // the first one counts as well
            assertThat(watching.generation.get()).isEqualTo(REPLACEMENTS + 1);
            assertThat(watching.backwards.get()).isFalse();
            assertGone(stand, "beta", beta);
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
            assertThat(alpha.problems()).isEmpty();
            assertThat(beta.problems()).isEmpty();
        }
    }

    private static void assertGone(SeamStand stand, String cluster, RecordingBackend backend) {
        Await.until("drained", () -> backend.openConnections() == 0);
        Await.until("forgotten", () -> !stand.page("/metrics").contains("cluster=\"" + cluster + '"'));
        assertThat(stand.page("/clusters")).doesNotContain(cluster);
        assertThat(stand.page("/config")).doesNotContain(cluster);
    }

    @Test
    void anExchangeKeepsTheOneItBeganWith() throws IOException {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        alpha.onRequest(connection -> {
            connection.readRequest();
            Await.open(mayAnswer);
            connection.write(response("alpha"));
        });
        try (SeamStand stand = SeamStand.start(seams(), config("alpha", alpha))) {
            RawClient client = stand.client();
            client.send(SeamStand.GET);
            Await.until("the request is at the backend", () -> alpha.received().length > 0);
            stand.proxy().replace(config("beta", beta));
            assertThat(stand.get("/").bodyText()).isEqualTo("beta");
            assertThat(alpha.openConnections()).isOne();
            mayAnswer.countDown();
            assertThat(client.response().bodyText()).isEqualTo("alpha");
            // the next one on the same connection goes by the new one
            assertThat(client.send(SeamStand.GET).response().bodyText()).isEqualTo("beta");
            assertGone(stand, "alpha", alpha);
        }
    }

    /** An exchange that a stage held back goes to the cluster that it found, though that has been drained. */
    @Test
    void anExchangeThatWasHeldBackGoesToTheClusterThatIsGone() throws IOException {
        try (SeamStand stand = SeamStand.start(seams(), config("alpha", alpha))) {
            RawClient client = stand.client();
            client.send("GET /held HTTP/1.1\r\nHost: app\r\n\r\n");
            Await.until("held back", () -> !watching.held.isEmpty());
            stand.proxy().replace(config("beta", beta));
            assertThat(stand.get("/").bodyText()).isEqualTo("beta");
            StagedRequest held = watching.held.remove();
            held.listener().loop().eventLoop().execute(held::resume);
            assertThat(client.response().bodyText()).isEqualTo("alpha");
            assertGone(stand, "alpha", alpha);
        }
    }

    @Test
    void takesItsLimitsWithIt() throws IOException {
        try (SeamStand stand = SeamStand.start(seams(), config("alpha", alpha, "limits: { body: 3B }"))) {
            String post = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";
            assertThat(stand.client().send(post).response().status()).isEqualTo(413);
            stand.proxy().replace(config("alpha", alpha));
            RawResponse response = stand.client().send(post).response();
            assertThat(response.bodyText()).isEqualTo("alpha");
        }
    }

    /** What stays as it was keeps its connections. */
    @Test
    void leavesAClusterThatIsTheSame() throws IOException {
        try (SeamStand stand = SeamStand.start(seams(), config("alpha", alpha))) {
            RawClient client = stand.client();
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(SeamStand.GET).response().bodyText()).isEqualTo("alpha");
                stand.proxy().replace(config("alpha", alpha, "limits: { connections: " + (100 + i) + " }"));
            }
            assertThat(alpha.connections()).hasSize(1);
        }
    }

    @Test
    void changesNothingWhereAClusterCannotBeHad() throws IOException {
        try (SeamStand stand = SeamStand.start(seams(), config("alpha", alpha))) {
            assertThatThrownBy(() -> stand.proxy().replace(config("broken", beta)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cluster broken");
            assertThat(stand.get("/").bodyText()).isEqualTo("alpha");
            assertThat(watching.generation.get()).isOne();
            assertThat(stand.page("/config")).doesNotContain("broken");
        }
    }

    // ---- what a cluster holds outside the heap

    /** With which nothing can be begun once it is released. */
    private static final class Released implements Handshake {
        volatile boolean released;

        @Override
        public void begin(Channel channel, Outcome outcome) {
            if (released) {
                outcome.failed(new IOException("released"));
            } else {
                outcome.ready(new Link(channel));
            }
        }

        @Override
        public void release() {
            released = true;
        }
    }

    /** A request that waits for its next attempt has no connection to the cluster, and needs one later. */
    @Test
    void aRetryThatIsDueOutlivesTheDrainOfItsCluster() throws Exception {
        Released handshake = new Released();
        Seams seams = new Seams() {
            @Override
            public Handshake handshake(ClusterConfig config, Shared shared) {
                return config.name().equals("alpha") ? handshake : Handshake.NONE;
            }
        };
        AtomicInteger requests = new AtomicInteger();
        alpha.onRequest(connection -> {
            connection.readRequest();
            boolean first = requests.incrementAndGet() == 1;
            connection.write(
                    first
                            ? "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n"
                            : response("alpha"));
        });
        ProxyConfig retrying = SeamStand.config("""
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    routes: [{cluster: alpha, timeouts: {total: 1h}, retries: {}}]
                clusters:
                  alpha: {endpoints: ["127.0.0.1:PORT"], timeouts: {connect: 300ms}}
                """.replace("PORT", Integer.toString(alpha.port())));
        try (SeamStand stand = SeamStand.start(seams, retrying)) {
            RawClient client = stand.client().send(SeamStand.GET);
            Await.until("a retry is due", () -> stand.page("/metrics").contains("remora_cluster_retries_total"));
            stand.proxy().replace(config("beta", beta));
            assertGone(stand, "alpha", alpha);
            assertThat(client.response().bodyText()).isEqualTo("alpha");
            Await.until("released", () -> handshake.released);
        }
    }
}
