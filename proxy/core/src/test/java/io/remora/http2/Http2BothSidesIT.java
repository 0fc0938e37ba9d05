package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** HTTP/2 from a client to an endpoint, frame by frame. */
final class Http2BothSidesIT {
    private static final int TOTAL = 8 << 20;

    /** What the sidecar allows an endpoint to send of a response whose client takes nothing. */
    private static final int WINDOW = 32 << 10;

    /** Some are gathered with others that wait, and some are not. */
    private static final int LARGEST = 3_000;

    private static void send(Http2Peer peer, int connection) throws IOException {
        peer.begin();
        int stream = peer.head().stream();
        peer.headers(stream, false, ":status", "200");
        Random random = new Random(1);
        int window = WINDOW;
        for (int at = 0; at < TOTAL; ) {
            byte[] piece = new byte[Math.min(TOTAL - at, 1 + random.nextInt(LARGEST))];
            while (window < piece.length) {
                Http2Peer.Frame frame = peer.next(Http2Peer.WINDOW_UPDATE);
                window += frame.stream() == stream ? frame.number(0) : 0;
            }
            for (int i = 0; i < piece.length; i++) {
                piece[i] = octet(at + i);
            }
            window -= piece.length;
            at += piece.length;
            peer.frame(Http2Peer.DATA, at == TOTAL ? 1 : 0, stream, piece);
        }
        peer.awaitEnd();
    }

    private static byte octet(int at) {
        return (byte) (at * 31 + (at >> 8));
    }

    /** Pieces that wait for the client are gathered while another one of them is being written. */
    @Test
    void smallPiecesForASlowReaderAllLeave() throws IOException {
        try (Http2Backend backend = Http2Backend.start(Http2BothSidesIT::send);
                Sidecar sidecar = Sidecar.start(
                        Setup.at(backend.port()).listener("protocol: http2").cluster("protocol: http2"));
                FrameClient client = FrameClient.raw(sidecar.address(), 8 << 10).begin(4, WINDOW)) {
            client.windowUpdate(0, Integer.MAX_VALUE - 65_535).get(1);
            int next = 1 << 18;
            while (!client.so(1).ended) {
                FrameClient.Frame frame = client.read();
                assertThat(frame).isNotNull();
                if (frame.type() == FrameClient.DATA && frame.payload().length > 0) {
                    client.windowUpdate(1, frame.payload().length);
                }
                if (client.so(1).body.size() > next) {
                    // until what is before it is full
                    next += 1 << 18;
                    Stand.pause(5);
                }
            }
            byte[] body = client.so(1).body.toByteArray();
            assertThat(body).hasSize(TOTAL);
            for (int i = 0; i < body.length; i++) {
                if (body[i] != octet(i)) {
                    throw new AssertionError("octet " + i + " is " + body[i]);
                }
            }
        }
    }
}
