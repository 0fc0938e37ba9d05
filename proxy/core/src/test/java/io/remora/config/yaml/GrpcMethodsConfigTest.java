package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.feature.grpc.GrpcConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GrpcMethodsConfigTest {
    private static String with(String lines) {
        return Yaml.MINIMAL.replace("    cluster: app\n", "    cluster: app\n" + lines.indent(4));
    }

    @Test
    void readsThemAndShowsThem() throws ConfigException {
        ProxyConfig config = Yaml.read(with("protocol: auto\ngrpc: {methods: [/a.B/C, /D/e]}"));
        assertThat(config.listeners().get(0).options().get(GrpcConfig.GRPC))
                .isEqualTo(new GrpcConfig(List.of("/a.B/C", "/D/e")));
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "auto | {} | missing methods, expected a list of at least one method",
                "auto | {methods: []} | methods is an empty list, expected a list of at least one method",
                "auto | {methods: [a.B/C]} | method is 'a.B/C', expected /PACKAGE.SERVICE/METHOD",
                "auto | {methods: [/a.B]} | method is '/a.B', expected /PACKAGE.SERVICE/METHOD",
                "auto | {methods: [/a/b/c]} | method is '/a/b/c', expected /PACKAGE.SERVICE/METHOD",
                "auto | {methods: [/a/b, /a/b]} | method '/a/b' is listed twice",
                "http1 | {methods: [/a/b]} | grpc requires protocol: http2 or auto"
            })
    void tellsWhatIsWrong(String protocol, String grpc, String problem) {
        assertThat(Yaml.problems(with("protocol: " + protocol + "\ngrpc: " + grpc)))
                .singleElement()
                .satisfies(one -> assertThat(one).endsWith(": " + problem));
    }
}
