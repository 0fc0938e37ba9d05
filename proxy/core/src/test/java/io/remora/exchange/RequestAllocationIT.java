package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import io.remora.seams.SeamStand;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bytes of the heap that the event loop allocates for a request over connections that are kept. */
final class RequestAllocationIT {
    /** 1,776 bytes were counted, and a tenth is to spare: each KiB makes collections more frequent. */
    private static final long MOST_BYTES = 1_950;

    private static final int WARM_UP = 500;
    private static final int REQUESTS = 400;
    private static final int ROUNDS = 5;

    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A sidecar does not look for leaks, which takes objects for each buffer. */
    @BeforeEach
    void lookForNoLeaks() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterEach
    void lookForLeaksAgain() {
        ResourceLeakDetector.setLevel(level);
    }

    @Test
    void aRequestOverHttp11() throws IOException {
        String body = "x".repeat(1_024);
        String answer = "HTTP/1.1 200 OK\r\nServer: app\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
                + "Content-Type: text/plain\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
        try (RecordingBackend backend = RecordingBackend.start().reply(answer);
                SeamStand stand = SeamStand.start(backend.port())) {
            RawClient client = stand.client();
            ask(client, WARM_UP);
            long least = Long.MAX_VALUE;
            // a round in which something of the sidecar's own comes round counts that too
            for (int round = 0; round < ROUNDS; round++) {
                long before = allocated();
                ask(client, REQUESTS);
                long more = allocated() - before;
                // less, if a thread of an earlier test has ended meanwhile
                if (more > 0) {
                    least = Math.min(least, more);
                }
            }
            assertThat(backend.connections()).hasSize(1);
            assertThat(least / REQUESTS).isBetween(1L, MOST_BYTES);
        }
    }

    private static void ask(RawClient client, int requests) throws IOException {
        for (int i = 0; i < requests; i++) {
            assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
        }
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
