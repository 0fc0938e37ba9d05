package io.remora.http2;

import static io.remora.http2.FrameClient.CANCEL;
import static io.remora.http2.FrameClient.with;
import static io.remora.http2.GrpcCalls.CALL;
import static io.remora.http2.GrpcCalls.CLUSTER;
import static io.remora.http2.GrpcCalls.LISTENER;
import static io.remora.http2.GrpcCalls.MESSAGE;
import static io.remora.http2.GrpcCalls.answer;
import static io.remora.http2.GrpcCalls.call;
import static io.remora.http2.GrpcCalls.trailersOnly;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls of gRPC in raw frames: what becomes of failures, deadlines, statuses and health. */
final class GrpcIT {
    // ---- failures of the sidecar's own

    @Test
    void whatCannotBeReachedIsUnavailable() throws IOException {
        try (DeadPort dead = new DeadPort();
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, dead.port())) {
            Answer answer = call(stand);
            assertThat(answer.sections).hasSize(1);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.field("content-type")).isEqualTo("application/grpc");
            assertThat(answer.field("grpc-status")).isEqualTo("14");
            assertThat(answer.field("grpc-message")).isEqualTo("The backend cannot be reached.");
            assertThat(answer.field("remora-error")).isEqualTo("connect-failed");
            assertThat(answer.text()).isEmpty();
            assertThat(stand.failures("connect-failed")).isOne();
            assertThat(stand.metric("remora_grpc_calls_total", "\"unavailable\""))
                    .isOne();
        }
    }

    @Test
    void aClientOfHttp1IsToldInHttp() throws IOException {
        try (DeadPort dead = new DeadPort();
                SeamStand stand = SeamStand.start("", CLUSTER, dead.port());
                RawClient client = RawClient.connect(stand.address())) {
            RawResponse told = client.send(
                            "POST /a.B/C HTTP/1.1\r\nHost: app\r\nContent-Type: application/grpc+proto\r\nContent-Length: 0\r\n\r\n")
                    .response();
            assertThat(told.status()).isEqualTo(502);
            assertThat(told.field("grpc-status")).isNull();
            RawResponse other = client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\n\r\n")
                    .response();
            assertThat(other.status()).isEqualTo(502);
        }
    }

    // ---- deadlines

    @Test
    void theCallersDeadlineEndsTheCallOnBothSides() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    told.add(String.valueOf(peer.head().value("grpc-timeout")));
                    told.add("reset " + peer.next(Http2Peer.RST_STREAM).number(0));
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            Answer answer = call(stand, "grpc-timeout", "200m");
            assertThat(answer.field("grpc-status")).isEqualTo("4");
            assertThat(answer.field("remora-error")).isEqualTo("caller-deadline");
            String left = told.poll(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS);
            assertThat(left).matches("1[0-9]{5}u");
            assertThat(told.poll(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)).isEqualTo("reset " + CANCEL);
            assertThat(stand.metric("remora_grpc_calls_total", "\"deadline-exceeded\""))
                    .isOne();
        }
    }

    @ParameterizedTest
    @CsvSource({"1s", "123456789m", "1.5S"})
    void whatIsNoDeadlineIsPassedOn(String text) throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    Http2Peer.Head head = peer.head();
                    told.add(String.valueOf(head.value("grpc-timeout")));
                    trailersOnly(peer, head.stream(), "0");
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            assertThat(call(stand, "grpc-timeout", text).field("grpc-status")).isEqualTo("0");
            assertThat(told.poll(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)).isEqualTo(text);
        }
    }

    @Test
    void theCallersOtherWordShortensItAndBothAreToldOn() throws Exception {
        BlockingQueue<Http2Peer.Head> heads = new LinkedBlockingQueue<>();
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    Http2Peer.Head head = peer.head();
                    heads.add(head);
                    trailersOnly(peer, head.stream(), "0");
                    peer.awaitEnd();
                });
                SeamStand stand =
                        SeamStand.start(LISTENER + "timeouts: { caller-header: x-wait }\n", CLUSTER, backend.port())) {
            call(stand, "grpc-timeout", "8H", "x-wait", "20s");
            Http2Peer.Head head = heads.poll(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS);
            assertThat(head.value("grpc-timeout")).matches("1[0-9]{7}u");
            assertThat(head.value("x-wait")).matches("1[0-9]{4}ms");
        }
    }

    // ---- retries

    private static final String RETRIES = CLUSTER + "retries: { grpc: [unavailable], back-off: 1ms }\n";

    @Test
    void aListedStatusIsTriedAgainWithTheBody() throws IOException {
        List<String> attempts = new CopyOnWriteArrayList<>();
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    for (int i = 0; i < 2; i++) {
                        Http2Peer.Head head = peer.head();
                        int octets = peer.body(head.stream()).length;
                        attempts.add(head.value("grpc-previous-rpc-attempts") + " " + octets);
                        if (i == 0) {
                            trailersOnly(peer, head.stream(), "14");
                        } else {
                            answer(peer, head.stream(), MESSAGE, "0");
                        }
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, RETRIES, backend.port())) {
            Answer answer = call(stand);
            assertThat(answer.text()).isEqualTo(MESSAGE);
            assertThat(answer.sections.get(1)).containsEntry("grpc-status", "0");
            assertThat(attempts).containsExactly("null 7", "1 7");
            assertThat(stand.metric("remora_grpc_calls_total", "\"ok\"")).isOne();
        }
    }

    @ParameterizedTest
    @CsvSource({"13, ''", "14, -1"})
    void whatIsNotListedOrNotWantedAgainIsPassedOn(String status, String pushback) throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.body(stream);
                    String[] head = {":status", "200", "content-type", "application/grpc", "grpc-status", status};
                    peer.headers(
                            stream, true, pushback.isEmpty() ? head : with(head, "grpc-retry-pushback-ms", pushback));
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, RETRIES, backend.port())) {
            assertThat(call(stand).field("grpc-status")).isEqualTo(status);
        }
    }

    // ---- what is counted by method

    @Test
    void theMethodsThatAreNamedAreCounted() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    for (int i = 0; i < 2; i++) {
                        Http2Peer.Head head = peer.head();
                        peer.body(head.stream());
                        trailersOnly(peer, head.stream(), head.value("wanted"));
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER + """
                        grpc: { methods: [/a.B/C, /a.B/Never] }
                        rate-limits: [{ rate: 1/m, burst: 2 }]
                        """, CLUSTER, backend.port())) {
            assertThat(call(stand, "wanted", "5").field("grpc-status")).isEqualTo("5");
            String[] invented = with(CALL, "wanted", "0");
            for (int i = 0; i < invented.length; i++) {
                invented[i] = invented[i].replace("/a.B/C", "/invented/Each");
            }
            try (FrameClient client = FrameClient.connect(stand.address())) {
                client.headers(1, false, invented).data(1, true, MESSAGE).answer(1);
            }
            assertThat(call(stand, "wanted", "0").field("grpc-status")).isEqualTo("8");
            stand.awaitIdle();
            String name = "remora_grpc_method_calls_total";
            assertThat(stand.metric(name, "grpc_method=\"/a.B/C\",grpc_status=\"not-found\""))
                    .isOne();
            assertThat(stand.metric(name, "grpc_method=\"/a.B/C\",grpc_status=\"resource-exhausted\""))
                    .isOne();
            assertThat(stand.metric(name, "grpc_method=\"other\",grpc_status=\"ok\""))
                    .isOne();
            assertThat(stand.metric(name)).isEqualTo(3);
            assertThat(stand.metric("remora_grpc_calls_total")).isEqualTo(3);
        }
    }

    // ---- what the endpoint's health is judged by

    @Test
    void accrualCountsTheStatusInTrailers() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    for (int i = 0; i < 3; i++) {
                        Http2Peer.Head head = peer.head();
                        peer.body(head.stream());
                        answer(peer, head.stream(), "", head.value("wanted"));
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            call(stand, "wanted", "14");
            call(stand, "wanted", "5");
            call(stand, "wanted", "0");
            stand.awaitIdle();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isOne();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"success\""))
                    .isEqualTo(2);
        }
    }

    /** Of two endpoints the one that says that it does not serve gets no call until it does. */
    @Test
    void theHealthServiceTakesAnEndpointOut() throws IOException {
        AtomicBoolean serving = new AtomicBoolean(true);
        try (Http2Backend first = health("1", serving);
                Http2Backend second = health("2", new AtomicBoolean(true));
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER + """
                        panic-below: 0
                        health-check: { grpc: a.B, interval: 3s, timeout: 2s, unhealthy-threshold: 1, healthy-threshold: 1 }
                        """, first.port(), second.port())) {
            Await.until("both serve", () -> served(stand).equals(Set.of("1", "2")));
            serving.set(false);
            // on a busy machine a check of the other one may fail first
            Await.until("it is out", () -> served(stand).equals(Set.of("2")));
            assertThat(stand.metric("remora_cluster_ejected")).isEqualTo(1);
            serving.set(true);
            Await.until("it is back", () -> served(stand).equals(Set.of("1", "2")));
            assertThat(stand.failures()).isZero();
        }
    }

    /** A server that says so of itself, and its name in each call. */
    private static Http2Backend health(String name, AtomicBoolean serving) {
        return Http2Backend.start((peer, number) -> {
            peer.begin();
            // a connection of checks, or one of calls, ends where the sidecar does
            for (Http2Peer.Head head = peer.headOrEnd(); head != null; head = peer.headOrEnd()) {
                peer.body(head.stream());
                if ("/grpc.health.v1.Health/Check".equals(head.value(":path"))) {
                    answer(peer, head.stream(), serving.get() ? MESSAGE : "\0\0\0\0\2\b\2", "0");
                } else {
                    peer.headers(head.stream(), true, ":status", "200", "grpc-status", "0", "served-by", name);
                }
            }
        });
    }

    private static Set<String> served(SeamStand stand) {
        Set<String> names = new TreeSet<>();
        try {
            for (int i = 0; i < 16; i++) {
                names.add(String.valueOf(call(stand).field("served-by")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }

    @Test
    void theHealthServiceIsAsked() throws IOException {
        AtomicBoolean serving = new AtomicBoolean(true);
        List<String> asked = new CopyOnWriteArrayList<>();
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    Http2Peer.Head head = peer.head();
                    if (!"/grpc.health.v1.Health/Check".equals(head.value(":path"))) {
                        peer.body(head.stream());
                        trailersOnly(peer, head.stream(), "0");
                    } else {
                        asked.add(head.value("content-type") + " " + head.value("te") + " "
                                + new String(peer.body(head.stream()), java.nio.charset.StandardCharsets.ISO_8859_1));
                        answer(peer, head.stream(), serving.get() ? MESSAGE : "\0\0\0\0\2\b\2", "0");
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER + """
                        panic-below: 0
                        health-check: { grpc: a.B, interval: 300ms, timeout: 250ms, unhealthy-threshold: 1, healthy-threshold: 1 }
                        """, backend.port())) {
            Await.until(
                    "a check succeeded", () -> stand.metric("remora_cluster_health_checks_total", "\"success\"") > 0);
            assertThat(asked.get(0)).isEqualTo("application/grpc trailers \0\0\0\0\5\n\3a.B");
            assertThat(call(stand).field("grpc-status")).isEqualTo("0");
            serving.set(false);
            Await.until("a check failed", () -> stand.metric("remora_cluster_health_checks_total", "\"failure\"") > 0);
            serving.set(true);
            long before = stand.metric("remora_cluster_health_checks_total", "\"success\"");
            Await.until("it is back", () -> stand.metric("remora_cluster_health_checks_total", "\"success\"") > before);
        }
    }
}
