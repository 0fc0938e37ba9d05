package io.remora.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.FreePort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A drain of inbound listeners: the application that shuts down gets no more requests, and still reaches others. */
@Contract
final class DrainInboundIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    private final RecordingBackend backend = RecordingBackend.start();
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final int in = FreePort.next();
    private final int out = FreePort.next();
    private Sidecar sidecar;

    @BeforeEach
    void start() {
        backend.onRequest(connection -> {
            if (connection.readHead().target().equals("/slow")) {
                connection.waitFor(this::awaitMayAnswer);
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        });
        sidecar = Sidecar.of("""
                admin: {address: "127.0.0.1:0"}
                drain-timeout: 60s
                drain-idle: 10ms
                listeners:
                  - {name: test, address: "127.0.0.1:%d", cluster: app}
                  - {name: out, address: "127.0.0.1:%d", direction: outbound, cluster: app}
                  - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                clusters:
                  app: {endpoints: ["127.0.0.1:${BACKEND}"]}
                  barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                """.formatted(in, out), backend);
    }

    @AfterEach
    void close() {
        mayAnswer.countDown();
        sidecar.close();
        backend.close();
    }

    private void awaitMayAnswer() {
        try {
            mayAnswer.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static RawClient connect(int port) {
        return RawClient.connect(new InetSocketAddress("127.0.0.1", port));
    }

    private static boolean accepts(int port) {
        try (RawClient client = connect(port)) {
            return client.socket().isConnected();
        } catch (UncheckedIOException refused) {
            return false;
        }
    }

    /** On a connection of its own, as several of them wait at a time. */
    private int post(String path) {
        try (RawClient client = sidecar.adminClient()) {
            return client.send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    .response()
                    .status();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void closesInboundListenersAndServesOutboundOnes() throws Exception {
        try (RawClient inbound = connect(in);
                RawClient outbound = connect(out)) {
            assertThat(inbound.send(GET).response().status()).isEqualTo(200);
            assertThat(outbound.send(GET).response().status()).isEqualTo(200);
            assertThat(post("/drain?direction=inbound")).isEqualTo(202);
            assertThat(sidecar.admin("GET", "/ready").status()).isEqualTo(503);
            assertThat(accepts(in)).isFalse();
            assertThat(inbound.closedByPeer()).isTrue();
            RawResponse kept = outbound.send(GET).response();
            assertThat(kept.status()).isEqualTo(200);
            assertThat(kept.fields().tokens("Connection")).doesNotContain("close");
            try (RawClient fresh = connect(out)) {
                assertThat(fresh.send(GET).response().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void waitsForInboundExchangesAlone() throws Exception {
        RawClient inbound = connect(in);
        try (RawClient outbound = connect(out)) {
            outbound.send(GET.replace("/ ", "/slow "));
            inbound.send(GET.replace("/ ", "/slow "));
            Await.until("both requests arrive", () -> backend.connections().size() == 2);
            assertThat(post("/drain?direction=inbound&wait=50ms")).isEqualTo(503);
            CompletableFuture<Integer> waiting =
                    CompletableFuture.supplyAsync(() -> post("/drain?direction=inbound&wait=60s"));
            inbound.close();
            assertThat(waiting.get()).isEqualTo(200);
            mayAnswer.countDown();
            assertThat(outbound.response().status()).isEqualTo(200);
        }
    }

    @Test
    void closesPortsWhenTheDelayIsOver() {
        assertThat(post("/drain?direction=inbound&delay=300ms&wait=60s")).isEqualTo(200);
        assertThat(accepts(in)).isFalse();
        assertThat(accepts(out)).isTrue();
    }

    @Test
    void acceptsUntilTheDelayIsOver() throws Exception {
        CompletableFuture<Integer> draining =
                CompletableFuture.supplyAsync(() -> post("/drain?direction=inbound&delay=20s"));
        Await.until(
                "the sidecar is not ready", () -> sidecar.admin("GET", "/ready").status() == 503);
        try (RawClient late = connect(in)) {
            assertThat(late.send(GET).response().status()).isEqualTo(200);
        }
        sidecar.drain();
        Await.until("no listener accepts", () -> !accepts(in) && !accepts(out));
        assertThat(draining).isNotDone();
    }

    @Test
    void closesConnectionsAfterTheirResponsesWhileTheDelayRuns() throws Exception {
        try (RawClient kept = connect(in);
                RawClient outbound = connect(out)) {
            assertThat(kept.send(GET).response().fields().tokens("Connection")).doesNotContain("close");
            CompletableFuture<Integer> draining =
                    CompletableFuture.supplyAsync(() -> post("/drain?direction=inbound&delay=20s"));
            Await.until(
                    "the sidecar is not ready",
                    () -> sidecar.admin("GET", "/ready").status() == 503);
            RawResponse last = kept.send(GET).response();
            assertThat(last.status()).isEqualTo(200);
            assertThat(last.fields().tokens("Connection")).contains("close");
            assertThat(kept.closedByPeer()).isTrue();
            try (RawClient late = connect(in)) {
                assertThat(late.send(GET).response().fields().tokens("Connection"))
                        .contains("close");
            }
            assertThat(outbound.send(GET).response().fields().tokens("Connection"))
                    .doesNotContain("close");
            assertThat(draining).isNotDone();
        }
    }

    /** Each takes a thread for as long as it waits. */
    @Test
    void refusesToHoldManyRequests() throws Exception {
        List<RawClient> waiting = new ArrayList<>();
        try (RawClient busy = connect(in)) {
            busy.send(GET.replace("/ ", "/slow "));
            Await.until("the request arrives", () -> backend.connections().size() == 1);
            for (int i = 0; i < 9; i++) {
                waiting.add(sidecar.adminClient());
                waiting.get(i).send("POST /drain?direction=inbound&wait=20s HTTP/1.1\r\nHost: localhost\r\n\r\n");
            }
            RawResponse refused = waiting.get(8).response();
            assertThat(refused.status()).isEqualTo(429);
            assertThat(post("/drain")).as("a drain that waits for nothing").isEqualTo(202);
            mayAnswer.countDown();
            for (RawClient each : waiting.subList(0, 8)) {
                assertThat(each.response().status()).isEqualTo(200);
            }
        } finally {
            waiting.forEach(RawClient::close);
        }
    }

    @Test
    void drainsOutboundListenersWithTheRest() throws Exception {
        assertThat(post("/drain?direction=inbound&wait=60s")).isEqualTo(200);
        assertThat(accepts(out)).isTrue();
        assertThat(post("/drain?wait=60s")).isEqualTo(200);
        assertThat(accepts(out)).isFalse();
    }

    @Test
    void refusesParametersThatItDoesNotKnow() {
        for (String query : new String[] {
            "direction=outbound",
            "direction=",
            "directon=inbound",
            "",
            "inbound",
            "direction=inbound&direction=inbound",
            "direction=inbound&delay=61s",
            "direction=inbound&delay=5",
            "direction=inbound&delay=5s&wait=4s",
            "delay=5s",
            "wait=-1s",
            "wait=x",
            "wait=1s&",
        }) {
            assertThat(post("/drain?" + query)).as(query).isEqualTo(400);
        }
        assertThat(sidecar.admin("GET", "/ready").status()).isEqualTo(200);
        assertThat(accepts(in)).isTrue();
    }
}
