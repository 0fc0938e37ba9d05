package io.remora.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code examples/routing.yaml}, as it is run. */
final class RoutingExampleIT {
    @Test
    void doesWhatThePageSays() throws IOException, ConfigException {
        try (RecordingBackend app = RecordingBackend.start()) {
            String port = Integer.toString(app.port());
            Map<String, String> environment =
                    Map.of("ADMIN_PORT", "0", "PORT", "0", "APP_PORT", port, "CANARY_PORT", port, "SHADOW_PORT", port);
            try (Proxy proxy = Examples.start(Examples.with("routing.yaml"), environment);
                    RawClient client = RawClient.connect(proxy.address("inbound"))) {
                RawResponse robots = client.send("GET /robots.txt HTTP/1.1\r\nHost: a\r\n\r\n")
                        .response();
                assertThat(robots.bodyText()).isEqualTo("User-agent: *\nDisallow: /\n");
                RawResponse moved =
                        client.send("GET /old/page HTTP/1.1\r\nHost: a\r\n\r\n").response();
                assertThat(moved.status()).isEqualTo(308);
                assertThat(moved.field("Location")).isEqualTo("http://a/new/page");
                RawResponse api = client.send("GET /api/x HTTP/1.1\r\nHost: a\r\nX-Request-Id: 7\r\nX-Debug: 1\r\n\r\n")
                        .response();
                assertThat(api.field("X-Request-Id")).isEqualTo("7");
                RawRequest request = app.requests().get(0);
                assertThat(request.target()).isEqualTo("/v2/x");
                assertThat(request.field("Host")).isEqualTo("app.internal");
                assertThat(request.field("X-Client")).isEqualTo("127.0.0.1");
                assertThat(request.field("X-Route")).isEqualTo("api");
                assertThat(request.fields().has("X-Debug")).isFalse();
                RawResponse web =
                        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").response();
                assertThat(web.bodyText()).isEqualTo("ok");
            }
        }
    }
}
