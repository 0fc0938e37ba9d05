package io.remora.http2;

import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.PROTOCOL_ERROR;
import static io.remora.http2.FrameClient.with;
import static io.remora.http2.GrpcCalls.CLUSTER;
import static io.remora.http2.GrpcCalls.LISTENER;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A length of zero, and streams that go on behind it: from HTTP/2 to HTTP/2 nobody ends a message but who sends it. */
final class Http2EmptyBodyIT {
    private static final String[] NOTHING = with(POST, "content-length", "0");

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private String next() throws InterruptedException {
        return seen.poll(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    /** Says what comes of the first request, up to its end, which it answers. */
    private Http2Backend watching() {
        return Http2Backend.start((peer, number) -> {
            peer.begin();
            Http2Peer.Head head = peer.head();
            seen.add("length " + head.value("content-length") + ", last " + head.isLast());
            for (Http2Peer.Frame frame = peer.read(); frame != null; frame = peer.read()) {
                switch (frame.type()) {
                    case Http2Peer.DATA -> seen.add("data " + frame.payload().length + ", last " + frame.isLast());
                    case Http2Peer.HEADERS -> seen.add("trailers, last " + frame.isLast());
                    case Http2Peer.RST_STREAM -> seen.add("reset");
                    default -> {
                        // says nothing about the request
                    }
                }
                if (frame.isLast() && (frame.type() == Http2Peer.DATA || frame.type() == Http2Peer.HEADERS)) {
                    peer.respond(head.stream(), "ok");
                }
            }
        });
    }

    @Test
    void aRequestEndsWhereItsClientEndsIt() throws Exception {
        try (Http2Backend backend = watching();
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, false, NOTHING);
            assertThat(next()).isEqualTo("length 0, last false");
            assertThat(client.data(1, true, "").answer(1).text()).isEqualTo("ok");
            assertThat(next()).isEqualTo("data 0, last true");
        }
    }

    @Test
    void trailersOfARequestPass() throws Exception {
        try (Http2Backend backend = watching();
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, false, NOTHING).headers(1, true, "x-sum", "1");
            assertThat(client.answer(1).text()).isEqualTo("ok");
            assertThat(next()).isEqualTo("length 0, last false");
            assertThat(next()).isEqualTo("trailers, last true");
        }
    }

    @Test
    void aRequestThatBreaksItsWordIsNeverWhole() throws Exception {
        try (Http2Backend backend = watching();
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, false, NOTHING);
            assertThat(next()).isEqualTo("length 0, last false");
            assertThat(client.data(1, true, "x").answer(1).reset).isEqualTo(PROTOCOL_ERROR);
            assertThat(next()).isEqualTo("reset");
        }
    }

    @Test
    void trailersOfAResponsePass() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200", "content-length", "0")
                            .headers(stream, true, "x-sum", "1")
                            .awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            Answer answer = client.headers(1, true, GET).answer(1);
            assertThat(answer.field("content-length")).isEqualTo("0");
            assertThat(answer.sections).hasSize(2);
            assertThat(answer.sections.get(1)).containsEntry("x-sum", "1");
        }
    }

    @Test
    void aResponseThatBreaksItsWordIsNeverWhole() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200", "content-length", "0")
                            .data(stream, true, "x")
                            .awaitEnd();
                });
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            Answer answer = client.headers(1, true, GET).answer(1);
            assertThat(answer.ended).isFalse();
            assertThat(stand.failures("bad-response")).isOne();
        }
    }
}
