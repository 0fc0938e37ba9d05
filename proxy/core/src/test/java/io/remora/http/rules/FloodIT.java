package io.remora.http.rules;

import static io.remora.http.rules.Messages.GET;
import static io.remora.http.rules.Messages.ok;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.KernelQueues;
import io.remora.testkit.RawClient;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that sends without reading must not make the sidecar hold what it sends. */
@Contract
final class FloodIT {
    private static final int REQUESTS = 400_000;
    private static final int BATCH = 100;
    /** Some requests that are decoded and wait, and what one read brings. */
    private static final int MAX_HELD_BYTES = 256 << 10;
    /** Responses that wait to be written: of a body, what is below the mark at which the backend is read no more. */
    private static final int MAX_DIRECT_GROWTH_BYTES = 1 << 20;

    private static final int MANY_BUT_FAR_FROM_ALL = 2_000;

    @RegisterExtension
    static final Bench BENCH = new Bench();

    @Test
    @DisplayName("CVE-2026-93491 and CVE-2026-59899: pipelined requests without end, and responses that nobody reads")
    void advisory_CVE_2026_93491() throws Exception {
        BENCH.backend.reply(ok("x".repeat(64 * 1024), "Content-Length: " + 64 * 1024));
        long directBefore = BENCH.sidecar().count(Count.DIRECT_MEMORY_BYTES);
        RawClient client = RawClient.connect(BENCH.sidecar().address(), 8 * 1024);
        AtomicLong sentRequests = new AtomicLong();
        Thread sender = new Thread(() -> sendAll(client, sentRequests), "flood");
        sender.start();
        awaitStandstill(sentRequests);
        assertThat(sentRequests).hasValueLessThan(REQUESTS);
        long started = BENCH.sidecar().count(Count.EXCHANGES_STARTED);
        assertThat(started).isLessThan(MANY_BUT_FAR_FROM_ALL);
        assertThat(takenBytes(client, sentRequests.get()) - started * GET.length())
                .as("octets of requests that have not begun")
                .isLessThan(MAX_HELD_BYTES);
        assertThat(BENCH.sidecar().count(Count.DIRECT_MEMORY_BYTES) - directBefore)
                .as("direct memory")
                .isLessThan(MAX_DIRECT_GROWTH_BYTES);
        assertThat(BENCH.client().send(GET).response().status()).isEqualTo(200);
        client.close();
        sender.join();
    }

    private static void sendAll(RawClient client, AtomicLong sentRequests) {
        byte[] batch = Wire.bytes(GET.repeat(BATCH));
        while (sentRequests.get() < REQUESTS && client.trySend(batch)) {
            sentRequests.addAndGet(BATCH);
        }
    }

    /** Nothing more goes in while the loop has gone round many times. */
    private static void awaitStandstill(AtomicLong sentRequests) {
        Sidecar sidecar = BENCH.sidecar();
        long before = -1;
        while (before != sentRequests.get() + sidecar.count(Count.EXCHANGES_STARTED)) {
            before = sentRequests.get() + sidecar.count(Count.EXCHANGES_STARTED);
            for (int i = 0; i < 200; i++) {
                sidecar.barrier();
            }
        }
    }

    /** What the sidecar has read of what was sent: all but what the kernel still holds. */
    private static long takenBytes(RawClient client, long sentRequests) {
        long sentBytes = (sentRequests + BATCH) * GET.length();
        return sentBytes
                - KernelQueues.between(
                        client.socket().getLocalPort(),
                        BENCH.sidecar().address().getPort());
    }
}
