package io.remora.detect;

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

/** {@code examples/detect.yaml}, as it is run. */
final class DetectExampleIT {
    @Test
    void leadsToAnApplicationAndToADatabase() throws IOException, ConfigException {
        try (RecordingBackend app = RecordingBackend.start();
                RecordingBackend database = RecordingBackend.start()) {
            database.onAccept(connection -> connection.write("ready"));
            Map<String, String> environment = Map.of(
                    "ADMIN_PORT",
                    "0",
                    "PORT",
                    "0",
                    "APP_PORT",
                    Integer.toString(app.port()),
                    "DATABASE_PORT",
                    Integer.toString(database.port()));
            try (Proxy proxy = Examples.start(Examples.with("detect.yaml"), environment);
                    RawClient request = RawClient.connect(proxy.address("any"));
                    RawClient query = RawClient.connect(proxy.address("any"))) {
                assertThat(request.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                                .response()
                                .bodyText())
                        .isEqualTo("ok");
                assertThat(Wire.text(query.send("\0\0\0\10").read(5))).isEqualTo("ready");
            }
        }
    }
}
