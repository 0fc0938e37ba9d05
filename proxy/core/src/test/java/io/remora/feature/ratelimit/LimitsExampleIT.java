package io.remora.feature.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code examples/limits.yaml}, as it is run. */
final class LimitsExampleIT {
    private static String get(String path, String field) {
        return "GET " + path + " HTTP/1.1\r\nHost: app\r\n" + field + "\r\n\r\n";
    }

    @Test
    void limitsWhatItSays() throws IOException, ConfigException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk()) {
            Map<String, String> environment =
                    Map.of("ADMIN_PORT", "0", "PORT", "0", "APP_PORT", Integer.toString(backend.port()));
            try (Proxy proxy = Examples.start(Examples.with("limits.yaml"), environment);
                    RawClient client = RawClient.connect(proxy.address("inbound"))) {
                assertThat(status(client, "/", "X-Forwarded-For: 192.0.2.7")).isEqualTo(403);
                assertThat(status(client, "/admin", "X-Forwarded-For: 203.0.113.7"))
                        .isEqualTo(403);
                assertThat(status(client, "/admin", "X-Forwarded-For: 10.0.0.7"))
                        .isEqualTo(200);
                int passed = 0;
                RawResponse refused =
                        client.send(get("/search", "X-Api-Key: a")).response();
                // tokens come back where the machine is slow
                while (refused.status() == 200 && passed < 50) {
                    passed++;
                    refused = client.send(get("/search", "X-Api-Key: a")).response();
                }
                assertThat(passed).isGreaterThanOrEqualTo(5);
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.field("RateLimit-Policy")).isEqualTo("\"each-key\";q=30;w=60");
                assertThat(status(client, "/search", "X-Api-Key: b")).isEqualTo(200);
            }
        }
    }

    private static int status(RawClient client, String path, String field) throws IOException {
        return client.send(get(path, field)).response().status();
    }
}
