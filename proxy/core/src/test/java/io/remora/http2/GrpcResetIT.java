package io.remora.http2;

import static io.remora.http2.FrameClient.CANCEL;
import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.GrpcCalls.CLUSTER;
import static io.remora.http2.GrpcCalls.LISTENER;
import static io.remora.http2.GrpcCalls.MESSAGE;
import static io.remora.http2.GrpcCalls.begin;
import static io.remora.http2.GrpcCalls.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.Stand;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of gRPC that their endpoint resets: what the code of HTTP/2 means, and who gets it. */
final class GrpcResetIT {
    private static final int NO_ERROR = 0;
    /** Octets of a timeout's unit. */
    private static final int UNIT = 1;

    private static Http2Backend resetting(int code) {
        return Http2Backend.start((peer, number) -> {
            peer.begin();
            for (Http2Peer.Head head = peer.headOrEnd(); head != null; head = peer.headOrEnd()) {
                peer.reset(head.stream(), code);
            }
        });
    }

    /** The codes of gRPC's table ("Errors" in its protocol over HTTP/2). */
    @ParameterizedTest
    @CsvSource({
        "0, 13, internal",
        "1, 13, internal",
        "2, 13, internal",
        "3, 13, internal",
        "6, 13, internal",
        "7, 14, unavailable",
        "8, 1, cancelled",
        "9, 13, internal",
        "11, 8, resource-exhausted",
        "12, 7, permission-denied",
        "13, 13, internal",
        "255, 13, internal"
    })
    void aResetBeforeTheHeadIsAStatus(int code, String status, String label) throws IOException {
        try (Http2Backend backend = resetting(code);
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            Answer answer = call(stand, "grpc-timeout", "1M");
            assertThat(answer.sections).hasSize(1);
            assertThat(answer.field("grpc-status")).isEqualTo(status);
            assertThat(answer.ended).isTrue();
            assertThat(stand.metric("remora_grpc_calls_total", '"' + label + '"'))
                    .isOne();
        }
    }

    /** A server whose clock is ahead of ours gives the call up before we do. */
    @Test
    void aCancelAtTheDeadlineIsTheDeadline() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    Http2Peer.Head head = peer.head();
                    String told = String.valueOf(head.value("grpc-timeout"));
                    assertThat(told).endsWith("u");
                    int leftMs = Integer.parseInt(told.substring(0, told.length() - UNIT)) / 1_000;
                    Stand.pause(leftMs - 20);
                    peer.reset(head.stream(), Http2Peer.CANCEL).awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            Answer answer = call(stand, "grpc-timeout", "400m");
            assertThat(answer.field("grpc-status")).isEqualTo("4");
            assertThat(answer.field("remora-error")).isEqualTo("caller-deadline");
            assertThat(stand.failures("caller-deadline")).isOne();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isZero();
        }
    }

    /** The route's own total is what the endpoint was told of, as the caller has longer. */
    @Test
    void aCancelAtTheRoutesTotalIsNoFaultOfTheEndpoint() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    Stand.pause(380);
                    peer.reset(stream, Http2Peer.CANCEL).awaitEnd();
                });
                SeamStand stand = SeamStand.start(
                        LISTENER + "routes: [{ cluster: app, timeouts: { total: 400ms } }]\n",
                        CLUSTER + "accrual: { consecutive-failures: 5 }\n",
                        backend.port())) {
            Answer answer = call(stand, "grpc-timeout", "1M");
            assertThat(answer.field("grpc-status")).isEqualTo("4");
            assertThat(stand.failures("total-timeout")).isOne();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isZero();
        }
    }

    @Test
    void aCancelWithoutADeadlineIsCancelled() throws IOException {
        try (Http2Backend backend = resetting(CANCEL);
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            Answer answer = call(stand);
            assertThat(answer.field("grpc-status")).isEqualTo("1");
            assertThat(answer.field("remora-error")).isEqualTo("stream-reset");
        }
    }

    /** The code of an attempt that another one followed says nothing of how the call ends. */
    @Test
    void theLastAttemptCounts() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    if (number == 1) {
                        peer.reset(stream, Http2Peer.REFUSED_STREAM).awaitEnd();
                    }
                    // the second one breaks without an answer
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            Answer answer = client.headers(1, true, GrpcCalls.CALL).answer(1);
            assertThat(answer.field("grpc-status")).isEqualTo("14");
            assertThat(answer.field("remora-error")).isEqualTo("backend-closed");
        }
    }

    // ---- behind the head

    private static Http2Backend resettingBehindTheHead(int code) {
        return Http2Backend.start((peer, number) -> {
            peer.begin();
            int stream = peer.head().stream();
            begin(peer, stream).data(stream, false, MESSAGE).reset(stream, code).awaitEnd();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 7, 8, 11, 12, 255})
    void behindTheHeadTheClientGetsTheCode(int code) throws IOException {
        try (Http2Backend backend = resettingBehindTheHead(code);
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            Answer answer = call(stand, "grpc-timeout", "1M");
            assertThat(answer.sections).hasSize(1);
            assertThat(answer.text()).isEqualTo(MESSAGE);
            assertThat(answer.reset).isEqualTo(code);
            assertThat(stand.failures("stream-reset")).isOne();
        }
    }

    /** A client could take a response for whole that ends without an error. */
    @Test
    void aResetWithoutAnErrorBecomesAnInternalError() throws IOException {
        try (Http2Backend backend = resettingBehindTheHead(NO_ERROR);
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port())) {
            assertThat(call(stand).reset).isEqualTo(Http2Peer.INTERNAL_ERROR);
        }
    }

    @Test
    void whatIsNoCallIsResetAlike() throws IOException {
        try (Http2Backend backend = resettingBehindTheHead(Http2Peer.ENHANCE_YOUR_CALM);
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            assertThat(client.headers(1, true, GET).answer(1).reset).isEqualTo(Http2Peer.ENHANCE_YOUR_CALM);
        }
    }
}
