package io.remora.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.DeadPort;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.ScriptedSource;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Endpoints from a server that answers as Consul's documentation says, well and badly. {@code ConsulProgram} has the same with
 * Consul itself.
 */
@EveryEngine
final class ConsulIT {
    private static final String ANSWER = "HTTP/1.1 200 OK\r\nX-Consul-Index: 7\r\nContent-Length: ";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    @TempDir
    Path directory;

    private final ScriptedSource consul = new ScriptedSource();
    private final RecordingBackend first = RecordingBackend.start();
    private final RecordingBackend second = RecordingBackend.start();

    @AfterEach
    void close() {
        consul.close();
        first.close();
        second.close();
    }

    private static String instances(RecordingBackend... backends) {
        StringBuilder text = new StringBuilder("[");
        for (RecordingBackend one : backends) {
            text.append(text.length() == 1 ? "" : ",")
                    .append("{\"Node\":{\"Address\":\"127.0.0.1\"},\"Service\":{\"Port\":")
                    .append(one.port())
                    .append("},\"Checks\":[{\"Status\":\"passing\"}]}");
        }
        return text + "]";
    }

    private SeamStand stand(String keys) {
        return stand("127.0.0.1:" + consul.port(), keys);
    }

    private static SeamStand stand(String address, String keys) {
        return SeamStand.start(new Seams(), SeamStand.config("""
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                clusters:
                  app:
                    resolver:
                      consul: {address: ADDRESS, service: web KEYS}
                """.replace(
                        "ADDRESS", address.startsWith("[") ? address : '"' + address + '"')
                .replace("KEYS", keys)));
    }

    private static void awaitState(SeamStand stand, String state) {
        Await.until(state, () -> stand.page("/clusters").contains("app source=consul:web state=" + state + " "));
    }

    private static String problem(SeamStand stand) {
        String page = stand.page("/clusters");
        int at = page.indexOf(" problem=", page.indexOf("app source="));
        return at < 0 ? "" : page.substring(at + 9, page.indexOf('\n', at));
    }

    private static void awaitAt(SeamStand stand, RecordingBackend backend) {
        Await.until(
                "a request there",
                () -> stand.get("/").status() == 200 && !backend.requests().isEmpty());
    }

    @Test
    void followsTheInstancesByBlockingQueries() {
        consul.set(instances(first), 5);
        try (SeamStand stand = stand(", wait: 2s")) {
            // the very first request waits for the answer
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            awaitState(stand, "bound");
            consul.awaitQuestion("that waits", "/v1/health/service/web?passing=1&index=5&wait=2000ms"::equals);
            consul.set(instances(second), 9);
            awaitAt(stand, second);
            consul.awaitQuestion("from there on", target -> target.contains("index=9&"));
            consul.set("[]", 10);
            awaitState(stand, "empty");
            RawRequest question = consul.questions().get(0);
            assertThat(question.target()).isEqualTo("/v1/health/service/web?passing=1&");
            assertThat(question.field("X-Consul-Token")).isNull();
            assertThat(question.field("Host")).isEqualTo("127.0.0.1:" + consul.port());
            // one connection for all of it
            assertThat(consul.server().connections()).hasSize(1);
            assertThat(stand.page("/clusters"))
                    .contains("app/consul source=static state=bound known=1\n  127.0.0.1:" + consul.port());
        }
        Await.until("it is left", () -> consul.server().openConnections() == 0);
    }

    @Test
    void asksForWhatIsConfigured() {
        consul.set(instances(first), 5);
        try (SeamStand stand = stand(", datacenter: dc 2, tag: a&b, passing-only: false, wait: 2s")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            consul.awaitQuestion("with all", "/v1/health/service/web?dc=dc%202&tag=a%26b&index=5&wait=2000ms"::equals);
        }
    }

    @Test
    void readsTheTokenBeforeEachQuestion() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "one\n");
        consul.set(instances(first), 5);
        try (SeamStand stand = stand(", token-file: " + token)) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            consul.awaitQuestion("that waits", target -> target.contains("index=5&"));
            assertThat(consul.questions()).allMatch(each -> "one".equals(each.field("X-Consul-Token")));
            Files.writeString(token, "two");
            consul.set(instances(second), 6);
            consul.awaitQuestion("the next", target -> target.contains("index=6&"));
            List<RawRequest> all = consul.questions();
            assertThat(all.get(all.size() - 1).field("X-Consul-Token")).isEqualTo("two");
            // what is no token is not sent
            Files.writeString(token, "a\r\nX-Other: b");
            consul.set(instances(first), 7);
            awaitState(stand, "failed");
            assertThat(problem(stand))
                    .contains("holds something else than a token")
                    .doesNotContain("X-Other");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
        }
    }

    @Test
    void beginsAnewWhereTheIndexGoesBackwardsOrIsZero() {
        consul.set(instances(first), 50);
        try (SeamStand stand = stand("")) {
            consul.awaitQuestion("that waits", target -> target.contains("index=50&"));
            consul.set(instances(second), 4);
            consul.awaitQuestion("from there on", target -> target.contains("index=4&"));
            List<String> targets = consul.targets();
            // between the two one that does not wait
            assertThat(targets.get(targets.size() - 2)).isEqualTo("/v1/health/service/web?passing=1&");
            consul.set(instances(second), 0);
            consul.awaitQuestion("with 1", target -> target.contains("index=1&"));
            assertThat(consul.targets()).noneMatch(target -> target.contains("index=0&"));
            awaitAt(stand, second);
        }
    }

    /**
     * Consul's streaming backend has no instance, or only some, for whoever may not read them, and index 1 for a token that it does
     * not know. A question that does not wait is told the truth.
     */
    @Test
    void believesThatAnInstanceIsGoneOnlyWhereAQuestionThatDoesNotWaitSaysSo() {
        consul.set(instances(first), 5);
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            for (String doubtful : List.of("1 []", "9 []", "1 " + instances(second), "9 " + instances(second))) {
                consul.awaitQuestion("that waits", target -> target.contains("index=5&"));
                String[] parts = doubtful.split(" ", 2);
                consul.answerWatches("HTTP/1.1 200 OK\r\nX-Consul-Index: " + parts[0] + "\r\nContent-Length: "
                        + parts[1].length() + "\r\n\r\n" + parts[1]);
                // second, so that only a question that does not wait can be told so
                consul.answerRaw("HTTP/1.1 403 Forbidden\r\nContent-Length: 13\r\n\r\nACL not found");
                awaitState(stand, "failed");
                assertThat(problem(stand)).contains("ACL not found");
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                consul.answerWatches(null);
                consul.answerRaw(null);
                awaitState(stand, "bound");
            }
            assertThat(first.requests()).hasSize(5);
            assertThat(second.requests()).isEmpty();
        }
    }

    @Test
    void isNotAskedInACircleByAServerThatAnswersAtOnce() {
        consul.patient(false);
        consul.set(instances(first), 5);
        long beganNs = System.nanoTime();
        try (SeamStand stand = stand("")) {
            Await.until("ten questions", () -> consul.targets().size() >= 10);
            // five at once, then two a second
            assertThat(System.nanoTime() - beganNs).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2_400));
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
        }
    }

    /** Each keeps the last answer in use, is told, and is over as soon as there is a good answer. */
    @Test
    void keepsTheLastAnswerWhateverTheServerDoes() {
        consul.set(instances(first), 5);
        String huge = " ".repeat(9 << 20);
        String[][] bad = {
            {"HTTP/1.1 500 Oops\r\nContent-Length: 17\r\n\r\nNo cluster leader", "status 500: No cluster leader"},
            {"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "status 403"},
            {"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n", "status 302"},
            {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "without X-Consul-Index"},
            {"HTTP/1.1 200 OK\r\nX-Consul-Index: 1x\r\nContent-Length: 2\r\n\r\n[]", "without X-Consul-Index"},
            {
                "HTTP/1.1 200 OK\r\nX-Consul-Index: 9\r\nX-Consul-Results-Filtered-By-ACLs: true\r\nContent-Length: 2\r\n\r\n[]",
                "the token may not read all of the service"
            },
            {ANSWER + "0\r\n\r\n", "an empty answer"},
            {ANSWER + "5\r\n\r\n[] []", "more than one JSON text"},
            {ANSWER + "2\r\n\r\n{}", "expected an array"},
            {ANSWER + "12\r\n\r\n[{\"Service\":", "expected an object, at octet 12"},
            {ANSWER + "100\r\n\r\n[{\"Service\":", "backend-closed"},
            {ANSWER + huge.length() + "\r\n\r\n" + huge, "longer than 8388608 octets"},
            {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "127.0.0.1:"},
            {"nonsense\r\n\r\n", "bad-response"},
            {"", "backend-closed"}
        };
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            for (String[] each : bad) {
                consul.answerRaw(each[0]);
                Await.until(each[1] + ", not " + problem(stand), () -> problem(stand)
                        .contains(each[1]));
                awaitState(stand, "failed");
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                consul.answerRaw(null);
                awaitState(stand, "bound");
            }
            assertThat(first.connections()).hasSize(1);
            assertThat(first.requests()).hasSize(1 + bad.length);
        }
    }

    @Test
    void asksAnotherServerWhereOneIsGone() {
        consul.set(instances(first), 5);
        try (DeadPort dead = new DeadPort();
                SeamStand stand = stand("['127.0.0.1:" + dead.port() + "', '127.0.0.1:" + consul.port() + "']", "")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(stand.metric("remora_resolver_answers_total", "failed")).isZero();
        }
    }

    @Test
    void asksByTls() throws IOException {
        consul.set(instances(first), 5);
        Path token = Files.writeString(directory.resolve("token"), "secret");
        String keys = ", wait: 1s, token-file: " + token + ", tls: {trust: "
                + TLS.directory().resolve("ca.crt") + ", server-name: app.test}";
        try (Sidecar before = TLS.listening(consul.server(), "", "app")) {
            String address = "127.0.0.1:" + before.address().getPort();
            try (SeamStand stand = stand(address, keys)) {
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                assertThat(consul.questions().get(0).field("X-Consul-Token")).isEqualTo("secret");
            }
            int asked = consul.questions().size();
            try (SeamStand stand = stand(address, keys.replace("app.test", "other.test"))) {
                awaitState(stand, "failed");
                assertThat(problem(stand)).contains("handshake");
                assertThat(consul.questions()).hasSize(asked);
            }
        }
    }

    @Test
    void endsWithItsCluster() {
        consul.set(instances(first), 5);
        try (SeamStand stand = stand(", wait: 2s")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            consul.awaitQuestion("that waits", target -> target.contains("index=5&"));
            assertThat(stand.page("/metrics")).contains("app/consul");
            replace(stand);
            Await.until("it is left", () -> consul.server().openConnections() == 0);
            Await.until("no series", () -> !stand.page("/metrics").contains("app/consul"));
            int asked = consul.questions().size();
            consul.set(instances(second), 6);
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(consul.questions()).hasSize(asked);
        }
    }

    @Test
    void theExampleServes() throws IOException, ConfigException {
        consul.set(instances(first), 5);
        Map<String, String> environment =
                Map.of("PORT", "0", "ADMIN_PORT", "0", "CONSUL", "127.0.0.1:" + consul.port(), "SERVICE", "web");
        assertThat(Examples.ask(Examples.with("endpoints-consul.yaml"), environment))
                .isEqualTo("ok");
    }

    private void replace(SeamStand stand) {
        try {
            stand.proxy().replace(SeamStand.config("", "", first.port()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
