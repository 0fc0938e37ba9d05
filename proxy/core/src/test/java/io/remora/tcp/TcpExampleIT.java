package io.remora.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code examples/tcp.yaml}, as it is run. */
final class TcpExampleIT {
    @Test
    void leadsToADatabase() throws IOException, ConfigException {
        try (RecordingBackend backend = RecordingBackend.start()) {
            backend.onAccept(connection -> connection.write("ready"));
            String port = Integer.toString(backend.port());
            Map<String, String> environment =
                    Map.of("ADMIN_PORT", "0", "PORT", "0", "TLS_PORT", "0", "DATABASE_PORT", port);
            try (Proxy proxy = Examples.start(Examples.with("tcp.yaml"), environment);
                    RawClient client = RawClient.connect(proxy.address("database"))) {
                assertThat(Wire.text(client.read(5))).isEqualTo("ready");
            }
        }
    }
}
