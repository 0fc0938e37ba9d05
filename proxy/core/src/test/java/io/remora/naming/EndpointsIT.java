package io.remora.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.seams.ClientLoad;
import io.remora.seams.Examples;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.Backends;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Knot;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints from a file and from DNS, from the source to the requests that go there. */
@EveryEngine
final class EndpointsIT {
    private static final int FLAPS = 300;

    @TempDir
    Path directory;

    @RegisterExtension
    final Backends backends = new Backends();

    private Path file() {
        return directory.resolve("endpoints.yaml");
    }

    private void list(RecordingBackend... listed) {
        StringBuilder text = new StringBuilder(listed.length == 0 ? "[]\n" : "");
        for (RecordingBackend one : listed) {
            text.append("- {address: 127.0.0.1:").append(one.port()).append(", weight: 2, zone: a}\n");
        }
        replace(text.toString());
    }

    private void replace(String text) {
        try {
            Path next = Files.writeString(directory.resolve("next"), text);
            Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Over a file that is looked at often. */
    private SeamStand stand(String more) {
        Path list = file();
        Seams seams = new Seams() {
            @Override
            public Resolver resolver(ClusterConfig config, Shared shared) {
                return new HurriedFiles(list);
            }
        };
        return stand(seams, "file: " + list + more);
    }

    private static SeamStand stand(Seams seams, String resolver) {
        return SeamStand.start(seams, SeamStand.config("""
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                clusters:
                  app:
                    resolver: {RESOLVER}
                """.replace("RESOLVER", resolver)));
    }

    private static void refused(RawResponse response, String failure) {
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.field("Remora-Error")).isEqualTo(failure);
    }

    private static long waited(SeamStand stand, String outcome) {
        return stand.metric("remora_pending_requests_total", '"' + outcome + '"');
    }

    // one that came back while its former connections drained has a second table of the same name, with what these have
    // counted
    private static long countedEndpoints(SeamStand stand) {
        return stand.proxy().stats().endpoints().stream()
                .map(one -> one.endpoint)
                .distinct()
                .count();
    }

    private static long answers(SeamStand stand, String outcome) {
        return stand.metric("remora_resolver_answers_total", '"' + outcome + '"');
    }

    private static void awaitState(SeamStand stand, String state) {
        Await.until(state, () -> stand.metric("remora_resolver_state", '"' + state + '"') == 1);
    }

    @Test
    void aFileIsFollowed() {
        RecordingBackend first = backends.start();
        RecordingBackend second = backends.start();
        list(first);
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            String listed = "app source=file:" + file() + " state=bound age=\\d known=1 pending=0\n  127.0.0.1:"
                    + first.port() + " open=1 idle=1 .* weight=2 zone=a priority=0( state=in-use .*)?\n";
            // the response may be read before its exchange has ended
            Await.until("listed", () -> stand.page("/clusters").matches(listed));
            list(second);
            Await.until(
                    "the second",
                    () -> stand.get("/").status() == 200 && !second.requests().isEmpty());
            Await.until("drained", () -> first.openConnections() == 0);

            replace("- nonsense\n");
            Await.until("refused", () -> answers(stand, "refused") == 1);
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(stand.page("/clusters")).contains(" state=bound ").contains(" problem=\"" + file() + ":1:3: ");
            assertThat(stand.page("/clusters?format=json"))
                    .startsWith(
                            "{\"clusters\":[{\"name\":\"app\",\"source\":\"file:" + file() + "\",\"state\":\"bound\"")
                    .contains("\"zone\":\"a\",\"priority\":0")
                    .contains("}]}]}");

            list();
            awaitState(stand, "empty");
            refused(stand.get("/"), "no-endpoint");
        }
    }

    @Test
    void aLostSourceKeepsItsLastAnswerForGood() throws IOException {
        RecordingBackend only = backends.start();
        list(only);
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            Files.delete(file());
            awaitState(stand, "failed");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(stand.page("/clusters")).contains(" state=failed ").contains(" known=1 ");
            assertThat(stand.metric("remora_resolver_dropped_total")).isZero();
            list(only);
            awaitState(stand, "bound");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(only.connections()).hasSize(1);
        }
    }

    @Test
    void aLostSourceKeepsItsLastAnswerForAsLongAsConfigured() throws IOException {
        list(backends.start());
        try (SeamStand stand = stand(", keep-last: 300ms")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            Files.delete(file());
            Await.until("given up", () -> stand.metric("remora_resolver_dropped_total") == 1);
            Await.until("gone", () -> stand.get("/").status() == 503);
            refused(stand.get("/"), "not-resolved");
            assertThat(stand.page("/clusters")).contains(" state=failed ").contains(" known=0 ");
            list(backends.all().get(0));
            Await.until("back", () -> stand.get("/").status() == 200);
        }
    }

    @Test
    void aSourceThatIsBackInTimeHasKeptItsConnections() throws IOException {
        RecordingBackend only = backends.start();
        list(only);
        try (SeamStand stand = stand(", keep-last: 1h")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            Files.delete(file());
            awaitState(stand, "failed");
            list(only);
            awaitState(stand, "bound");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(only.connections()).hasSize(1);
        }
    }

    // ---- requests before the first answer

    @Test
    void requestsWaitForTheFirstAnswer() throws IOException {
        RecordingBackend only = backends.start();
        try (SeamStand stand = stand(", pending: 2, pending-timeout: 1h")) {
            RawClient one = stand.client().send(SeamStand.GET);
            RawClient two = stand.client().send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello");
            Await.until("two wait", () -> stand.metric("remora_pending_requests") == 2);
            refused(stand.get("/"), "not-resolved");
            assertThat(waited(stand, "overflow")).isOne();
            assertThat(stand.page("/clusters")).contains(" state=failed age=-1 known=0 pending=2 ");
            list(only);
            assertThat(one.response().bodyText()).isEqualTo("ok");
            assertThat(two.response().bodyText()).isEqualTo("ok");
            assertThat(waited(stand, "served")).isEqualTo(2);
            assertThat(stand.metric("remora_pending_requests")).isZero();
            assertThat(only.requests()).hasSize(2);
        }
    }

    @Test
    void whoseClientGoesWaitsNoLonger() throws IOException {
        try (SeamStand stand = stand(", pending: 1, pending-timeout: 1h")) {
            RawClient one = stand.client().send(SeamStand.GET);
            Await.until("waits", () -> stand.metric("remora_pending_requests") == 1);
            one.reset();
            Await.until("left", () -> waited(stand, "gone") == 1);
            assertThat(stand.metric("remora_pending_requests")).isZero();
            stand.awaitIdle();
        }
    }

    @Test
    void nobodyWaitsLongerThanConfigured() {
        try (SeamStand stand = stand(", pending-timeout: 200ms")) {
            refused(stand.get("/"), "not-resolved");
            assertThat(waited(stand, "timeout")).isOne();
            assertThat(stand.metric("remora_pending_requests")).isZero();
        }
    }

    @Test
    void nobodyWaitsWhereThatIsSwitchedOff() {
        try (SeamStand stand = stand(", pending: 0")) {
            refused(stand.get("/"), "not-resolved");
        }
    }

    @Test
    void whoWaitsIsRefusedWhenTheClusterGoes() throws IOException {
        try (SeamStand stand = stand(", pending-timeout: 1h")) {
            RawClient one = stand.client().send(SeamStand.GET);
            Await.until("waits", () -> stand.metric("remora_pending_requests") == 1);
            stand.proxy().replace(SeamStand.config("", "", backends.start().port()));
            refused(one.response(), "not-resolved");
            assertThat(stand.page("/metrics")).doesNotContain("remora_resolver_state");
        }
    }

    // ---- DNS

    @Test
    void aServiceInDnsIsFollowed() throws IOException {
        assumeTrue(Knot.missing().isEmpty(), Knot.missing());
        RecordingBackend first = backends.start();
        RecordingBackend second = backends.start();
        String host = "here 0 IN A 127.0.0.1\n_http._tcp.app 0 IN SRV 0 1 PORT here\n";
        try (Knot knot = Knot.start(directory, host.replace("PORT", "" + first.port()));
                SeamStand stand = stand(
                        new Seams(),
                        "dns: {srv: _http._tcp.app.test, servers: ['127.0.0.1:" + knot.port()
                                + "'], min-refresh: 50ms, max-refresh: 200ms}")) {
            // the very first request waits for the answer
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(stand.page("/clusters")).startsWith("app source=dns:_http._tcp.app.test state=bound age=");
            knot.zone(host.replace("PORT", "" + second.port()));
            Await.until(
                    "the second",
                    () -> stand.get("/").status() == 200 && !second.requests().isEmpty());
            knot.stop();
            awaitState(stand, "failed");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            knot.start();
            awaitState(stand, "bound");
            knot.zone("");
            awaitState(stand, "empty");
            refused(stand.get("/"), "no-endpoint");
            stand.awaitIdle();
            assertThat(stand.failures("no-endpoint")).isEqualTo(stand.failures());
        }
    }

    // ---- the examples

    @Test
    void theExampleWithAFileServes() throws IOException, ConfigException {
        list(backends.start());
        Map<String, String> environment = Map.of("PORT", "0", "ADMIN_PORT", "0", "ENDPOINTS", file().toString());
        assertThat(Examples.ask(Examples.with("endpoints-file.yaml"), environment))
                .isEqualTo("ok");
    }

    @Test
    void theExampleWithDnsServes() throws IOException, ConfigException {
        assumeTrue(Knot.missing().isEmpty(), Knot.missing());
        try (Knot knot = Knot.start(directory, "app 0 IN A 127.0.0.1\n")) {
            Map<String, String> environment = Map.of(
                    "PORT",
                    "0",
                    "ADMIN_PORT",
                    "0",
                    "APP",
                    "app.test.",
                    "APP_PORT",
                    "" + backends.start().port(),
                    "DNS_SERVER",
                    "127.0.0.1:" + knot.port());
            assertThat(Examples.ask(Examples.with("endpoints-dns.yaml", "servers"), environment))
                    .isEqualTo("ok");
        }
    }

    // ---- sources that flap

    @Test
    void aFileThatFlapsUnderTrafficLeavesNothingBehind() throws InterruptedException {
        Random random = new Random(1);
        RecordingBackend[] all = {
            backends.start(), backends.start(), backends.start(), backends.start(), backends.start()
        };
        list(all[0]);
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            long descriptors = stand.metric("remora_process_open_fds");
            try (ClientLoad load = new ClientLoad(stand)) {
                for (int i = 0; i < FLAPS; i++) {
                    List<RecordingBackend> some = new ArrayList<>(List.of(all[i % all.length]));
                    for (RecordingBackend one : all) {
                        if (random.nextBoolean() && !some.contains(one)) {
                            some.add(one);
                        }
                    }
                    if (i % 10 == 9) {
                        replace("- broken\n");
                    } else {
                        list(some.toArray(new RecordingBackend[0]));
                    }
                    TimeUnit.MILLISECONDS.sleep(15);
                }
                load.assertAllServed();
            }
            list(all[0]);
            Await.until(
                    "settled", () -> stand.metric("remora_resolver_endpoints") == 1 && countedEndpoints(stand) == 1);
            assertThat(answers(stand, "bound")).isGreaterThan(FLAPS / 4);
            for (int i = 1; i < all.length; i++) {
                RecordingBackend gone = all[i];
                assertThat(gone.connections()).isNotEmpty();
                Await.until("drained", () -> gone.openConnections() == 0);
                assertThat(gone.problems()).isEmpty();
                assertThat(stand.page("/metrics")).doesNotContain(":" + gone.port() + '"');
            }
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
            // idle connections to the endpoint that stayed, and two for whoever asks for the page itself
            Await.until(
                    "no descriptor is left over",
                    () -> stand.metric("remora_process_open_fds") <= descriptors + all[0].openConnections() + 2);
        }
    }

    @Test
    void aThousandEndpointsComeAndGoBesideOneThatStays() {
        RecordingBackend stays = backends.start();
        list(stays);
        try (SeamStand stand = stand("")) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            for (int round = 0; round < 5; round++) {
                StringBuilder text = new StringBuilder("- 127.0.0.1:" + stays.port() + "\n");
                for (int i = 0; i < 999; i++) {
                    text.append("- 127.")
                            .append(round + 1)
                            .append('.')
                            .append(i >> 8)
                            .append('.')
                            .append(i & 255);
                    text.append(":9\n");
                }
                replace(text.toString());
                Await.until(
                        "all",
                        () -> stand.proxy().stats().endpoints().size() == 1_000
                                && stand.metric("remora_resolver_endpoints") == 1_000);
                list(stays);
                Await.until("one", () -> stand.proxy().stats().endpoints().size() == 1);
            }
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(stays.connections()).hasSize(1);
        }
    }
}
