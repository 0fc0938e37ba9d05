package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Endpoints that come and go, told by one of the sidecar's own resolvers. */
final class FinagleResolverIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    @TempDir
    private Path directory;

    private void tell(Path file, String endpoints) throws IOException {
        Path next = Files.writeString(directory.resolve("next"), "[" + endpoints + "]\n");
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String at(RecordingBackend backend) {
        return "\"127.0.0.1:" + backend.port() + '"';
    }

    private static String ask(RawClient client) {
        try {
            return client.send(GET).response().bodyText();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Sidecar before(Path file, String resolver) {
        return Sidecar.of("""
                engine: finagle
                log-level: error
                admin: {address: "127.0.0.1:0"}
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                  - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                clusters:
                  app: {resolver: {file: FILE, RESOLVER}}
                  barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                """.replace("FILE", file.toString()).replace("RESOLVER", resolver));
    }

    private static void isNotResolved(RawResponse response) {
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.field("Remora-Error")).isEqualTo("not-resolved");
    }

    private static String page(Sidecar sidecar, String path) {
        return sidecar.admin("GET", path).bodyText();
    }

    @Test
    void boundsWhoWaitsForTheFirstAnswer() throws IOException {
        Path file = directory.resolve("endpoints.yaml");
        try (RecordingBackend only = RecordingBackend.start();
                Sidecar sidecar = before(file, "pending: 2, pending-timeout: 1h");
                RawClient first = sidecar.client();
                RawClient second = sidecar.client();
                RawClient third = sidecar.client()) {
            first.send(GET);
            second.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello");
            Await.until("two wait", () -> page(sidecar, "/clusters").contains(" pending=2"));
            isNotResolved(third.send(GET).response());
            tell(file, at(only));
            assertThat(first.response().bodyText()).isEqualTo("ok");
            assertThat(second.response().bodyText()).isEqualTo("ok");
            assertThat(third.send(GET).response().bodyText()).isEqualTo("ok");
            assertThat(page(sidecar, "/metrics"))
                    .contains("remora_pending_requests_total{cluster=\"app\",source=\"file\",outcome=\"served\"} 2")
                    .contains("remora_pending_requests_total{cluster=\"app\",source=\"file\",outcome=\"overflow\"} 1");
        }
    }

    @Test
    void whoseClientGoesWaitsNoLonger() throws IOException {
        try (Sidecar sidecar = before(directory.resolve("none.yaml"), "pending-timeout: 1h")) {
            RawClient client = sidecar.client();
            client.send(GET);
            Await.until("waits", () -> page(sidecar, "/clusters").contains(" pending=1"));
            client.reset();
            sidecar.barrier();
            Await.until("has left", () -> page(sidecar, "/clusters").contains(" pending=0"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pending: 0, pending-timeout: 1h", "pending-timeout: 200ms"})
    void refusesWhoMayNotWait(String resolver) throws IOException {
        try (Sidecar sidecar = before(directory.resolve("none.yaml"), resolver);
                RawClient client = sidecar.client()) {
            isNotResolved(client.send(GET).response());
            sidecar.barrier();
        }
    }

    /** Each host of a template is a cluster of this engine like any other. */
    @Test
    void servesTemplates() throws IOException {
        try (RecordingBackend one = RecordingBackend.start();
                Sidecar sidecar = Sidecar.of("""
                        engine: finagle
                        log-level: warn
                        admin: {address: "127.0.0.1:0"}
                        listeners:
                          - name: test
                            address: "127.0.0.1:0"
                            routes: [{cluster-from: host, cluster: peers}]
                          - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                        clusters:
                          peers: {template: {hosts: ["*.test"]}, resolver: {file: "DIRECTORY/{host}.yaml"}}
                          barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                        """.replace("DIRECTORY", directory.toString()));
                RawClient client = sidecar.client()) {
            tell(directory.resolve("app.test.yaml"), at(one));
            client.send(GET.replace("app", "app.test"));
            assertThat(client.response().bodyText()).isEqualTo("ok");
            client.send(GET);
            assertThat(client.response().status()).isEqualTo(404);
        }
    }

    @Test
    void followsItsSource() throws IOException {
        Path file = directory.resolve("endpoints.yaml");
        try (RecordingBackend first = RecordingBackend.start();
                RecordingBackend second = RecordingBackend.start()) {
            second.reply("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo");
            try (Sidecar sidecar = before(file, "pending-timeout: 100ms");
                    RawClient client = sidecar.client()) {
                RawResponse early = client.send(GET).response();
                isNotResolved(early);
                tell(file, at(first));
                Await.until("the first one is asked", () -> ask(client).equals("ok"));
                tell(file, at(second));
                Await.until("the other one is asked", () -> ask(client).equals("two"));
                Await.until("the first one is left", () -> first.openConnections() == 0);
                tell(file, at(first) + ", " + at(second));
                Await.until("both are asked", () -> ask(client).equals("ok"));
            }
        }
    }
}
