package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.takeover.TakeoverConfig;
import org.junit.jupiter.api.Test;

/** {@code takeover} at the top of the file. */
final class TakeoverConfigTest {
    private static ProxyConfig read(String takeover) throws ConfigException {
        return Yaml.read("takeover: " + takeover + "\n" + Yaml.MINIMAL);
    }

    @Test
    void isOffByDefault() throws Exception {
        assertThat(Yaml.read(Yaml.MINIMAL).options().get(TakeoverConfig.TAKEOVER))
                .isNull();
        assertThat(read("off").options().get(TakeoverConfig.TAKEOVER)).isNull();
    }

    @Test
    void isShownAsItIsRead() throws Exception {
        ProxyConfig config = read("{ socket: /run/remora/takeover.sock }");
        assertThat(config.options().get(TakeoverConfig.TAKEOVER))
                .isEqualTo(new TakeoverConfig("/run/remora/takeover.sock", 60_000_000_000L, 5_000_000_000L));
        ProxyConfig other = read("{ socket: /t, timeout: 10s, idle: 1s }");
        assertThat(other.options().get(TakeoverConfig.TAKEOVER))
                .isEqualTo(new TakeoverConfig("/t", 10_000_000_000L, 1_000_000_000L));
        for (ProxyConfig one : new ProxyConfig[] {config, other}) {
            assertThat(Yaml.read(ConfigText.render(one))).isEqualTo(one);
        }
    }

    @Test
    void isJudged() {
        assertThat(Yaml.problems("takeover: {}\n" + Yaml.MINIMAL))
                .singleElement()
                .asString()
                .contains("missing socket, expected the path of a Unix socket");
        assertThat(Yaml.problems("takeover: { socket: run/a }\n" + Yaml.MINIMAL))
                .singleElement()
                .asString()
                .contains("socket is 'run/a', expected an absolute path in visible ASCII");
        assertThat(Yaml.problems("takeover: { socket: /" + "a".repeat(100) + " }\n" + Yaml.MINIMAL))
                .singleElement()
                .asString()
                .contains("at most 100");
    }

    @Test
    void standsBesideUnixSockets() throws Exception {
        String unix = "admin: { address: \"unix:/run/admin.sock\" }\n" + Yaml.MINIMAL;
        assertThat(Yaml.read("takeover: { socket: /t }\nwarm-up: {}\n" + unix)
                        .options()
                        .get(TakeoverConfig.TAKEOVER))
                .isNotNull();
    }

    @Test
    void hasTimeForTheWarmUp() {
        String takeover = "takeover: { socket: /t, timeout: 10s }\n" + Yaml.MINIMAL;
        assertThat(Yaml.problems("warm-up: { timeout: 10s }\n" + takeover))
                .singleElement()
                .asString()
                .contains("warm-up.timeout is 10s, expected less than takeover.timeout, which is 10s");
    }

    @Test
    void judgesTheGetsOfTheWarmUp() {
        assertThat(Yaml.problems(
                        "warm-up: { gets: [{ path: a, host: \"a b\", listener: none, times: 0 }] }\n" + Yaml.MINIMAL))
                .anyMatch(problem -> problem.contains("path is 'a', expected visible ASCII that begins with '/'"))
                .anyMatch(problem -> problem.contains("host is 'a b', expected a host"))
                .anyMatch(problem -> problem.contains("listener is 'none', expected one of"))
                .anyMatch(problem -> problem.contains("times is '0'"))
                .hasSize(4);
        assertThat(Yaml.problems("warm-up: { gets: [{}] }\n" + Yaml.MINIMAL))
                .singleElement()
                .asString()
                .contains("missing path, expected the path of the request");
        assertThat(Yaml.problems("warm-up: { gets: [] }\n" + Yaml.MINIMAL))
                .singleElement()
                .asString()
                .contains("gets is an empty list");
    }
}
