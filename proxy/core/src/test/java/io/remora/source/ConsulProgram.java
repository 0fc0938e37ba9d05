package io.remora.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.Counterpart;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints from a Consul agent in dev mode. Not among the tests of each build: {@code scripts/test-sources} runs it. */
final class ConsulProgram {
    /** In dev mode Consul indents what it answers. */
    private static final Pattern SECRET = Pattern.compile("\"SecretID\": *\"([^\"]+)\"");

    @TempDir
    Path directory;

    private final RecordingBackend first = RecordingBackend.start();
    private final RecordingBackend second = RecordingBackend.start();
    private Counterpart consul;
    private Path token;

    @BeforeEach
    void start() throws IOException {
        consul = Counterpart.consul(directory);
        token = Files.writeString(directory.resolve("token"), Counterpart.TOKEN + "\n");
    }

    @AfterEach
    void close() {
        consul.close();
        first.close();
        second.close();
    }

    private void register(String id, RecordingBackend backend, String tag, int weight) {
        String answer = consul.ask(
                "PUT", "/v1/agent/service/register", """
                {"ID": "%s", "Name": "web", "Address": "127.0.0.1", "Port": %d, "Tags": ["%s"],
                 "Weights": {"Passing": %d, "Warning": 1},
                 "Check": {"CheckID": "%s", "TTL": "1h", "Status": "passing"}}
                """.formatted(id, backend.port(), tag, weight, "check-" + id));
        assertThat(answer).isEmpty();
    }

    private SeamStand stand(String keys) {
        return SeamStand.start(new Seams(), SeamStand.config("""
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                clusters:
                  app:
                    resolver:
                      consul: {address: "127.0.0.1:PORT", service: web, token-file: "TOKEN" KEYS}
                """.replace("PORT", "" + consul.port())
                .replace("TOKEN", token.toString())
                .replace("KEYS", keys)));
    }

    private static void awaitPage(SeamStand stand, String what) {
        if (!Await.within(20_000, () -> stand.page("/clusters").contains(what))) {
            throw new AssertionError("no " + what + " in " + stand.page("/clusters"));
        }
    }

    private static void awaitPageWithout(SeamStand stand, String what) {
        Await.until("no " + what, () -> !stand.page("/clusters").contains(what));
    }

    private static String line(RecordingBackend backend) {
        return "\n  127.0.0.1:" + backend.port() + " ";
    }

    @Test
    void followsInstancesAndTheirChecks() {
        register("one", first, "blue", 3);
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(stand.page("/clusters")).contains(" weight=3 ");
            register("two", second, "green", 1);
            awaitPage(stand, line(second));
            consul.ask("PUT", "/v1/agent/check/fail/check-one", "");
            awaitPageWithout(stand, line(first));
            consul.ask("PUT", "/v1/agent/check/pass/check-one", "");
            awaitPage(stand, line(first));
            consul.ask("PUT", "/v1/agent/check/warn/check-one", "");
            awaitPageWithout(stand, line(first));
            consul.ask("PUT", "/v1/agent/service/deregister/one", "");
            consul.ask("PUT", "/v1/agent/service/deregister/two", "");
            awaitPage(stand, " state=empty ");
            assertThat(stand.metric("remora_resolver_answers_total", "failed")).isZero();
        }
    }

    @Test
    void takesWhatIsAskedFor() {
        register("one", first, "blue", 1);
        register("two", second, "green", 1);
        consul.ask("PUT", "/v1/agent/check/warn/check-two", "");
        try (SeamStand stand = stand(", tag: green, passing-only: false, datacenter: dc1")) {
            awaitPage(stand, line(second));
            assertThat(stand.page("/clusters")).doesNotContain(line(first));
        }
        try (SeamStand stand = stand(", datacenter: nowhere")) {
            awaitPage(stand, "status 500: No path to datacenter");
        }
    }

    @Test
    void keepsTheLastAnswerWhileTheAgentIsGoneAndBeginsAnewWithItsNextLife() {
        register("one", first, "blue", 1);
        try (SeamStand stand = stand(", wait: 2s")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            // its index grows, so that it will go backwards
            for (int i = 0; i < 5; i++) {
                register("two", second, "blue", i + 1);
            }
            awaitPage(stand, " weight=5 ");
            consul.ask("PUT", "/v1/agent/service/deregister/two", "");
            awaitPageWithout(stand, line(second));
            consul.stop();
            awaitPage(stand, " state=failed ");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            consul.start();
            Await.until(
                    "a leader", () -> consul.ask("GET", "/v1/status/leader", "").contains("127.0.0.1"));
            Await.until("the token", () -> consul.ask("GET", "/v1/acl/token/self", "")
                    .contains("global-management"));
            register("two", second, "blue", 7);
            awaitPage(stand, line(second));
            awaitPageWithout(stand, line(first));
        }
    }

    @Test
    void aTokenThatMayNotSeeItIsNoEmptyAnswer() throws IOException {
        register("one", first, "blue", 1);
        try (SeamStand stand = stand(", wait: 1s")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            Files.writeString(token, "11111111-2222-3333-4444-555555555555");
            awaitPage(stand, "status 403: ACL not found");
            String weak =
                    consul.ask("PUT", "/v1/acl/token", "{\"ServiceIdentities\": [{\"ServiceName\": \"other-one\"}]}");
            Files.writeString(token, secret(weak));
            // such a token may read all services, as the default policy of an identity says
            awaitPage(stand, "app source=consul:web state=bound ");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            String none = consul.ask("PUT", "/v1/acl/token", "{\"Description\": \"may nothing\"}");
            Files.writeString(token, secret(none));
            awaitPage(stand, "the token may not read all of the service");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
        }
    }

    private static String secret(String made) {
        Matcher found = SECRET.matcher(made);
        assertThat(found.find()).as(made).isTrue();
        return found.group(1);
    }

    @Test
    void theExampleServes() throws IOException, ConfigException {
        register("one", first, "blue", 1);
        String yaml = Examples.with("endpoints-consul.yaml", "token-file")
                .replace("/run/secrets/consul-token", token.toString());
        Map<String, String> environment =
                Map.of("PORT", "0", "ADMIN_PORT", "0", "CONSUL", "127.0.0.1:" + consul.port(), "SERVICE", "web");
        assertThat(Examples.ask(yaml, environment)).isEqualTo("ok");
    }
}
