package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.feature.FeatureList;
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

    @Test
    void readsNamesThatAreNeverIndexed() throws ConfigException {
        String yaml = listener("never-indexed: [X-Session, x-b]")
                + "    protocol: http2\n    http2: {never-indexed: [X-Api-Key]}\n";
        ProxyConfig config = Yaml.read(yaml);

        Http2Config http2 = config.listeners().get(0).options().get(Http2Config.HTTP2);
        assertThat(http2).isNotNull();
        assertThat(http2.neverIndexed()).containsExactly("x-session", "x-b");
        assertThat(ConfigText.render(config, FeatureList.off()))
                .contains("      never-indexed:\n        - x-session\n        - x-b\n")
                .contains("      never-indexed:\n        - x-api-key\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a b | never-indexed is 'a b', expected a token",
                "x:path | never-indexed is 'x:path', expected a token",
                "x-a, X-A | header 'X-A' is listed twice; names are case-insensitive",
                "'' | never-indexed is an empty list, expected a list of names"
            })
    void refusesNamesThatNoFieldHas(String names, String problem) {
        String list = "never-indexed: [" + names + "]";
        assertThat(Yaml.problems(listener(list))).singleElement().asString().contains(problem);
        assertThat(Yaml.problems(Yaml.MINIMAL + "    protocol: http2\n    http2: {" + list + "}\n"))
                .singleElement()
                .asString()
                .contains(problem);
    }

    @Test
    void refusesMoreNamesThanEachLineCanBeComparedWith() {
        StringBuilder names = new StringBuilder("a0");
        for (int i = 1; i < 33; i++) {
            names.append(", a").append(i);
        }
        assertThat(Yaml.problems(listener("never-indexed: [" + names + "]")))
                .singleElement()
                .asString()
                .contains("never-indexed has 33 names, expected at most 32");
    }
}
