package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A frame is written in parts, and the channel may take no more behind any of them: nothing is flushed in between. */
final class Http2WholeFramesIT {
    private static final int ROUNDS = 12;
    private static final int STREAMS = 900;
    /** By this the sum of what is written grows longer from round to round, so that another part of a frame goes beyond the channel's mark. */
    private static final int STEP = 7;

    private static String[] answer(int round) {
        return new String[] {":status", "200", "x", "x".repeat(round * STEP)};
    }

    /** Answers all requests of a round at once, each by a head and an octet. */
    private static void serve(Http2Peer peer) throws IOException {
        peer.begin(Http2Peer.MAX_CONCURRENT_STREAMS, 2 * STREAMS);
        for (int round = 0; round < ROUNDS; round++) {
            ByteArrayOutputStream answers = new ByteArrayOutputStream();
            byte[] head = Http2Peer.block(answer(round));
            for (int i = 0; i < STREAMS; i++) {
                int stream = peer.head().stream();
                answers.writeBytes(Http2Peer.octets(Http2Peer.HEADERS, FrameClient.END_HEADERS, stream, head));
                answers.writeBytes(Http2Peer.octets(Http2Peer.DATA, FrameClient.END_STREAM, stream, (byte) 'x'));
            }
            peer.raw(answers.toByteArray());
        }
        peer.awaitEnd();
    }

    @Test
    void nothingIsWrittenIntoAFrame() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> serve(peer));
                Sidecar sidecar = Sidecar.start(Setup.at(backend.port())
                        .listener("protocol: http2\nhttp2: { max-concurrent-streams: 1000 }")
                        // while the connection is being made, a loop that has run nothing before reads 900 requests
                        .cluster("protocol: http2\nhttp2: { max-streams: 1000 }\ntimeouts: { connect: 30s }"));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            client.barrier();
            for (int round = 0; round < ROUNDS; round++) {
                int first = 2 * round * STREAMS + 1;
                ByteArrayOutputStream requests = new ByteArrayOutputStream();
                for (int id = first; id < first + 2 * STREAMS; id += 2) {
                    requests.writeBytes(FrameClient.frame(
                            FrameClient.HEADERS,
                            FrameClient.END_HEADERS | FrameClient.END_STREAM,
                            id,
                            FrameClient.block(FrameClient.GET)));
                }
                client.send(requests.toByteArray());
                for (int id = first; id < first + 2 * STREAMS; id += 2) {
                    FrameClient.Answer answer = client.answer(id);
                    assertThat(answer.field("x"))
                            .as("round %d, stream %d, %s", round, id, answer.sections)
                            .hasSize(round * STEP);
                    assertThat(answer.text()).isEqualTo("x");
                }
            }
        }
    }
}
