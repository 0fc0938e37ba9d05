package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code examples/grpc.yaml}, as it is run. */
final class GrpcExampleIT {
    @Test
    void leadsToAServer() throws IOException, ConfigException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
            peer.begin();
            // of the call and of health checks, whichever comes first
            for (Http2Peer.Head head = peer.headOrEnd(); head != null; head = peer.headOrEnd()) {
                int stream = head.stream();
                peer.body(stream);
                peer.headers(stream, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "5");
            }
        })) {
            Map<String, String> environment =
                    Map.of("ADMIN_PORT", "0", "PORT", "0", "APP_PORT", Integer.toString(backend.port()));
            try (Proxy proxy = Examples.start(Examples.with("grpc.yaml"), environment);
                    RawClient client = RawClient.connect(proxy.address("inbound"))) {
                RawResponse response = client.send("POST /a.B/C HTTP/1.1\r\nHost: app\r\n"
                                + "Content-Type: application/grpc\r\nContent-Length: 5\r\n\r\n\0\0\0\0\0")
                        .response();
                assertThat(response.field("grpc-status")).isEqualTo("5");
            }
        }
    }
}
