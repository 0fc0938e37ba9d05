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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters whose endpoints are where Finagle's delegations lead. */
final class NamesIT {
    @TempDir
    private Path directory;

    private final RecordingBackend stable = RecordingBackend.start();
    private final RecordingBackend canary = RecordingBackend.start();

    @AfterEach
    void close() {
        stable.close();
        canary.close();
    }

    /** Clusters {@code stable} and {@code canary}, one that a file lists, and {@code app}, which is {@code /s/app}. */
    private Sidecar start(String dtab, String routes) {
        return Sidecar.of(
                """
                engine: finagle
                log-level: error
                PROCESS
                admin: {address: "127.0.0.1:0"}
                finagle: {dtab: "DTAB"}
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    routes: [ROUTES{cluster: app}]
                  - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                clusters:
                  app: {dest: /s/app, timeouts: {response-header: 1m}}
                  stable: {endpoints: ["127.0.0.1:${BACKEND}"]}
                  canary: {endpoints: ["127.0.0.1:${BACKEND_1}"]}
                  listed: {resolver: {file: FILE}}
                  barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                """.replace("PROCESS", process)
                        .replace("DTAB", dtab)
                        .replace("ROUTES", routes)
                        .replace("FILE", file().toString()),
                stable,
                canary);
    }

    private String process = "";

    private Path file() {
        return directory.resolve("endpoints.yaml");
    }

    private void list(String endpoints) throws IOException {
        Path next = Files.writeString(directory.resolve("next"), "[" + endpoints + "]\n");
        Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String at(RecordingBackend backend) {
        return "\"127.0.0.1:" + backend.port() + '"';
    }

    private static RawResponse get(RawClient client, String path) throws IOException {
        return client.send("GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n").response();
    }

    private static int requests(RecordingBackend backend) {
        return backend.requests().size();
    }

    /** Whether a request goes to the one that is stable, and not to the other. */
    private boolean goesToStable(RawClient client, String path) throws IOException {
        int before = requests(stable);
        int others = requests(canary);
        assertThat(get(client, path).status()).isEqualTo(200);
        assertThat(requests(stable) + requests(canary)).isEqualTo(before + others + 1);
        return requests(stable) > before;
    }

    /** As Finagle's documentation of dtabs has it: the later entry first, and the next alternative where there is none. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/s => /nowhere; /s => /#/stable",
                "/s/app => /#/stable",
                "/s => /cluster; /cluster/app => /#/stable",
                "/s/* => /#/stable",
                "/s/app => /#/canary; /s/app => /#/stable",
                "/s/app => /#/stable | /#/canary",
                "/s/app => /#/nobody | /#/stable",
                "/s/app => ~ | /#/stable",
                "/s/app => /#/stable; /s/app => ~",
                "/s/app => /#/stable; /s/app => /#/nobody",
                "/s/app => /#/stable; /s/app => /elsewhere",
                "/s/app => 1 * /#/stable & 0 * /#/canary",
                "/s => /#; /#/app => /#/stable",
            })
    void goesWhereDelegationsLead(String dtab) throws IOException {
        try (Sidecar sidecar = start(dtab, "");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 3; i++) {
                assertThat(goesToStable(client, "/")).isTrue();
            }
            assertThat(stable.connections()).hasSize(1);
        }
    }

    /** An alternative that is not followed, because what is before it says so. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/s/app => /#/stable; /s/app => !",
                "/s/app => /#/stable; /s/app => /$/fail",
                "/s/app => $ | /#/stable",
                "/s/app => /$/nil | /#/stable",
            })
    void endsWhereADelegationSaysSo(String dtab) throws IOException {
        try (Sidecar sidecar = start(dtab, "");
                RawClient client = sidecar.client()) {
            RawResponse response = get(client, "/");
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.field("Remora-Error")).isEqualTo("no-endpoint");
            assertThat(requests(stable)).isZero();
        }
    }

    @Test
    void dividesByWeight() throws IOException {
        try (Sidecar sidecar = start("/s/app => 3 * /#/stable & 1 * /#/canary", "");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 400; i++) {
                assertThat(get(client, "/").status()).isEqualTo(200);
            }
            // more than five standard deviations either side
            assertThat(requests(stable)).isBetween(250, 350);
            assertThat(requests(canary)).isEqualTo(400 - requests(stable));
        }
    }

    @Test
    void aUnionLeavesOutWhoHasNoEndpoint() throws IOException {
        list("");
        String route = "{match: {path: /listed}, cluster: listed}, ";
        try (Sidecar sidecar = start("/s/app => 1 * /#/stable & 1 * /#/listed", route);
                RawClient client = sidecar.client()) {
            assertThat(get(client, "/listed").field("Remora-Error")).isEqualTo("no-endpoint");
            for (int i = 0; i < 50; i++) {
                assertThat(goesToStable(client, "/")).isTrue();
            }
            list(at(canary));
            Await.until("it has its share", () -> !asked(client));
        }
    }

    @Test
    void aRoutesDtabWinsForItsRequestsOnly() throws IOException {
        String route = "{match: {prefix: /new}, cluster: app, dtab: \"/s/app => /#/canary\"}, ";
        try (Sidecar sidecar = start("/s => /#; /s/app => /#/stable", route);
                RawClient client = sidecar.client()) {
            assertThat(goesToStable(client, "/")).isTrue();
            assertThat(goesToStable(client, "/new")).isFalse();
            assertThat(goesToStable(client, "/old")).isTrue();
            assertThat(goesToStable(client, "/new/er")).isFalse();
            assertThat(stable.connections()).hasSize(1);
            assertThat(canary.connections()).hasSize(1);
        }
    }

    /** Finagle of itself keeps four dtabs, and makes a client for one request where there are more. */
    @Test
    void keepsItsConnectionsForEachOfManyDtabs() throws IOException {
        StringBuilder routes = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            routes.append("{match: {path: /")
                    .append(i)
                    .append("}, cluster: app, dtab: \"/s/app => /n")
                    .append(i);
            routes.append("; /n").append(i).append(" => /#/stable\"}, ");
        }
        try (Sidecar sidecar = start("/s/app => /#/canary", routes.toString());
                RawClient client = sidecar.client()) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 20; i++) {
                    assertThat(goesToStable(client, "/" + i)).isTrue();
                }
            }
            assertThat(stable.connections()).hasSize(1);
        }
    }

    @Test
    void fallsBackWhileAClusterHasNoEndpointAndReturnsToIt() throws IOException {
        list("");
        try (Sidecar sidecar = start("/s/app => /#/listed | /#/stable", "");
                RawClient client = sidecar.client()) {
            assertThat(goesToStable(client, "/")).isTrue();
            list(at(canary));
            Await.until("its endpoint is used", () -> !asked(client));
            list("");
            Await.until("there is none again", () -> asked(client));
        }
    }

    private boolean asked(RawClient client) {
        try {
            return goesToStable(client, "/");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void followsWhatAClustersSourceTells() throws IOException {
        list(at(stable));
        try (Sidecar sidecar = start("/s/app => /#/listed", "");
                RawClient client = sidecar.client()) {
            assertThat(goesToStable(client, "/")).isTrue();
            list(at(canary));
            Await.until("the other is used", () -> !asked(client));
        }
    }

    @Test
    void waitsForTheFirstAnswer() throws IOException {
        try (Sidecar sidecar = start("/s/app => /#/listed", "");
                RawClient client = sidecar.client();
                RawClient leaving = sidecar.client()) {
            client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello");
            leaving.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n");
            sidecar.barrier();
            leaving.reset();
            sidecar.barrier();
            assertThat(requests(stable)).isZero();
            list(at(stable));
            assertThat(client.response().bodyText()).isEqualTo("ok");
            assertThat(stable.requests()).hasSize(1).allSatisfy(seen -> assertThat(seen.bodyText())
                    .isEqualTo("hello"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void goesToAnAddress(String host) throws IOException {
        try (Sidecar sidecar = start("/s/app => /$/inet/" + host + "/" + stable.port(), "");
                RawClient client = sidecar.client()) {
            assertThat(goesToStable(client, "/")).isTrue();
            assertThat(goesToStable(client, "/")).isTrue();
            assertThat(stable.connections()).hasSize(1);
        }
    }

    @Test
    void eachEventLoopBindsItsNames() throws IOException {
        process = "workers: 2";
        try (Sidecar sidecar = start("/s/app => /#/stable", "");
                RawClient first = sidecar.client();
                RawClient second = sidecar.client();
                RawClient third = sidecar.client()) {
            assertThat(goesToStable(first, "/")).isTrue();
            assertThat(goesToStable(second, "/")).isTrue();
            assertThat(goesToStable(third, "/")).isTrue();
            assertThat(stable.connections()).hasSize(2);
        }
    }

    @Test
    void aFiltersOwnDtabWins() throws IOException {
        Path jars = FilterJar.example(directory);
        process =
                "plugins: {directory: \"" + jars + "\", filters: [\"" + TestFilters.class.getName() + "$Delegating\"]}";
        String route = "{match: {prefix: /new}, cluster: app, dtab: \"/s/app => /nowhere\"}, ";
        try (Sidecar sidecar = start("/s/app => /#/stable", route);
                RawClient client = sidecar.client()) {
            assertThat(goesToStable(client, "/")).isTrue();
            assertThat(goesToStable(client, "/canary")).isFalse();
            assertThat(goesToStable(client, "/new/canary")).isFalse();
            assertThat(goesToStable(client, "/canary/later")).isFalse();
            assertThat(goesToStable(client, "/")).isTrue();
        }
    }

    @Test
    void countsAndNamesTheEndpointsOfItsName() throws IOException {
        list(at(stable) + ", " + at(canary));
        try (Sidecar sidecar = start("/s/app => /#/listed", "");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 20; i++) {
                assertThat(get(client, "/").status()).isEqualTo(200);
            }
            assertThat(requests(stable)).isPositive();
            assertThat(requests(canary)).isPositive();
            String page = sidecar.admin("GET", "/metrics").bodyText();
            assertThat(page)
                    .contains("cluster=\"app\",endpoint=\"127.0.0.1:" + stable.port() + '"')
                    .contains("cluster=\"app\",endpoint=\"127.0.0.1:" + canary.port() + '"');
        }
    }
}
