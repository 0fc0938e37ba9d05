package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Certificates;
import io.remora.testkit.HttpServers;
import io.remora.testkit.Nginx;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Requests;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Somebody else's servers of HTTP/2: nginx and Go by ALPN, nghttpd by prior knowledge. */
final class Http2BackendPeersIT {
    private static final int LARGE = 64 << 20;
    private static final String ECHO = "location / { return 200 \"$server_protocol|$ssl_alpn_protocol|$http_host\"; }";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static Nginx nginx;
    private static int both;
    private static int onlyHttp1;
    private static HttpServers servers;

    @BeforeAll
    static void start() throws IOException {
        nginx = new Nginx(TLS.directory());
        both = server("http2_max_concurrent_streams 4; ", true);
        onlyHttp1 = server("", false);
        nginx.start();
        servers = new HttpServers(TLS.directory());
        Files.write(TLS.directory().resolve("large"), new byte[LARGE]);
    }

    private static int server(String more, boolean http2) {
        return nginx.server(TLS.pki().path("app.crt"), TLS.pki().path("app.key"), more + ECHO, http2);
    }

    @AfterAll
    static void stop() {
        nginx.close();
        servers.close();
    }

    private static SeamStand before(int port, String protocol) {
        return SeamStand.start(
                new Seams(),
                SeamStand.config(
                        "",
                        "protocol: " + protocol + "\ntimeouts: {connect: 5s}\ntls: { "
                                + TLS.pki().trust("ca") + ", server-name: app.test }",
                        port));
    }

    @Test
    void nginxChoosesHttp2() {
        for (String protocol : List.of("auto", "http2")) {
            try (SeamStand stand = before(both, protocol)) {
                assertThat(stand.get("/").bodyText()).isEqualTo("HTTP/2.0|h2|app");
                assertThat(stand.page("/clusters")).contains("protocol=" + protocol);
            }
        }
    }

    @Test
    void nginxChoosesHttp1() {
        try (SeamStand stand = before(onlyHttp1, "auto")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("HTTP/1.1|http/1.1|app");
            assertThat(stand.get("/").bodyText()).isEqualTo("HTTP/1.1|http/1.1|app");
        }
        try (SeamStand stand = before(onlyHttp1, "http2")) {
            assertThat(stand.get("/").field("remora-error")).isEqualTo("handshake-failed");
        }
    }

    @Test
    void nginxTakesFourStreamsAConnection() throws IOException {
        try (SeamStand stand = before(both, "auto")) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                clients.add(stand.client().send(Requests.get("/" + i)));
            }
            for (RawClient client : clients) {
                assertThat(client.response().bodyText()).isEqualTo("HTTP/2.0|h2|app");
            }
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void goServesLargeBodiesBothWays() throws Exception {
        int port = servers.go("app");
        try (SeamStand stand = before(port, "auto")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("HTTP/2.0\n");
            RawClient client =
                    stand.client().send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + LARGE + "\r\n\r\n");
            Thread writer = new Thread(() -> {
                byte[] piece = new byte[1 << 16];
                for (int sent = 0; sent < LARGE && client.trySend(piece); sent += piece.length) {
                    // the next one
                }
            });
            writer.start();
            RawResponse response = client.response();
            writer.join();
            assertThat(response.bodyText()).isEqualTo(LARGE + "\n");
            RawClient reader = stand.client().send(Requests.get("/?octets=" + LARGE));
            assertThat(reader.responseHead().field("content-length")).isEqualTo(Integer.toString(LARGE));
            reader.input().skipNBytes(LARGE);
        }
    }

    @Test
    void nghttpdServesByPriorKnowledge() throws IOException {
        int port = servers.nghttpd();
        try (SeamStand stand = SeamStand.start(new Seams(), SeamStand.config("", "protocol: http2", port))) {
            RawClient client = stand.client().send(Requests.get("/large"));
            RawResponse head = client.responseHead();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.field("server")).startsWith("nghttpd");
            client.input().skipNBytes(LARGE);
            assertThat(stand.get("/not-there").status()).isEqualTo(404);
        }
    }
}
