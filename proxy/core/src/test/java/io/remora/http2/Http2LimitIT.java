package io.remora.http2;

import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.SeamStand;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Streams that come faster than a rate limit allows, and what calls of gRPC are told. */
final class Http2LimitIT {
    private static final String[] CALL = {
        ":method", "POST", ":scheme", "http", ":authority", "app", ":path", "/a.B/C", "content-type", "application/grpc"
    };
    private static final String LISTENER = "protocol: http2\n";

    @Test
    void eachStreamCounts() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SeamStand stand =
                        SeamStand.start(LISTENER + "rate-limits: [{ name: a, rate: 2/m }]", "", backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            assertThat(client.headers(1, true, GET).answer(1).status()).isEqualTo(200);
            assertThat(client.headers(3, true, GET).answer(3).status()).isEqualTo(200);
            Answer refused = client.headers(5, true, GET).answer(5);
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.field("remora-error")).isEqualTo("rate-limited");
            assertThat(refused.field("retry-after")).isBetween("10", "30");
            assertThat(refused.field("ratelimit-policy")).isEqualTo("\"a\";q=2;w=60");
            assertThat(refused.field("ratelimit")).isEqualTo("\"a\";r=0;t=" + refused.field("retry-after"));
            assertThat(refused.field("grpc-status")).isNull();
        }
    }

    /** Not UNAVAILABLE, by which a proxy before this one would take it for out of order. */
    @Test
    void aCallIsToldThatItsShareIsUsedUp() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SeamStand stand = SeamStand.start(
                        LISTENER + "rate-limits: [{ rate: 2/m, burst: 1, by: \"header:x-key\" }]", "", backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            String[] call = with(CALL, "x-key", "a");
            client.headers(1, true, call).answer(1);
            Answer refused = client.headers(3, true, call).answer(3);
            assertThat(refused.status()).isEqualTo(200);
            assertThat(refused.field("grpc-status")).isEqualTo("8");
            assertThat(Integer.parseInt(String.valueOf(refused.field("grpc-retry-pushback-ms"))))
                    .isBetween(10_000, 30_000);
            assertThat(stand.metric("remora_grpc_calls_total", "resource-exhausted"))
                    .isOne();
        }
    }

    @Test
    void aCallOfWhomItIsNotForIsDenied() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SeamStand stand = SeamStand.start(LISTENER + "clients: { deny: [127.0.0.0/8] }", "", backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            Answer refused = client.headers(1, true, CALL).answer(1);
            assertThat(refused.field("grpc-status")).isEqualTo("7");
            assertThat(refused.field("remora-error")).isEqualTo("client-denied");
        }
    }
}
