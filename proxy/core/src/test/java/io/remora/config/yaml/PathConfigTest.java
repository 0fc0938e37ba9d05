package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.PathConfig;
import io.remora.config.model.PathConfig.Mode;
import io.remora.config.model.PathConfig.Separator;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.text.ConfigText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The keys that say which spelling of a path is matched. */
final class PathConfigTest {
    private static String yaml(String listener) {
        return Yaml.MINIMAL.replace("    cluster: app\n", "    " + String.join("\n    ", listener.split("\n")) + "\n");
    }

    private static ListenerConfig read(String listener) throws ConfigException {
        return Yaml.read(yaml(listener)).listeners().get(0);
    }

    @Test
    void bothIsTheDefault() throws ConfigException {
        assertThat(read("cluster: app").path()).isEqualTo(new PathConfig(Mode.BOTH, List.of()));
    }

    @ParameterizedTest
    @CsvSource({"both, BOTH", "as-sent, AS_SENT", "normalize, NORMALIZE", "refuse, REFUSE"})
    void hasFourWays(String text, Mode mode) throws ConfigException {
        String listener = "cluster: app\npath: " + text + "\nrefuse-in-path: [semicolon, double-slash]";
        PathConfig path = read(listener).path();
        assertThat(path).isEqualTo(new PathConfig(mode, List.of(Separator.SEMICOLON, Separator.DOUBLE_SLASH)));
        ProxyConfig config = Yaml.read(yaml(listener));
        String shown = ConfigText.render(config);
        assertThat(shown).contains("    path: " + text + "\n    refuse-in-path:\n      - semicolon\n");
        assertThat(Yaml.read(shown)).isEqualTo(config);
    }

    @ParameterizedTest
    @CsvSource({
        "both, /a, /b",
        "normalize, /a, /b",
        "refuse, /a, /b",
        "as-sent, /%61, /x/../b",
    })
    void routesHaveTheSpellingThatIsMatched(String mode, String path, String prefix) throws ConfigException {
        String routes = "routes: [{match: {path: '/%61'}, cluster: app}, {match: {prefix: /x/../b}, cluster: app}]";
        List<RouteConfig> read = read("path: " + mode + "\n" + routes).routes();
        assertThat(read.get(0).match().path()).isEqualTo(path);
        assertThat(read.get(1).match().pathPrefix()).isEqualTo(prefix);
        ProxyConfig config = Yaml.read(yaml("path: " + mode + "\n" + routes));
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "path: raw | 3:11: path is 'raw', expected one of both, as-sent, normalize, refuse",
                "path: [both] | 3:11: path is a list, expected text",
                "refuse-in-path: [slash] | 3:22: refuse-in-path has 'slash', expected one of backslash, double-slash,"
                        + " encoded-slash, semicolon",
                "refuse-in-path: [semicolons] | 3:22: refuse-in-path has 'semicolons', did you mean 'semicolon'?",
                "refuse-in-path: [semicolon, semicolon] | 3:33: refuse-in-path lists 'semicolon' twice",
                "refuse-in-path: [] | 3:21: refuse-in-path is an empty list, expected a list of at least one separator",
                "refuse-in-path: semicolon | 3:21: refuse-in-path is 'semicolon', expected a list of at least one"
                        + " separator",
            })
    void saysWhatIsWrong(String key, String problem) {
        assertThat(Yaml.problems(yaml(key + "\ncluster: app"))).containsExactly(problem);
    }

    @Test
    void tunnelsHaveNoPath() {
        assertThat(Yaml.problems(yaml("protocol: tcp\ncluster: app\npath: both\nrefuse-in-path: [semicolon]")
                        .replace("    endpoints", "    protocol: tcp\n    endpoints")))
                .containsExactly(
                        "5:11: path is not supported with protocol: tcp",
                        "6:21: refuse-in-path is not supported with protocol: tcp");
    }
}
