package io.remora.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.ScriptedSource;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Endpoints from a server that answers as Kubernetes' documentation says, well and badly. {@code KubernetesProgram} has the same
 * with an API server.
 */
@EveryEngine
final class KubernetesIT {
    private static final String LIST = "/apis/discovery.k8s.io/v1/namespaces/team/endpointslices"
            + "?labelSelector=kubernetes.io%2Fservice-name%3Dweb";
    private static final String WATCH = LIST + "&watch=1&allowWatchBookmarks=true&resourceVersion=";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    @TempDir
    Path directory;

    private final ScriptedSource server = new ScriptedSource();
    private final RecordingBackend first = RecordingBackend.start();
    private final RecordingBackend second = RecordingBackend.start();

    @AfterEach
    void close() {
        server.close();
        first.close();
        second.close();
    }

    private static String slice(String name, String version, RecordingBackend... backends) {
        String port = backends.length == 0 ? "[]" : "[{\"name\":\"http\",\"port\":" + backends[0].port() + "}]";
        return "{\"metadata\":{\"name\":\"" + name + "\",\"resourceVersion\":\"" + version
                + "\"},\"addressType\":\"IPv4\",\"endpoints\":"
                + (backends.length == 0 ? "null" : "[{\"addresses\":[\"127.0.0.1\"],\"conditions\":{\"ready\":true}}]")
                + ",\"ports\":" + port + "}";
    }

    private static String list(String version, String... slices) {
        return "{\"kind\":\"EndpointSliceList\",\"metadata\":{\"resourceVersion\":\"" + version + "\"},\"items\":["
                + String.join(",", slices) + "]}";
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    private SeamStand stand(String keys) {
        return stand(server.port(), "tls: off" + keys);
    }

    private static SeamStand stand(int port, String keys) {
        return SeamStand.start(
                new Seams(), SeamStand.config("""
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                clusters:
                  app:
                    resolver:
                      kubernetes: {address: "127.0.0.1:PORT", service: web, namespace: team, KEYS}
                """.replace("PORT", "" + port).replace("KEYS", keys)));
    }

    private static void awaitState(SeamStand stand, String state) {
        Await.until(
                state, () -> stand.page("/clusters").contains("app source=kubernetes:team/web state=" + state + " "));
    }

    private static void awaitProblem(SeamStand stand, String problem) {
        Await.until(problem, () -> stand.page("/clusters").contains(problem));
    }

    private static void awaitAt(SeamStand stand, RecordingBackend backend) {
        int before = backend.requests().size();
        Await.until(
                "a request there",
                () -> stand.get("/").status() == 200 && backend.requests().size() > before);
    }

    @Test
    void listsAndWatches() {
        server.set(list("100", slice("a", "90", first)), 0);
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            server.awaitQuestion("a watch", (WATCH + "100&timeoutSeconds=300")::equals);
            assertThat(server.targets().get(0)).isEqualTo(LIST + "&resourceVersion=0");
            server.event(event("ADDED", slice("b", "101", second)));
            awaitAt(stand, second);
            server.event(event("DELETED", slice("a", "102", first)));
            Await.until("drained", () -> first.openConnections() == 0);
            server.event(event("MODIFIED", slice("b", "103", first)));
            awaitAt(stand, first);
            server.event(event("MODIFIED", slice("b", "104")));
            awaitState(stand, "empty");
            server.event(event("BOOKMARK", "{\"kind\":\"EndpointSlice\",\"metadata\":{\"resourceVersion\":\"200\"}}"));
            server.event("END");
            server.awaitQuestion("from the bookmark on", target -> target.startsWith(WATCH + "200&"));
            // nothing has been listed a second time, on one connection
            assertThat(server.targets())
                    .filteredOn(target -> !target.contains("watch"))
                    .hasSize(1);
            assertThat(server.server().connections()).hasSize(1);
            assertThat(stand.metric("remora_resolver_answers_total", "failed")).isZero();
        }
        Await.until("it is left", () -> server.server().openConnections() == 0);
    }

    @Test
    void listsAgainWhereItsVersionIsGone() {
        server.set(list("100", slice("a", "90", first)), 0);
        try (SeamStand stand = stand("")) {
            server.awaitQuestion("a watch", target -> target.startsWith(WATCH + "100&"));
            server.set(list("300", slice("b", "290", second)), 0);
            server.event(event("ERROR", "{\"kind\":\"Status\",\"metadata\":{},\"message\":\"too old\",\"code\":410}"));
            awaitAt(stand, second);
            server.awaitQuestion("a watch", target -> target.startsWith(WATCH + "300&"));
            // what a server has at hand may be what is gone
            assertThat(server.targets()).contains(LIST);
            server.set(list("400", slice("c", "390", first)), 0);
            server.answerRaw("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n");
            Await.until(
                    "a list",
                    () -> server.targets().stream().filter(LIST::equals).count() == 2);
            server.answerRaw(null);
            awaitAt(stand, first);
            Await.until("drained", () -> second.openConnections() == 0);
        }
    }

    @Test
    void goesOnWhereAWatchIsCut() {
        server.set(list("100", slice("a", "90", first)), 0);
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            server.awaitQuestion("a watch", target -> target.startsWith(WATCH + "100&"));
            // not at once, which would be a failure
            long untilNs = System.nanoTime() + 1_200_000_000L;
            Await.until("it has stood for a while", () -> System.nanoTime() - untilNs > 0);
            server.event(event("ADDED", slice("b", "101", second)));
            server.event("CUT");
            server.awaitQuestion("from there on", target -> target.startsWith(WATCH + "101&"));
            assertThat(stand.metric("remora_resolver_answers_total", "failed")).isZero();
            assertThat(server.targets())
                    .filteredOn(target -> !target.contains("watch"))
                    .hasSize(1);
        }
    }

    /** A server that has too much to do is not to be asked for a list each time besides. */
    @Test
    void asksForARefusedWatchAgainAndForNoList() {
        server.set(list("100", slice("a", "90", first)), 0);
        server.answerWatches("HTTP/1.1 429 No\r\nContent-Length: 0\r\n\r\n");
        try (SeamStand stand = stand("")) {
            Await.until(
                    "three watches",
                    () -> server.targets().stream()
                                    .filter(target -> target.contains("&watch=1"))
                                    .count()
                            >= 3);
            awaitState(stand, "failed");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(server.targets())
                    .filteredOn(target -> !target.contains("watch"))
                    .hasSize(1);
            server.answerWatches(null);
            awaitState(stand, "bound");
        }
    }

    /** Each keeps the last answer in use, and is over with the next good list. */
    @Test
    void keepsTheLastAnswerWhateverTheServerDoes() {
        server.set(list("100", slice("a", "90", first)), 0);
        String error = "{\"kind\":\"Status\",\"message\":\"etcd is gone\",\"code\":500}";
        String[][] events = {
            {event("ERROR", error), "an error 500: etcd is gone"},
            {event("SOMETHING", slice("a", "1")), "an event of an unknown type"},
            {event("ADDED", "{\"metadata\":{\"name\":\"x\"}}"), "an event without a version"},
            {"{\"type\":1}", "expected a string"},
            {event("ADDED", "{\"endpoints\":{}}"), "expected an array"},
            {"nonsense", "JSON: expected null"},
            {"{\"a\":\"" + " ".repeat(9 << 20) + "\"}", "longer than 8388608 octets"}
        };
        String[][] lists = {
            {"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "status 500"},
            {"HTTP/1.1 403 No\r\nContent-Length: 6\r\n\r\ndenied", "status 403: denied"},
            {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "no list of EndpointSlices"},
            {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "expected an object"},
            {"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "backend-closed"}
        };
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            for (String[] each : events) {
                server.event(each[0]);
                awaitProblem(stand, each[1]);
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                awaitState(stand, "bound");
            }
            for (String[] each : lists) {
                server.answerRaw(each[0]);
                server.event(event("ERROR", "{\"code\":410}"));
                awaitProblem(stand, each[1]);
                awaitState(stand, "failed");
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                server.answerRaw(null);
                awaitState(stand, "bound");
            }
        }
    }

    @Test
    void goesByThePort() {
        server.set(list("1", slice("a", "1", first)), 0);
        try (SeamStand stand = stand(", port: http")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
        }
        try (SeamStand stand = stand(", port: " + first.port())) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
        }
        try (SeamStand stand = stand(", port: other")) {
            awaitState(stand, "empty");
        }
    }

    @Test
    void showsItsTokenToAServerThatItKnows() throws IOException {
        server.set(list("100", slice("a", "90", first)), 0);
        Path token = Files.writeString(directory.resolve("token"), "one");
        try (Sidecar before = TLS.listening(server.server(), "", "app");
                SeamStand stand = stand(
                        before.address().getPort(),
                        "token-file: " + token + ", watch-timeout: 1s, tls: {server-name: app.test, trust: "
                                + TLS.directory().resolve("ca.crt") + "}")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            server.awaitQuestion("a watch", target -> target.startsWith(WATCH + "100&timeoutSeconds=1"));
            Files.writeString(token, "two");
            server.event("END");
            Await.until("the second watch", () -> server.questions().size() >= 3);
            assertThat(server.questions().get(0).field("Authorization")).isEqualTo("Bearer one");
            RawRequest third = server.questions().get(2);
            assertThat(third.field("Authorization")).isEqualTo("Bearer two");
        }
    }

    @Test
    void theExampleServes() throws IOException, ConfigException {
        server.set(list("100", slice("a", "90", first)), 0);
        String yaml = Examples.with("endpoints-kubernetes.yaml", "namespace", "address", "tls");
        Map<String, String> environment =
                Map.of("PORT", "0", "ADMIN_PORT", "0", "API_SERVER", "127.0.0.1:" + server.port(), "SERVICE", "web");
        assertThat(Examples.ask(yaml, environment)).isEqualTo("ok");
    }

    @Test
    void isNoSourceOutsideOfAPod() {
        assertThatThrownBy(() -> SeamStand.start(new Seams(), SeamStand.config("""
                                listeners:
                                  - {name: test, address: "127.0.0.1:0", cluster: app}
                                clusters:
                                  app:
                                    resolver: {kubernetes: {service: web, address: "127.0.0.1:1", tls: off}}
                                """)))
                .hasMessageContaining("names no namespace, expected it, or kubernetes.namespace");
    }
}
