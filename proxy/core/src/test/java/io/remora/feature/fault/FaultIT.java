package io.remora.feature.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults that a route injects: delays and aborts, by percentage and by the request's own fields, within bounds. */
@Contract
final class FaultIT {
    private static final String POST =
            "POST /p HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
    private static final int DELAY_MS = 60;
    private static final String CURL = "/usr/bin/curl";

    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        backend.close();
        assertThat(backend.problems()).isEmpty();
    }

    private Sidecar with(String fault) {
        return with(fault, "");
    }

    private Sidecar with(String fault, String listener) {
        return Sidecar.start(
                Setup.before(backend).rules("cluster: app, fault: " + fault).listener(listener));
    }

    private static String get(String fields) {
        return "GET / HTTP/1.1\r\nHost: app\r\n" + fields + "\r\n";
    }

    private static long count(Sidecar sidecar, String name) {
        return sidecar.metrics().sum("remora_fault_" + name);
    }

    private static RawResponse timed(RawClient client, String request, int leastMs) throws IOException {
        long startNs = System.nanoTime();
        RawResponse response = client.send(request).response();
        assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(leastMs));
        return response;
    }

    // ---- delays

    @Test
    void aDelayedRequestArrivesWhole() throws IOException {
        try (Sidecar sidecar = with("{delay: " + DELAY_MS + "ms}");
                RawClient client = sidecar.client()) {
            assertThat(timed(client, Stand.GET, DELAY_MS).bodyText()).isEqualTo("ok");
            assertThat(timed(client, POST, DELAY_MS).bodyText()).isEqualTo("ok");
            assertThat(backend.requests()).hasSize(2);
            assertThat(backend.requests().get(1).bodyText()).isEqualTo("hello");
            assertThat(count(sidecar, "delays_total")).isEqualTo(2);
            assertThat(count(sidecar, "delays_active")).isZero();
            assertThat(count(sidecar, "aborts_total")).isZero();
        }
    }

    @Test
    void zeroPercentInjectsNothing() throws IOException {
        try (Sidecar sidecar = with("{delay: 10s, delay-percent: 0, abort: 500, abort-percent: 0}");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(Stand.GET).response().status()).isEqualTo(200);
            }
            assertThat(count(sidecar, "delays_total")).isZero();
            assertThat(count(sidecar, "aborts_total")).isZero();
        }
    }

    /** The delay of a client that has gone ends at once, and its request goes nowhere. */
    @Test
    void aDelayEndsWithItsClient() throws IOException {
        try (Sidecar sidecar = with("{delay: 10s}")) {
            try (RawClient client = sidecar.client()) {
                client.send(Stand.GET);
                Await.until("delayed", () -> count(sidecar, "delays_active") == 1);
            }
            Await.until("ended", () -> count(sidecar, "delays_active") == 0);
            assertThat(count(sidecar, "delays_ended_total")).isEqualTo(1);
            assertThat(backend.requests()).isEmpty();
        }
    }

    @Test
    void noMoreRequestsAreDelayedAtOnceThanTheBound() throws IOException {
        try (Sidecar sidecar = with("{delay: 10s, max-active: 1}");
                RawClient held = sidecar.client();
                RawClient client = sidecar.client()) {
            held.send(Stand.GET);
            Await.until("delayed", () -> count(sidecar, "delays_active") == 1);
            assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
            assertThat(count(sidecar, "overflowed_total")).isEqualTo(1);
            assertThat(count(sidecar, "delays_total")).isEqualTo(1);
            held.reset();
            Await.until("ended", () -> count(sidecar, "delays_active") == 0);
        }
    }

    // ---- aborts

    @Test
    void anAbortedRequestGoesToNoEndpoint() throws IOException {
        try (Sidecar sidecar = with("{abort: 418}");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 3; i++) {
                RawResponse response = client.send(Stand.GET).response();
                assertThat(response.status()).isEqualTo(418);
                assertThat(response.field("Remora-Error")).isEqualTo("fault");
                assertThat(response.bodyText()).isEqualTo("A fault was injected.\n");
            }
            assertThat(backend.requests()).isEmpty();
            assertThat(count(sidecar, "aborts_total")).isEqualTo(3);
        }
    }

    @Test
    void itMayBeDelayedBeforeThat() throws IOException {
        try (Sidecar sidecar = with("{delay: " + DELAY_MS + "ms, abort: 503}");
                RawClient client = sidecar.client()) {
            assertThat(timed(client, Stand.GET, DELAY_MS).status()).isEqualTo(503);
            assertThat(backend.requests()).isEmpty();
            assertThat(count(sidecar, "delays_total")).isEqualTo(1);
            assertThat(count(sidecar, "aborts_total")).isEqualTo(1);
        }
    }

    @Test
    void aShareOfRequestsIsAborted() throws IOException {
        int requests = 400;
        try (Sidecar sidecar = with("{abort: 503, abort-percent: 30}");
                RawClient client = sidecar.client()) {
            int aborted = 0;
            for (int i = 0; i < requests; i++) {
                aborted += client.send(Stand.GET).response().status() == 503 ? 1 : 0;
            }
            // six standard deviations of 400 draws
            assertThat(aborted).isBetween(120 - 55, 120 + 55);
            assertThat(count(sidecar, "aborts_total")).isEqualTo(aborted);
            assertThat(backend.requests()).hasSize(requests - aborted);
        }
    }

    @Test
    void statusesWithoutContentHaveNone() throws IOException {
        for (int status : new int[] {204, 304}) {
            try (Sidecar sidecar = with("{abort: " + status + "}");
                    RawClient client = sidecar.client()) {
                RawResponse response = client.send(Stand.GET).response();
                assertThat(response.status()).isEqualTo(status);
                assertThat(response.bodyText()).isEmpty();
                assertThat(client.send(Stand.GET).response().status()).isEqualTo(status);
            }
        }
    }

    @Test
    void otherRoutesAreLeftAlone() throws IOException {
        Setup setup = Setup.before(backend)
                .rules("match: {headers: {x-test: '1'}}, cluster: app, fault: {abort: 503}", "cluster: app");
        try (Sidecar sidecar = Sidecar.start(setup);
                RawClient client = sidecar.client()) {
            assertThat(client.send(get("X-Test: 1\r\n")).response().status()).isEqualTo(503);
            assertThat(client.send(get("X-Test: 2\r\n")).response().status()).isEqualTo(200);
            assertThat(client.send(Stand.GET).response().status()).isEqualTo(200);
        }
    }

    // ---- what a request asks for

    @Test
    void fieldsAreIgnoredUnlessTheRouteTakesThem() throws IOException {
        try (Sidecar sidecar = with("{abort: 503, abort-percent: 0}");
                RawClient client = sidecar.client()) {
            String fields = "x-envoy-fault-abort-request: 500\r\nx-envoy-fault-delay-request: 10000\r\n";
            assertThat(client.send(get(fields)).response().status()).isEqualTo(200);
        }
    }

    @Test
    void aRequestAsksForItsOwnFaults() throws IOException {
        try (Sidecar sidecar = with("{headers: true, max-delay: " + DELAY_MS + "ms}");
                RawClient client = sidecar.client()) {
            assertThat(client.send(Stand.GET).response().status()).isEqualTo(200);
            String abort = "x-envoy-fault-abort-request: ";
            assertThat(client.send(get(abort + "599\r\n")).response().status()).isEqualTo(599);
            for (String none : new String[] {"199", "600", "x", "", "-1", "99999999999999999999"}) {
                assertThat(client.send(get(abort + none + "\r\n")).response().status())
                        .isEqualTo(200);
            }
            String percentage = "x-envoy-fault-abort-request-percentage: 0\r\n";
            assertThat(client.send(get(abort + "500\r\n" + percentage))
                            .response()
                            .status())
                    .isEqualTo(200);
            // no longer than the bound
            assertThat(timed(client, get("x-envoy-fault-delay-request: 80000000\r\n"), DELAY_MS)
                            .status())
                    .isEqualTo(200);
            assertThat(count(sidecar, "delays_total")).isEqualTo(1);
            assertThat(count(sidecar, "aborts_total")).isEqualTo(1);
        }
    }

    @Test
    void aRequestLowersAShareAndDoesNotRaiseIt() throws IOException {
        try (Sidecar sidecar = with("{headers: true, abort: 503, abort-percent: 0}");
                RawClient client = sidecar.client()) {
            String fields = "x-envoy-fault-abort-request: 500\r\nx-envoy-fault-abort-request-percentage: 100\r\n";
            assertThat(client.send(get(fields)).response().status()).isEqualTo(200);
        }
    }

    // ---- calls of gRPC, by a client that none of us wrote

    private String curl(Sidecar sidecar, String... fields) throws IOException {
        assumeThat(Files.isExecutable(Path.of(CURL))).isTrue();
        List<String> command = new ArrayList<>(List.of(CURL, "-sS", "-D", "-", "--http2-prior-knowledge"));
        command.addAll(List.of("-d", "", "-H", "content-type: application/grpc", "-H", "te: trailers"));
        for (String field : fields) {
            command.addAll(List.of("-H", field));
        }
        command.add("http://127.0.0.1:" + sidecar.address().getPort() + "/a.B/C");
        return Command.run(directory, command.toArray(new String[0])).good();
    }

    @Test
    void aCallOfGrpcGetsItsStatus() throws IOException {
        try (Sidecar sidecar = with("{abort-grpc: resource-exhausted}", "protocol: auto")) {
            assertThat(curl(sidecar))
                    .startsWith("HTTP/2 200")
                    .contains("grpc-status: 8\r\n", "content-type: application/grpc\r\n", "remora-error: fault\r\n");
            // counted when the exchange ends, which its client may hear of first
            Await.until(
                    "counted",
                    () -> sidecar.metrics()
                                    .sum(
                                            "remora_grpc_calls_total",
                                            "listener",
                                            "test",
                                            "grpc_status",
                                            "resource-exhausted")
                            == 1);
            assertThat(count(sidecar, "aborts_total")).isEqualTo(1);
            assertThat(backend.requests()).isEmpty();
        }
    }

    @Test
    void aStatusOfHttpIsToldAsOneOfGrpc() throws IOException {
        try (Sidecar sidecar = with("{abort: 503, headers: true}", "protocol: auto")) {
            assertThat(curl(sidecar)).contains("grpc-status: 14\r\n");
            assertThat(curl(sidecar, "x-envoy-fault-abort-request: 401")).contains("grpc-status: 16\r\n");
            assertThat(curl(sidecar, "x-envoy-fault-abort-grpc-request: 5")).contains("grpc-status: 5\r\n");
        }
    }

    @Test
    void curlWaitsForADelay() throws IOException {
        try (Sidecar sidecar = with("{headers: true}", "protocol: auto")) {
            long startNs = System.nanoTime();
            assertThat(curl(
                            sidecar,
                            "x-envoy-fault-delay-request: " + DELAY_MS,
                            "x-envoy-fault-abort-grpc-request: 14"))
                    .contains("grpc-status: 14\r\n");
            assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(DELAY_MS));
            assertThat(count(sidecar, "delays_total")).isEqualTo(1);
        }
    }
}
