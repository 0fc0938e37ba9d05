package io.remora.http2;

import static io.remora.http2.FrameClient.CANCEL;
import static io.remora.http2.FrameClient.DATA;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.memory.Plans;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a tunnel's client has said last, and the endpoint has not taken when both sides have ended. */
final class Http2TunnelTailIT {
    private static final int ENABLE_CONNECT_PROTOCOL = 8;
    private static final String LISTENER = "protocol: auto\n";
    private static final String CLUSTER = "protocol: http2\n";
    private static final String[] ASK = {
        ":method", "CONNECT", ":protocol", "websocket", ":scheme", "http", ":authority", "app", ":path", "/"
    };
    private static final int MANY = 1 << 20;
    /** For one exchange and two connections, and not for a second stream. */
    private static final int ONE = 80_000;

    /** Ends its side first, and takes four octets of what the client says. */
    private static int endFirst(Http2Peer peer) throws IOException {
        peer.begin(ENABLE_CONNECT_PROTOCOL, 1, Http2Peer.INITIAL_WINDOW_SIZE, 4);
        int stream = peer.head().stream();
        peer.headers(stream, false, ":status", "200").data(stream, true, "bye");
        assertThat(peer.next(DATA).payload()).hasSize(4);
        return stream;
    }

    private static void sayLast(FrameClient client) throws IOException {
        assertThat(client.headers(1, false, ASK).answer(1).text()).isEqualTo("bye");
        client.data(1, true, "0123456789");
    }

    @Test
    void countsAsMemoryThatIsTakenUntilItHasLeft() throws IOException {
        CountDownLatch mayTake = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    int stream = endFirst(peer);
                    Stand.await(mayTake);
                    peer.windowUpdate(stream, 100);
                    Http2Peer.Frame last = peer.next(DATA);
                    assertThat(last.payload()).hasSize(6);
                    assertThat(last.isLast() || peer.next(DATA).isLast()).isTrue();
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            client.barrier();
            long before = stand.metric("remora_memory_reserved_bytes");
            sayLast(client);
            stand.awaitIdle();
            assertThat(stand.metric("remora_memory_exchanges")).isZero();
            assertThat(stand.metric("remora_memory_reserved_bytes")).isGreaterThan(before);
            assertThat(stand.metric("remora_backend_exchanges_in_flight")).isOne();
            mayTake.countDown();
            Await.until("it has left", () -> stand.metric("remora_memory_reserved_bytes") == before);
            assertThat(stand.metric("remora_backend_exchanges_in_flight")).isZero();
        }
    }

    @Test
    void isGivenUpWhereThereIsNoMemoryForIt() throws Exception {
        BlockingQueue<Integer> resets = new LinkedBlockingQueue<>();
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    endFirst(peer);
                    resets.add(peer.next(Http2Peer.RST_STREAM).number(0));
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(Plans.pool(ONE, MANY, MANY), LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            sayLast(client);
            assertThat(resets.poll(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)).isEqualTo(CANCEL);
            stand.awaitIdle();
        }
    }
}
