package io.remora.http.rules;

import static io.remora.http.rules.Messages.GET;
import static io.remora.http.rules.Messages.ok;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.ListenerMetric;
import io.remora.testkit.RawClient;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that sends without reading must not make the sidecar hold what it sends. */
final class FloodIT {
    private static final int REQUESTS = 400_000;
    private static final int MAX_HEAP_GROWTH_BYTES = 8 << 20;
    private static final int MANY_BUT_FAR_FROM_ALL = 2_000;

    @RegisterExtension
    static final Bench BENCH = new Bench();

    @Test
    @DisplayName("CVE-2026-93491 and CVE-2026-59899: pipelined requests without end, and responses that nobody reads")
    void advisory_CVE_2026_93491() throws Exception {
        BENCH.backend.reply(ok("x".repeat(64 * 1024), "Content-Length: " + 64 * 1024));
        long heapBefore = usedHeapBytes();
        RawClient client = RawClient.connect(BENCH.sidecar.address(), 8 * 1024);
        AtomicLong sentRequests = new AtomicLong();
        Thread sender = new Thread(() -> sendAll(client, sentRequests), "flood");
        sender.start();
        awaitStandstill(sentRequests);
        assertThat(sentRequests).hasValueLessThan(REQUESTS);
        assertThat(BENCH.sidecar.count(ListenerMetric.EXCHANGES_STARTED)).isLessThan(MANY_BUT_FAR_FROM_ALL);
        assertThat(usedHeapBytes() - heapBefore).isLessThan(MAX_HEAP_GROWTH_BYTES);
        assertThat(BENCH.client().send(GET).response().status()).isEqualTo(200);
        client.close();
        sender.join();
    }

    private static void sendAll(RawClient client, AtomicLong sentRequests) {
        byte[] batch = Wire.bytes(GET.repeat(100));
        while (sentRequests.get() < REQUESTS && client.trySend(batch)) {
            sentRequests.addAndGet(100);
        }
    }

    /** Nothing more goes in while the loop has gone round many times. */
    private static void awaitStandstill(AtomicLong sentRequests) {
        Sidecar sidecar = BENCH.sidecar;
        long before = -1;
        while (before != sentRequests.get() + sidecar.count(ListenerMetric.EXCHANGES_STARTED)) {
            before = sentRequests.get() + sidecar.count(ListenerMetric.EXCHANGES_STARTED);
            for (int i = 0; i < 200; i++) {
                sidecar.barrier();
            }
        }
    }

    private static long usedHeapBytes() throws IOException {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
