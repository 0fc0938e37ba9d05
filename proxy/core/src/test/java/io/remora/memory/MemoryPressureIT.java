package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that would take more than there is: who is refused, who is cut, who is served meanwhile, and that it all returns. */
@EveryEngine
final class MemoryPressureIT {
    private static final int LARGE = 8 << 20;
    private static final int NARROW = 4_096;
    private static final int MANY = 1 << 20;
    /** For about ten exchanges that hold the least. */
    private static final int POOL = 700_000;

    private static final String GET_LARGE = "GET /large HTTP/1.1\r\nHost: app\r\n\r\n";

    private final RecordingBackend backend = RecordingBackend.start();
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        mayAnswer.countDown();
        clients.forEach(RawClient::close);
        backend.close();
    }

    private SeamStand start(MemoryPlan plan) {
        // one array for all who ask: the heap is this process's
        byte[] large = Wire.bytes("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n" + "x".repeat(LARGE));
        backend.onRequest(connection -> {
            switch (connection.readRequest().target()) {
                case "/large" -> connection.write(large);
                case "/later" -> {
                    awaitMayAnswer();
                    connection.write(RecordingBackend.OK);
                }
                default -> connection.write(RecordingBackend.OK);
            }
        });
        return SeamStand.start(plan, backend.port());
    }

    private void awaitMayAnswer() {
        try {
            mayAnswer.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Clients of a kind, until one exchange has been refused. */
    private void fill(SeamStand stand, String request) throws IOException {
        while (stand.metric("remora_memory_refused_total") == 0) {
            assertThat(clients).as("clients that are not refused").hasSizeLessThan(50);
            RawClient client = RawClient.connect(stand.address(), NARROW);
            clients.add(client);
            long begun = stand.metric("remora_exchanges_started_total");
            client.send(request);
            Await.until("begun", () -> stand.metric("remora_exchanges_started_total") > begun);
        }
    }

    private static int status(SeamStand stand) {
        return stand.get("/").status();
    }

    private void leaves(SeamStand stand) {
        clients.forEach(RawClient::close);
        clients.clear();
        Await.until("200 again", () -> status(stand) == 200);
        Await.until("calm", () -> stand.metric("remora_memory_pressure") == 0);
        Await.until("nothing reserved", () -> stand.metric("remora_memory_reserved_bytes") == 0);
        assertThat(stand.metric("remora_memory_exchanges")).isZero();
        assertThat(stand.metric("remora_memory_heads_bytes")).isZero();
    }

    @Test
    void slowReadersAreCutToServeOthers() throws IOException {
        try (SeamStand stand = start(Plans.pool(POOL, MANY, MANY))) {
            fill(stand, GET_LARGE);
            RawResponse refused = stand.get("/");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.field("Remora-Error")).isEqualTo("overloaded");
            assertThat(refused.field("Retry-After")).isEqualTo("1");
            Await.until("served, with the slow ones there", () -> status(stand) == 200);
            assertThat(stand.metric("remora_memory_cut_total")).isPositive();
            assertThat(stand.metric("remora_memory_pressure_changes_total")).isPositive();
            // the cut shows: what came before it is no whole response
            Await.until("a slow one saw it", () -> clients.stream().anyMatch(MemoryPressureIT::isCut));
            assertThat(stand.failures("overloaded")).isGreaterThan(1);
            leaves(stand);
        }
    }

    private static boolean isAnswered(RawClient client) {
        try {
            return client.input().available() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isCut(RawClient client) {
        try {
            return client.readTimeoutMs(100).readToEnd().length < LARGE;
        } catch (IOException e) {
            // either a reset, or nothing more for now
            return !(e instanceof java.net.SocketTimeoutException);
        }
    }

    /** Who reads well is neither cut nor loses a byte while buffers shrink under it. */
    @Test
    void fastReadersGoOn() throws IOException {
        try (SeamStand stand = start(Plans.pool(POOL, MANY, MANY))) {
            RawClient fast = stand.client();
            for (int i = 0; i < 3; i++) {
                fast.send(GET_LARGE);
                if (i == 1) {
                    fill(stand, GET_LARGE);
                }
                RawResponse response = fast.response();
                assertThat(response.status()).isEqualTo(i == 2 ? response.status() : 200);
                if (response.status() == 200) {
                    assertThat(response.body()).isEqualTo(Wire.bytes("x".repeat(LARGE)));
                }
            }
            fast.close();
            leaves(stand);
        }
    }

    @Test
    void slowPostsAreToldSo() throws IOException {
        try (SeamStand stand = start(Plans.pool(POOL, MANY, MANY))) {
            fill(stand, "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 1000000\r\n\r\nx");
            Await.until("served, with the slow ones there", () -> status(stand) == 200);
            assertThat(stand.metric("remora_memory_cut_total")).isPositive();
            List<RawClient> answered = new ArrayList<>();
            Await.until("one is answered", () -> {
                clients.stream().filter(MemoryPressureIT::isAnswered).forEach(answered::add);
                return !answered.isEmpty();
            });
            RawResponse cut = answered.get(0).response();
            assertThat(cut.status()).isEqualTo(503);
            assertThat(cut.field("Remora-Error")).isEqualTo("overloaded");
            assertThat(cut.fields().tokens("Connection")).contains("close");
            leaves(stand);
        }
    }

    /** An exchange that waits for its backend is nobody's fault, however long. */
    @Test
    void whoWaitsForTheBackendStays() throws IOException {
        try (SeamStand stand = start(Plans.pool(POOL, MANY, MANY))) {
            fill(stand, "GET /later HTTP/1.1\r\nHost: app\r\n\r\n");
            // for longer than it takes to judge a slow one
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
            while (System.nanoTime() - endNs < 0) {
                assertThat(status(stand)).isEqualTo(503);
            }
            assertThat(stand.metric("remora_memory_cut_total")).isZero();
            mayAnswer.countDown();
            // all but the last one, which was refused
            for (RawClient client : clients.subList(0, clients.size() - 1)) {
                assertThat(client.response().status()).isEqualTo(200);
            }
            leaves(stand);
        }
    }

    @Test
    void unfinishedHeadsKeepToTheirShare() throws IOException {
        // arrays for two unfinished heads at least, and for four at most, by how their octets come together, and a
        // fifth for whole ones
        int unfinished = 25_000;
        int heads = unfinished * 5 / 4;
        int octets = 6_029;
        int count = 6;
        try (SeamStand stand = start(Plans.plain(Plans.NO_LIMIT, 0, 1L << 30, 0, heads, MANY, MANY))) {
            String half = "GET / HTTP/1.1\r\nHost: app\r\nX: " + "x".repeat(octets - 29);
            List<RawClient> kept = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                RawClient client = stand.client();
                clients.add(client);
                client.sendOctetByOctet(half.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            }
            Await.until("all read or refused", () -> {
                long refused =
                        clients.stream().filter(MemoryPressureIT::isAnswered).count();
                return refused > 0 && stand.metric("remora_memory_heads_bytes") >= (count - refused) * octets;
            });
            // a head is counted before it is refused
            Await.until("their share", () -> stand.metric("remora_memory_heads_bytes") <= unfinished);
            for (RawClient client : clients) {
                if (isAnswered(client)) {
                    RawResponse refused = client.response();
                    assertThat(refused.status()).isEqualTo(503);
                    assertThat(refused.field("Remora-Error")).isEqualTo("overloaded");
                } else {
                    kept.add(client);
                }
            }
            assertThat(kept).hasSizeBetween(2, 4);
            List<RawClient> parts = fillWithPartsOfHeads(stand);
            assertThat(stand.get("/").status()).as("its head is whole").isEqualTo(200);
            parts.forEach(RawClient::close);
            kept.subList(1, kept.size()).forEach(RawClient::close);
            Await.until("given back", () -> stand.metric("remora_memory_heads_bytes") < 2 * octets + 1_000);
            assertThat(kept.get(0).send("\r\n\r\n").response().status()).isEqualTo(200);
            leaves(stand);
        }
    }

    /** Clients whose heads have hardly begun, until one is refused. */
    private List<RawClient> fillWithPartsOfHeads(SeamStand stand) throws IOException {
        List<RawClient> parts = new ArrayList<>();
        long refused = stand.failures("overloaded");
        while (stand.failures("overloaded") == refused) {
            assertThat(parts).as("clients that are not refused").hasSizeLessThan(200);
            long before = stand.metric("remora_memory_heads_bytes");
            parts.add(stand.client().send("GET / HTTP/1.1\r\nHost: app\r\nX: y"));
            Await.until(
                    "read or refused",
                    () -> stand.metric("remora_memory_heads_bytes") > before || stand.failures("overloaded") > refused);
        }
        return parts;
    }

    /** Those that come in one turn of the loop make no more leave than they are themselves. */
    @Test
    void aBatchMakesNoMoreLeaveThanItNeeds() throws IOException {
        try (SeamStand stand = start(Plans.pool(1 << 30, 64, MANY))) {
            for (int i = 0; i < 200; i++) {
                clients.add(RawClient.connect(stand.address()));
            }
            Await.until("all accepted", () -> stand.metric("remora_frontend_connections_accepted_total") == 200);
            // each time two leave, one more than is needed
            assertThat(stand.metric("remora_memory_connections_shed_total")).isBetween(136L, 140L);
            Await.until("the others stay", () -> stand.metric("remora_frontend_connections_active") >= 60);
            leaves(stand);
        }
    }

    /** More clients come in one turn of the loop than there is room for, each with its request. */
    @Test
    void whoHasAskedIsAnsweredBeforeItMakesRoom() throws IOException {
        CountDownLatch goOn = new CountDownLatch(1);
        try (SeamStand stand = start(Plans.pool(1 << 30, 32, 4))) {
            for (Loop loop : stand.loops()) {
                loop.eventLoop().execute(() -> Await.open(goOn));
            }
            for (int i = 0; i < 160; i++) {
                clients.add(RawClient.connect(stand.address()).send(SeamStand.GET));
            }
            goOn.countDown();
            for (RawClient client : clients) {
                assertThat(client.response().status()).isIn(200, 503);
            }
            assertThat(stand.metric("remora_memory_connections_shed_total")).isPositive();
            leaves(stand);
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void theLongestIdleMakeRoomForOthers() throws IOException {
        try (SeamStand stand = start(Plans.pool(1 << 30, 32, MANY))) {
            RawClient busy = stand.client().send("GET /later HTTP/1.1\r\nHost: app\r\n\r\n");
            for (int i = 0; i < 64; i++) {
                RawClient idle = stand.client();
                clients.add(idle);
                assertThat(idle.send(SeamStand.GET).response().status()).isEqualTo(200);
            }
            assertThat(stand.metric("remora_memory_connections_shed_total")).isBetween(31L, 40L);
            Await.until(
                    "no more than there is room for", () -> stand.metric("remora_frontend_connections_active") <= 32);
            assertThat(clients.get(0).closedByPeer()).isTrue();
            assertThat(clients.get(63).send(SeamStand.GET).response().status()).isEqualTo(200);
            mayAnswer.countDown();
            assertThat(busy.response().status())
                    .as("busy for longer than any idle one")
                    .isEqualTo(200);
            busy.close();
            leaves(stand);
        }
    }
}
