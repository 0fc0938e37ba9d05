package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that read their responses only when nothing more is written: every other deadline must still hold then. */
@Contract
final class LateReaderIT {
    private static final int RESPONSE_BYTES = 20_000;
    private static final int UNTAKEN_MS = 100;
    private static final int MOST_REQUESTS = 5_000;
    private static final int MOST_ROUNDS = 20;

    @RegisterExtension
    final Stand stand = new Stand();

    private void start(String timeouts) {
        stand.start("timeouts: " + timeouts, "");
        stand.backend.reply(
                "HTTP/1.1 200 OK\r\nContent-Length: " + RESPONSE_BYTES + "\r\n\r\n" + "x".repeat(RESPONSE_BYTES));
    }

    /**
     * Sends requests until one is not taken any more, for the responses before it fill every buffer.
     *
     * @return how many responses there are to read
     */
    private int fill(RawClient client) throws IOException {
        for (int sent = 1; sent <= MOST_REQUESTS; sent++) {
            // read each time, as one that was cut may be counted late
            long expected = finished() + 1;
            client.send(GET);
            if (!Await.within(UNTAKEN_MS, () -> finished() == expected)) {
                return sent;
            }
        }
        return MOST_REQUESTS;
    }

    /**
     * Sends that many requests, which are all taken, one behind the other.
     *
     * @return how many there were before the sidecar cut the connection
     */
    private int fill(RawClient client, int requests) {
        for (int sent = 0; sent < requests; sent++) {
            long expected = finished() + 1;
            if (!client.trySend(GET.getBytes(StandardCharsets.US_ASCII))) {
                return sent;
            }
            Await.until("taken or cut", () -> finished() >= expected);
        }
        return requests;
    }

    /**
     * The last of so many fills the buffers, so that nothing is behind it: as many as two clients like it took. On a busy
     * machine one may seem to take fewer.
     */
    private int brim() throws IOException {
        int before = measure();
        for (int round = 0; round < MOST_ROUNDS; round++) {
            int taken = measure();
            if (taken >= 2 && taken == before) {
                return taken;
            }
            before = taken;
        }
        throw new AssertionError("no two clients took as many responses");
    }

    private int measure() throws IOException {
        long closedBefore = stand.sidecar().closedConnections();
        int taken;
        try (RawClient measure = RawClient.connect(stand.sidecar().address(), 8 * 1024)) {
            taken = fill(measure) - 1;
        }
        Await.until("closed", () -> stand.sidecar().closedConnections() > closedBefore);
        return taken;
    }

    private long finished() {
        return stand.sidecar().finishedAtOnce();
    }

    private static void read(RawClient client, int responses) throws IOException {
        for (int i = 0; i < responses; i++) {
            assertThat(client.response().body()).hasSize(RESPONSE_BYTES);
        }
    }

    private boolean closed() {
        return stand.sidecar().closedConnections() > 0;
    }

    /** From then on it is idle, for as long as an idle client may be, and no longer. */
    @Test
    void staysForTheIdleTimeout() throws IOException {
        // the time counts from the last write, and the client may take a second or two to read what the kernel has by
        // then
        start("{ body-idle: 400ms, idle: 4s }");
        RawClient client = stand.narrowClient();
        read(client, fill(client));
        assertThat(Await.within(900, this::closed)).as("closed early").isFalse();
        Await.until("closed at last", this::closed);
        stand.nothingFailed();
    }

    @Test
    void staysForTheIdleTimeoutWithNothingBehind() throws IOException {
        start("{ body-idle: 20s, idle: 1s }");
        int brim = brim();
        long closedBefore = stand.sidecar().closedConnections();
        RawClient client = stand.narrowClient();
        int responses = fill(client, brim);
        read(client, responses);
        Await.until("idle at last", () -> stand.sidecar().closedConnections() > closedBefore);
    }

    /** A head that has begun is waited for no longer because responses are read meanwhile. */
    @Test
    void owesTheRestOfAHead() throws IOException {
        start("{ body-idle: 20s, header-read: 500ms }");
        int brim = brim();
        RawClient client = stand.narrowClient();
        int responses = fill(client, brim);
        client.send("GET / HTTP/1.1\r\nHos");
        stand.sidecar().barrier();
        read(client, responses);
        RawResponse response = client.response();
        assertThat(response.field("Remora-Error")).isEqualTo(Failure.HEADER_TIMEOUT.label());
    }

    /** Nor is it when they are not read: the stall is found though the head has a deadline of its own. */
    @Test
    void owesTheReadingToo() throws IOException {
        start("{ body-idle: 400ms, header-read: 20s }");
        int brim = brim();
        // before the stall begins: a slow machine may see it end at once
        long closedBefore = stand.sidecar().closedConnections();
        RawClient client = stand.narrowClient();
        fill(client, brim);
        client.trySend("GET / HTTP/1.1\r\nHos".getBytes(StandardCharsets.US_ASCII));
        Await.until("cut", () -> stand.sidecar().closedConnections() > closedBefore);
    }
}
