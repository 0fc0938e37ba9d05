package io.remora.http2;

import static io.remora.http2.FrameClient.with;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import java.io.IOException;

/** A call of gRPC in raw frames, and what a server may answer. */
final class GrpcCalls {
    static final String LISTENER = "protocol: auto\n";
    static final String CLUSTER = "protocol: http2\n";
    static final String[] CALL = {
        ":method",
        "POST",
        ":scheme",
        "http",
        ":authority",
        "app",
        ":path",
        "/a.B/C",
        "content-type",
        "application/grpc",
        "te",
        "trailers"
    };
    static final String MESSAGE = "\0\0\0\0\2\b\1";

    private GrpcCalls() {}

    static void trailersOnly(Http2Peer peer, int stream, String status) throws IOException {
        peer.headers(stream, true, ":status", "200", "content-type", "application/grpc", "grpc-status", status);
    }

    /** The head of a response, behind which more is to come. */
    static Http2Peer begin(Http2Peer peer, int stream) throws IOException {
        return peer.headers(stream, false, ":status", "200", "content-type", "application/grpc");
    }

    static void answer(Http2Peer peer, int stream, String message, String status) throws IOException {
        begin(peer, stream).data(stream, false, message).headers(stream, true, "grpc-status", status);
    }

    static Answer call(SeamStand stand, String... fields) throws IOException {
        try (FrameClient client = FrameClient.connect(stand.address())) {
            return client.headers(1, false, with(CALL, fields))
                    .data(1, true, MESSAGE)
                    .answer(1);
        }
    }
}
