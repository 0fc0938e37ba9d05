package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.http2.config.Http2Config;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file may say of HTTP/2, and what of it cannot work. */
final class Http2ConfigTest {
    private static String listener(String http2) {
        return Yaml.MINIMAL.replace("cluster: app", "cluster: app\n    protocol: http2\n    http2: {" + http2 + "}");
    }

    /** One stream whose backend takes nothing would stop all others. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "connection-window: 65535B | 65535",
                "initial-window: 1MiB | 1048576",
                "'initial-window: 64KiB, connection-window: 131071B' | 131071"
            })
    void refusesAConnectionWindowThatOneStreamFills(String http2, String window) {
        assertThat(Yaml.problems(listener(http2)))
                .singleElement()
                .asString()
                .contains("connection-window is " + window + "B", "expected at least twice the initial-window of ");
    }

    @Test
    void takesAConnectionWindowForTwoStreams() throws ConfigException {
        Http2Config config = Yaml.read(listener("initial-window: 32KiB, connection-window: 65536B"))
                .listeners()
                .get(0)
                .options()
                .get(Http2Config.HTTP2);

        assertThat(config).isNotNull();
        assertThat(config.connectionWindowBytes()).isEqualTo(2 * config.streamWindowBytes());
    }
}
