package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A cluster's limits hold its connections: what waits for an endpoint, what one read brings, and how long a head may
 * be.
 */
@Contract
final class BackendLimitsIT {
    /** More than the kernel holds for a backend that does not read, less than the largest buffer. */
    private static final long BEYOND_KERNEL = 12L << 20;

    @RegisterExtension
    final Stand stand = new Stand();

    @ParameterizedTest
    @CsvSource({"'', 40, 200", "'', 70, 502", "header-block: 8KiB, 7, 200", "header-block: 8KiB, 10, 502"})
    void boundAResponsesHead(String limits, int kibibytes, int status) throws IOException {
        stand.start("", "limits: { " + limits + " }");
        stand.backend.reply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: " + "x".repeat(kibibytes << 10) + "\r\n\r\nok");
        RawResponse response = stand.get();
        assertThat(response.status()).isEqualTo(status);
        stand.counted(Failure.BAD_RESPONSE, status == 200 ? 0 : 1);
    }

    @Test
    void letAResponsesHeadBeLonger() throws IOException {
        stand.start("", "limits: { header-block: 256KiB }");
        String value = "x".repeat(10 << 10);
        stand.backend.reply(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + ("X: " + value + "\r\n").repeat(20) + "\r\nok");
        assertThat(stand.get().fields().all("X")).hasSize(20).containsOnly(value);
    }

    @Test
    void boundWhatOneReadBrings() throws IOException {
        String body = "y".repeat(20_000);
        stand.start("", "limits: { buffer: 256B }");
        stand.backend.reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4e20\r\n" + body + "\r\n0\r\n\r\n");
        RawClient client = stand.client();
        client.send(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")).responseHead();
        int total = 0;
        for (String line : Wire.text(client.readToEnd()).split("\r\n")) {
            assertThat(line.length()).isLessThanOrEqualTo(256);
            total += line.startsWith("y") ? line.length() : 0;
        }
        assertThat(total).isEqualTo(body.length());
    }

    @ParameterizedTest
    @CsvSource({"16MiB, true", "32KiB, false"})
    void boundWhatWaitsForAnEndpoint(String buffer, boolean takesAll) throws Exception {
        CountDownLatch mayRead = new CountDownLatch(1);
        stand.start("", "limits: { buffer: " + buffer + " }");
        stand.backend.onRequest(connection -> {
            connection.readHead();
            Pattern.check(waited(connection.input(), mayRead), BEYOND_KERNEL);
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + BEYOND_KERNEL + "\r\n\r\n");
        CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> sendQuietly(client));
        if (takesAll) {
            Await.until("all is taken", () -> taken() == BEYOND_KERNEL);
        } else {
            awaitStandstill();
            assertThat(taken()).isBetween(1L, BEYOND_KERNEL - 1);
        }
        mayRead.countDown();
        assertThat(client.response().bodyText()).isEqualTo("ok");
        sent.get(1, TimeUnit.SECONDS);
        stand.nothingFailed();
    }

    private static java.io.InputStream waited(java.io.InputStream in, CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return in;
    }

    private static void sendQuietly(RawClient client) {
        try {
            Pattern.write(client::send, BEYOND_KERNEL);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private long taken() {
        return stand.sidecar().count(Count.REQUEST_BODY_BYTES);
    }

    private void awaitStandstill() {
        long before = -1;
        while (before != taken() || before == 0) {
            before = taken();
            Stand.pause(300);
        }
    }
}
