package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.memory.Plans;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RecordingBackend;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections of HTTP/2 that make room for others: which of them end, and what their clients learn. */
@EveryEngine
final class Http2ShedIT {
    private static final int CONNECTIONS = 32;
    private static final int EXCHANGES = 4;
    private static final byte[] UNFINISHED = Arrays.copyOf(
            FrameClient.frame(FrameClient.HEADERS, FrameClient.END_HEADERS, 1, FrameClient.block(FrameClient.GET)), 20);

    private final RecordingBackend backend = RecordingBackend.start();
    private final SeamStand stand =
            SeamStand.start(Plans.pool(1 << 30, CONNECTIONS, EXCHANGES), "protocol: http2", "", backend.port());
    private final List<FrameClient> clients = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (FrameClient client : clients) {
            client.close();
        }
        stand.close();
        backend.close();
    }

    private FrameClient client() throws IOException {
        FrameClient client = FrameClient.connect(stand.address());
        clients.add(client);
        return client;
    }

    private void awaitAccepted(int count) {
        Await.until("accepted", () -> stand.metric("remora_frontend_connections_accepted_total") == count);
    }

    /** A client that sends a head slowly has no claim to its place, however often it sends an octet. */
    @Test
    void unfinishedHeadsMakeRoomForOthers() throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            client().send(UNFINISHED);
            awaitAccepted(i + 1);
        }
        Await.until("all begun", () -> stand.metric("remora_memory_heads_bytes") >= UNFINISHED.length * CONNECTIONS);
        assertThat(client().get(1).answer(1).status()).isEqualTo(200);
        assertThat(stand.metric("remora_frontend_connections_active")).isLessThanOrEqualTo(CONNECTIONS);
        assertThat(stand.metric("remora_memory_connections_shed_total")).isPositive();
        assertThat(clients.get(0).readToEnd()).as("the first one").isZero();
    }

    /** RFC 9113 6.8: what the client has under way by then was not processed, so that it may ask again elsewhere. */
    @Test
    void whoMakesRoomLearnsWhatWasProcessed() throws IOException {
        FrameClient served = client().get(1).get(3);
        assertThat(served.answer(3).status()).isEqualTo(200);
        assertThat(served.answer(1).status()).isEqualTo(200);
        for (int i = 0; i < CONNECTIONS; i++) {
            client();
        }
        awaitAccepted(1 + CONNECTIONS);
        assertThat(served.readToEnd()).isEqualTo(FrameClient.NO_ERROR);
        assertThat(served.lastStream()).isEqualTo(3);
    }

    /** More clients come in one turn of the loop than there is room for, each with its request. */
    @Test
    void whoHasAskedIsAnsweredBeforeItMakesRoom() throws IOException {
        CountDownLatch goOn = new CountDownLatch(1);
        for (Loop loop : stand.loops()) {
            loop.eventLoop().execute(() -> Await.open(goOn));
        }
        try {
            for (int i = 0; i < 5 * CONNECTIONS; i++) {
                client().get(1);
            }
        } finally {
            goOn.countDown();
        }
        for (FrameClient client : clients) {
            assertThat(client.answer(1).status()).isIn(200, 503);
        }
        assertThat(stand.metric("remora_memory_connections_shed_total")).isPositive();
    }
}
