package io.remora.http2;

import static io.remora.http2.FrameClient.CANCEL;
import static io.remora.http2.FrameClient.NO_ERROR;
import static io.remora.http2.GrpcCalls.CALL;
import static io.remora.http2.GrpcCalls.CLUSTER;
import static io.remora.http2.GrpcCalls.LISTENER;
import static io.remora.http2.GrpcCalls.MESSAGE;
import static io.remora.http2.GrpcCalls.answer;
import static io.remora.http2.GrpcCalls.begin;
import static io.remora.http2.GrpcCalls.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of gRPC behind the head of their response: how the sidecar's own failures end them, and what their status says. */
final class GrpcTrailersIT {
    private static final String TIMED = LISTENER + "routes: [{ cluster: app, timeouts: { total: 1s } }]\n";

    /** What is said behind the head of a response, after which nothing more comes. */
    private interface Rest {
        void say(Http2Peer peer, int stream) throws IOException;
    }

    private static Http2Backend saying(Rest rest) {
        return Http2Backend.start((peer, number) -> {
            peer.begin();
            int stream = peer.head().stream();
            rest.say(begin(peer, stream), stream);
            peer.awaitEnd();
        });
    }

    private static Map<String, String> trailers(Answer answer) {
        assertThat(answer.sections).hasSize(2);
        assertThat(answer.ended).isTrue();
        return answer.sections.get(1);
    }

    // ---- deadlines

    @ParameterizedTest
    @CsvSource({
        "true, total-timeout, The request took longer than allowed.",
        "false, caller-deadline, The request took longer than its sender allowed."
    })
    void aDeadlineIsAStatus(boolean routes, String failure, String words) throws IOException {
        try (Http2Backend backend = saying((peer, stream) -> peer.data(stream, false, MESSAGE));
                SeamStand stand = SeamStand.start(routes ? TIMED : LISTENER, CLUSTER, backend.port())) {
            Answer answer = call(stand, "grpc-timeout", routes ? "1H" : "1S");
            assertThat(trailers(answer))
                    .containsEntry("grpc-status", "4")
                    .containsEntry("grpc-message", words)
                    .containsEntry("remora-error", failure);
            assertThat(answer.text()).isEqualTo(MESSAGE);
            assertThat(stand.failures(failure)).isOne();
            assertThat(stand.metric("remora_grpc_calls_total", "\"deadline-exceeded\""))
                    .isOne();
        }
    }

    /** Content that waits for the client's window neither holds the status back nor comes behind it. */
    @Test
    void theStatusOvertakesWhatWaits() throws IOException {
        try (Http2Backend backend = saying((peer, stream) -> peer.data(stream, false, "x".repeat(1_000)));
                SeamStand stand = SeamStand.start(TIMED, CLUSTER, backend.port());
                FrameClient client = FrameClient.raw(stand.address()).begin(Http2Peer.INITIAL_WINDOW_SIZE, 10)) {
            Answer answer =
                    client.headers(1, false, CALL).data(1, true, MESSAGE).answer(1);
            assertThat(trailers(answer)).containsEntry("grpc-status", "4");
            assertThat(answer.text()).hasSize(10);
            stand.awaitIdle();
            assertThat(stand.metric("remora_memory_exchanges")).isZero();
            client.windowUpdate(1, 1_000).windowUpdate(0, 1_000).barrier();
            assertThat(client.so(1).text()).hasSize(10);
        }
    }

    /** RFC 9113 8.1: a client that still sends is told by a reset that it need not. */
    @Test
    void aClientThatStillSendsIsToldToStop() throws IOException {
        try (Http2Backend backend = saying((peer, stream) -> {});
                SeamStand stand = SeamStand.start(TIMED, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            Answer answer =
                    client.headers(1, false, CALL).data(1, false, MESSAGE).answer(1);
            assertThat(trailers(answer)).containsEntry("grpc-status", "4");
            while (answer.reset < 0 && client.read() != null) {
                // it comes in a turn of its own
            }
            assertThat(answer.reset).isEqualTo(NO_ERROR);
        }
    }

    /** To whom trailers would make something whole that is not: a length that was announced, and what is not gRPC's. */
    @ParameterizedTest
    @ValueSource(strings = {"content-length", "content-type"})
    void whatTrailersCannotEndIsReset(String field) throws IOException {
        boolean length = field.equals("content-length");
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.headers(
                            stream,
                            false,
                            ":status",
                            "200",
                            "content-type",
                            length ? "application/grpc" : "text/html",
                            length ? field : "x",
                            "100");
                    peer.data(stream, false, MESSAGE).awaitEnd();
                });
                SeamStand stand = SeamStand.start(TIMED, CLUSTER, backend.port())) {
            Answer answer = call(stand);
            assertThat(answer.sections).hasSize(1);
            assertThat(answer.ended).isFalse();
            assertThat(answer.reset).isEqualTo(CANCEL);
        }
    }

    // ---- other failures

    @Test
    void anEndpointThatIsLostIsUnavailable() throws IOException {
        try (Http2Backend backend = saying((peer, stream) -> {
                    peer.data(stream, false, MESSAGE);
                    peer.close();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            assertThat(trailers(call(stand)))
                    .containsEntry("grpc-status", "14")
                    .containsEntry("grpc-message", "The backend closed the connection in the middle of the response.")
                    .containsEntry("remora-error", "backend-closed");
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isOne();
        }
    }

    @Test
    void aCallThatADrainCutsIsUnavailable() throws IOException {
        try (Http2Backend backend = saying((peer, stream) -> peer.data(stream, false, MESSAGE));
                Sidecar sidecar = Sidecar.start(Setup.at(backend.port())
                        .process("drain-timeout: 300ms")
                        .listener("protocol: auto")
                        .cluster("protocol: http2"));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            client.headers(1, false, CALL).data(1, true, MESSAGE);
            Await.until("it is under way", () -> sidecar.metrics().sum("remora_backend_exchanges_in_flight") == 1);
            sidecar.drain();
            assertThat(trailers(client.answer(1)))
                    .containsEntry("grpc-status", "14")
                    .containsEntry("remora-error", "cut-by-drain");
        }
    }

    /** RFC 9113 8.1.1: what a client does wrong is told as such, and by nothing that looks like an answer. */
    @Test
    void aClientThatBreaksARuleIsReset() throws IOException {
        try (Http2Backend backend = saying((peer, stream) -> {});
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, false, CALL).begun(1);
            Answer answer = client.headers(1, true, "Upper", "x").answer(1);
            assertThat(answer.sections).hasSize(1);
            assertThat(answer.reset).isEqualTo(FrameClient.PROTOCOL_ERROR);
        }
    }

    // ---- what a status says of the endpoint

    private static final String ACCRUAL =
            "accrual: { consecutive-failures: 2, back-off: 100ms, max-back-off: 100ms, max-ejected: 100 }\n"
                    + "panic-below: 0\nbalancer: round-robin\n";

    private static Http2Backend statuses(AtomicInteger calls, String... statuses) {
        return Http2Backend.start((peer, number) -> {
            peer.begin();
            for (Http2Peer.Head head = peer.headOrEnd(); head != null; head = peer.headOrEnd()) {
                peer.body(head.stream());
                int call = calls.getAndIncrement();
                answer(peer, head.stream(), MESSAGE, statuses[Math.min(call, statuses.length - 1)]);
            }
        });
    }

    /** The head alone does not bring it back, and its status counts once. */
    @ParameterizedTest
    @CsvSource({"14, 1", "0, 0"})
    void anEndpointIsBackByTheStatusOfItsCall(String third, int outAfterwards) throws IOException {
        AtomicInteger calls = new AtomicInteger();
        try (Http2Backend bad = statuses(calls, "14", "14", third);
                Http2Backend good = statuses(new AtomicInteger(), "0");
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER + ACCRUAL, bad.port(), good.port())) {
            while (calls.get() < 3) {
                call(stand);
            }
            stand.awaitIdle();
            assertThat(stand.metric("remora_cluster_ejected")).isEqualTo(outAfterwards);
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isEqualTo(2 + outAfterwards);
            assertThat(calls).hasValue(3);
        }
    }

    /** Nobody knows what it would have come to. */
    @Test
    void aCallThatIsGivenUpSaysNothing() throws IOException {
        try (Http2Backend backend = saying((peer, stream) -> {});
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, false, CALL).begun(1);
            client.reset(1, CANCEL);
            stand.awaitIdle();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"ignored\""))
                    .isOne();
        }
    }

    @Test
    void aStatusBehindAHeadIsNeverTriedAgain() throws IOException {
        try (Http2Backend backend = saying((peer, stream) -> peer.headers(stream, true, "grpc-status", "14"));
                SeamStand stand = SeamStand.start(
                        LISTENER, CLUSTER + "retries: { grpc: [unavailable], back-off: 1ms }\n", backend.port())) {
            assertThat(trailers(call(stand))).containsEntry("grpc-status", "14");
            assertThat(stand.metric("remora_grpc_calls_total", "\"unavailable\""))
                    .isOne();
            assertThat(stand.retries()).isZero();
        }
    }
}
