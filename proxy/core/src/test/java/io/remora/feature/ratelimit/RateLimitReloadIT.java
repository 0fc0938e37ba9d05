package io.remora.feature.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ProxyConfig;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of buckets where the configuration is replaced. */
final class RateLimitReloadIT {
    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @AfterEach
    void close() {
        backend.close();
    }

    private ProxyConfig config(String limit, String other) {
        return SeamStand.config("rate-limits: [{ " + limit + " }]\n" + other, "", backend.port());
    }

    @Test
    void theyStayWhereTheirLimitStays() throws IOException {
        String limit = "name: a, rate: 1/m, burst: 3, by: client";
        try (SeamStand stand = SeamStand.start(new Seams(), config(limit, ""))) {
            assertThat(stand.get("/").status()).isEqualTo(200);
            stand.proxy().replace(config(limit, "limits: { in-flight: 7 }"));
            assertThat(stand.get("/").status()).isEqualTo(200);
            for (int i = 0; i < 5; i++) {
                stand.proxy().replace(config(limit, ""));
                System.gc();
            }
            assertThat(stand.get("/").status()).isEqualTo(200);
            assertThat(stand.get("/").status()).isEqualTo(429);
            assertThat(stand.metric("remora_rate_limit_refused_total")).isOne();
        }
    }

    @Test
    void whatIsCountedForALimitEndsWithIt() throws IOException {
        try (SeamStand stand = SeamStand.start(new Seams(), config("name: a, rate: 1/m", ""))) {
            assertThat(stand.get("/").status()).isEqualTo(200);
            assertThat(stand.get("/").status()).isEqualTo(429);
            stand.proxy().replace(config("name: b, rate: 1/m", ""));
            assertThat(stand.page("/metrics")).contains("limit=\"b\"").doesNotContain("limit=\"a\"");
            stand.proxy().replace(config("name: a, rate: 1/m", ""));
            assertThat(stand.page("/metrics")).contains("limit=\"a\"").doesNotContain("limit=\"b\"");
        }
    }

    /** Who is told of it is no matter of its buckets. */
    @Test
    void whetherItIsToldChangesLive() throws IOException {
        String limit = "name: a, rate: 2/m";
        try (SeamStand stand = SeamStand.start(new Seams(), config(limit, ""))) {
            assertThat(stand.get("/").field("RateLimit")).isNull();
            stand.proxy().replace(config(limit + ", tell-always: true", ""));
            assertThat(stand.get("/").field("RateLimit")).startsWith("\"a\";r=0;t=");
            assertThat(stand.get("/").status()).isEqualTo(429);
        }
    }

    @Test
    void anotherLimitBeginsWithFullOnes() throws IOException {
        try (SeamStand stand = SeamStand.start(new Seams(), config("name: a, rate: 1/m", ""))) {
            assertThat(stand.get("/").status()).isEqualTo(200);
            assertThat(stand.get("/").status()).isEqualTo(429);
            stand.proxy().replace(config("name: a, rate: 2/m", ""));
            assertThat(stand.get("/").status()).isEqualTo(200);
            assertThat(stand.get("/").status()).isEqualTo(200);
            assertThat(stand.get("/").status()).isEqualTo(429);
            assertThat(stand.metric("remora_rate_limit_refused_total")).isEqualTo(2);
            stand.proxy().replace(SeamStand.config("", "", backend.port()));
            assertThat(stand.get("/").status()).isEqualTo(200);
        }
    }
}
