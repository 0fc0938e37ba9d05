package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.memory.Plans;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Requests;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A newcomer that there is no room for, in the turn of the loop in which the longest idle connection has something to read. */
@EveryEngine
final class SheddingIT {
    private static final int CONNECTIONS = 32;
    private static final String ROUTES = "routes: [{match: {prefix: /app}, cluster: app}]";

    private final RecordingBackend backend = RecordingBackend.start();
    private final SeamStand stand =
            SeamStand.start(Plans.pool(1 << 30, CONNECTIONS, CONNECTIONS), ROUTES, "", backend.port());
    private final List<RawClient> idle = new ArrayList<>();
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void close() {
        goOn.countDown();
        stand.close();
        backend.close();
    }

    /** Opens as many connections as there is room for, the longest idle one first. */
    private void fill() {
        for (int i = 0; i < CONNECTIONS; i++) {
            idle.add(stand.client());
            awaitAccepted(i + 1);
        }
    }

    private void awaitAccepted(int count) {
        Await.until("accepted", () -> stand.metric("remora_frontend_connections_accepted_total") == count);
    }

    /** The listener is the first that the next turn of the loop looks at. */
    private RawClient newcomer() {
        for (Loop loop : stand.loops()) {
            CountDownLatch held = new CountDownLatch(1);
            loop.eventLoop().execute(() -> {
                held.countDown();
                Await.open(goOn);
            });
            Await.open(held);
        }
        return stand.client();
    }

    private long shed() {
        return stand.metric("remora_memory_connections_shed_total");
    }

    /** It lingers then, for the rest of a body that nobody wants. */
    @Test
    void oneThatIsAnsweredTakesItsResponseInPeace() throws IOException {
        fill();
        RawClient newcomer = newcomer();
        RawClient longest = idle.get(0);
        String body = "x".repeat(1 << 20);
        String request = Requests.post("/none", body);
        longest.send(request.substring(0, 1 << 19));
        goOn.countDown();
        assertThat(longest.response().status()).isEqualTo(404);
        awaitAccepted(CONNECTIONS + 1);
        assertThat(idle.get(1).closedByPeer()).isTrue();
        assertThat(shed()).isEqualTo(1);
        assertThat(longest.trySend(Wire.bytes(request.substring(1 << 19)))).isTrue();
        assertThat(longest.input().read()).as("an end without a reset").isNegative();
        assertThat(newcomer.send(Requests.get("/app")).response().status()).isEqualTo(200);
    }

    /** The newcomer finds no room then. */
    @Test
    void noneIsShedWhereAllAreAnswered() throws IOException {
        fill();
        RawClient newcomer = newcomer();
        String body = "x".repeat(1 << 10);
        String request = Requests.post("/none", body);
        for (RawClient one : idle) {
            one.send(request.substring(0, request.length() - 1));
        }
        goOn.countDown();
        for (RawClient one : idle) {
            assertThat(one.response().status()).isEqualTo(404);
        }
        awaitAccepted(CONNECTIONS + 1);
        assertThat(shed()).isZero();
        for (RawClient one : idle) {
            assertThat(one.trySend(Wire.bytes("x"))).isTrue();
            assertThat(one.input().read()).as("an end without a reset").isNegative();
        }
        newcomer.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatEndsByItselfIsRoomEnough(boolean reset) throws IOException {
        fill();
        RawClient newcomer = newcomer();
        if (reset) {
            idle.get(0).reset();
        } else {
            idle.get(0).close();
        }
        goOn.countDown();
        awaitAccepted(CONNECTIONS + 1);
        assertThat(newcomer.send(Requests.get("/app")).response().status()).isEqualTo(200);
        Await.until("left", () -> stand.metric("remora_frontend_connections_active") == CONNECTIONS);
        assertThat(shed()).isZero();
        for (int i = 1; i < CONNECTIONS; i++) {
            assertThat(idle.get(i).send(Requests.get("/app")).response().status())
                    .isEqualTo(200);
        }
    }
}
