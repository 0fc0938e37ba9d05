package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.RawClient;
import io.remora.testkit.Requests;
import io.remora.testkit.Stand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes of the heap that the event loop allocates for one frame of a flood, which a peer sends for next to nothing. {@code
 * ./measure floods} has the time that they take.
 */
@ExtendWith(HostileFrameAllocationIT.WithoutLeakDetection.class)
final class HostileFrameAllocationIT {
    private static final int OF_CLIENT = 20_000;
    /** Fewer than a second may have of each kind. */
    private static final int OF_ENDPOINT = 900;

    private static final int ROUNDS = 5;
    private static final int BATCH = 100;

    @RegisterExtension
    static final Stand STAND = new Stand("""
        protocol: http2
        http2: { floods: { control-frames: 1000000, empty-frames: 1000000 } }
        """, "");

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * Switches off the detection of leaks, which takes objects for each use of a buffer. An event loop keeps its buffers, so
     * that this comes before the first sidecar.
     */
    static final class WithoutLeakDetection implements BeforeAllCallback, AfterAllCallback {
        private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

        @Override
        public void beforeAll(ExtensionContext context) {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        }

        @Override
        public void afterAll(ExtensionContext context) {
            ResourceLeakDetector.setLevel(level);
        }
    }

    private static Arguments frame(String what, int most, byte[] octets) {
        return Arguments.of(what, most, octets);
    }

    /** A little more than was counted: nothing for most, the settings themselves, and a slice of the read for content. */
    static Stream<Arguments> ofClients() {
        return Stream.of(
                frame("PING", 16, FrameClient.frame(FrameClient.PING, 0, 0, new byte[8])),
                frame("answers", 16, FrameClient.frame(FrameClient.PING, FrameClient.ACK, 0, new byte[8])),
                frame("SETTINGS", 120, FrameClient.frame(FrameClient.SETTINGS, 0, 0)),
                frame("PRIORITY", 16, FrameClient.frame(FrameClient.PRIORITY, 0, 1, new byte[] {0, 0, 0, 9, 0})),
                frame("unknown", 16, FrameClient.frame(77, 0, 0)),
                frame("WINDOW_UPDATE", 16, FrameClient.frame(FrameClient.WINDOW_UPDATE, 0, 0, FrameClient.number(1))),
                frame("empty DATA", 56, FrameClient.frame(FrameClient.DATA, 0, 1)));
    }

    static Stream<Arguments> ofEndpoints() {
        return Stream.of(
                frame("PING", 16, Http2Peer.octets(Http2Peer.PING, 0, 0, new byte[8])),
                frame("SETTINGS", 120, Http2Peer.octets(Http2Peer.SETTINGS, 0, 0)),
                frame("PRIORITY", 16, Http2Peer.octets(Http2Peer.PRIORITY, 0, Http2Peer.FIRST, new byte[5])),
                frame("unknown", 16, Http2Peer.octets(77, 0, 0)),
                frame("WINDOW_UPDATE", 16, Http2Peer.octets(Http2Peer.WINDOW_UPDATE, 0, 0, FrameClient.number(1))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ofClients")
    void aFrameOfAClient(String what, int most, byte[] frame) throws IOException {
        try (FrameClient client = FrameClient.connect(STAND.sidecar().address())) {
            client.headers(1, false, FrameClient.POST).barrier();
            byte[] batch = times(BATCH, frame);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) {
                long before = allocated();
                for (int i = 0; i < OF_CLIENT / ROUNDS / BATCH; i++) {
                    client.send(batch).barrier();
                }
                least = Math.min(least, allocated() - before);
            }
            isWithin(most, least / (OF_CLIENT / ROUNDS));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ofEndpoints")
    void aFrameOfAnEndpoint(String what, int most, byte[] frame) throws IOException {
        byte[] flood = times(OF_ENDPOINT, frame);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    for (Http2Peer.Head head = peer.headOrEnd(); head != null; head = peer.headOrEnd()) {
                        if ("/flood".equals(head.value(":path"))) {
                            peer.raw(flood);
                        }
                        peer.respond(head.stream(), "x");
                    }
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client = stand.client();
            ask(client, "/");
            long usual = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) {
                usual = Math.min(usual, ask(client, "/"));
            }
            long flooded = ask(client, "/flood");
            assertThat(backend.connections()).isOne();
            isWithin(most, (flooded - usual) / OF_ENDPOINT);
        }
    }

    private long ask(RawClient client, String target) throws IOException {
        long before = allocated();
        assertThat(client.send(Requests.get(target)).response().status()).isEqualTo(200);
        return allocated() - before;
    }

    private static void isWithin(int most, long bytes) {
        assertThat(bytes).isLessThanOrEqualTo(most);
    }

    private static byte[] times(int count, byte[] frame) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(frame);
        }
        return all.toByteArray();
    }

    private long allocated() {
        long bytes = 0;
        for (long id : threads.getAllThreadIds()) {
            ThreadInfo thread = threads.getThreadInfo(id);
            if (thread != null && thread.getThreadName().startsWith("remora-loop")) {
                bytes += threads.getThreadAllocatedBytes(id);
            }
        }
        return bytes;
    }
}
