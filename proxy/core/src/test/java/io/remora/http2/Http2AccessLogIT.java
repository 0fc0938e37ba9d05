package io.remora.http2;

import static io.remora.http2.GrpcCalls.CALL;
import static io.remora.http2.GrpcCalls.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.Http2Backend;
import io.remora.testkit.AccessLogFile;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the access log says of both sides' versions, and of calls of gRPC. */
final class Http2AccessLogIT {
    private AccessLogFile log;

    @BeforeEach
    void newLog(@TempDir Path directory) {
        log = new AccessLogFile(directory.resolve("access.log"));
    }

    private Setup setup(int port, String cluster) {
        return Setup.at(port).process(log.setting()).listener("protocol: auto").cluster(cluster);
    }

    private static Answer call(Sidecar sidecar) throws IOException {
        try (FrameClient client = FrameClient.connect(sidecar.address())) {
            return client.headers(1, false, CALL).data(1, true, MESSAGE).answer(1);
        }
    }

    @Test
    void eachSideHasItsVersion() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = Sidecar.start(setup(backend.port(), ""));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            assertThat(client.get(1).answer(1).status()).isEqualTo(200);
            assertThat(log.line(1))
                    .contains("\"version\":\"HTTP/2\"", "\"backend_version\":\"HTTP/1.1\"", "\"grpc_status\":null");
        }
    }

    @Test
    void timesAreToldInThisVersionToo() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar =
                        Sidecar.start(setup(backend.port(), "").listener("protocol: http2\nserver-timing: true"));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            assertThat(client.get(1).answer(1).field("server-timing"))
                    .matches("proxy;dur=[0-9]+\\.[0-9]{3}, backend;dur=[0-9]+\\.[0-9]{3}");
        }
    }

    @Test
    void aCallHasItsStatus() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200", "content-type", "application/grpc")
                            .data(stream, false, MESSAGE)
                            .headers(stream, true, "grpc-status", "5")
                            .awaitEnd();
                });
                Sidecar sidecar = Sidecar.start(setup(backend.port(), "protocol: http2"))) {
            assertThat(call(sidecar).status()).isEqualTo(200);
            assertThat(log.line(1))
                    .contains("\"status\":200,\"failure\":null", "\"backend_version\":\"HTTP/2\"")
                    .contains("\"attempts\":1,\"attempt_failure\":null", "\"grpc_status\":\"not-found\"");
        }
    }

    @Test
    void aRetriedCallHasTheStatusOfBoth() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    for (String status : new String[] {"14", "0"}) {
                        int stream = peer.head().stream();
                        peer.headers(
                                stream,
                                true,
                                ":status",
                                "200",
                                "content-type",
                                "application/grpc",
                                "grpc-status",
                                status);
                    }
                    peer.awaitEnd();
                });
                Sidecar sidecar = Sidecar.start(
                        setup(backend.port(), "protocol: http2\nretries: {grpc: [unavailable], back-off: 1ms}"))) {
            assertThat(call(sidecar).field("grpc-status")).isEqualTo("0");
            assertThat(log.line(1))
                    .contains("\"attempts\":2,\"attempt_failure\":\"grpc-unavailable\"", "\"grpc_status\":\"ok\"");
        }
    }

    @Test
    void aFailedCallHasTheStatusThatItsClientWasTold() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = Sidecar.start(setup(dead.port(), "protocol: http2"))) {
            assertThat(call(sidecar).field("grpc-status")).isEqualTo("14");
            assertThat(log.line(1))
                    .contains("\"failure\":\"connect-failed\"", "\"attempt_failure\":\"connect-failed\"")
                    .contains("\"backend_version\":null", "\"grpc_status\":\"unavailable\"");
        }
    }
}
