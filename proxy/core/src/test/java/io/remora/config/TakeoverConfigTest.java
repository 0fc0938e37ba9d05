package io.remora.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@code takeover} at the top of the file. */
final class TakeoverConfigTest {
    private static ProxyConfig read(String takeover) throws ConfigException {
        return Yaml.read("takeover: " + takeover + "\n" + Yaml.MINIMAL);
    }

    @Test
    void isOffByDefault() throws Exception {
        assertThat(Yaml.read(Yaml.MINIMAL).takeover()).isNull();
        assertThat(read("off").takeover()).isNull();
    }

    @Test
    void isShownAsItIsRead() throws Exception {
        ProxyConfig config = read("{ socket: /run/remora/takeover.sock }");
        assertThat(config.takeover())
                .isEqualTo(new TakeoverConfig("/run/remora/takeover.sock", 60_000_000_000L, 5_000_000_000L));
        ProxyConfig other = read("{ socket: /t, timeout: 10s, idle: 1s }");
        assertThat(other.takeover()).isEqualTo(new TakeoverConfig("/t", 10_000_000_000L, 1_000_000_000L));
        for (ProxyConfig one : new ProxyConfig[] {config, other}) {
            assertThat(Yaml.read(ConfigText.render(one))).isEqualTo(one);
        }
    }

    @Test
    void isJudged() {
        assertThat(Yaml.problems("takeover: {}\n" + Yaml.MINIMAL))
                .singleElement()
                .asString()
                .contains("no socket, expected the path of a Unix socket");
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
    void isRefusedBesideWhatCannotBeTakenOver() {
        String unix = "admin: { address: \"unix:/run/admin.sock\" }\n" + Yaml.MINIMAL;
        assertThat(Yaml.problems("takeover: { socket: /t }\n" + unix))
                .anyMatch(problem -> problem.contains("takeover beside an admin or health listener on a Unix socket"));
        assertThat(Yaml.problems("warm-up: {}\n" + unix))
                .anyMatch(problem -> problem.contains("warm-up beside admin.tls or a Unix socket"));
    }
}
