package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ClientHalfClose;
import io.remora.config.model.ConfigException;
import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.feature.Features;
import io.remora.log.AccessLogConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a file says of logs, and of the times that responses tell. */
final class LogConfigTest {
    private static ProxyConfig read(String line) throws ConfigException {
        return Yaml.read(line + "\n" + Yaml.MINIMAL);
    }

    private static void isRefused(String line, String... problems) {
        assertThat(Yaml.problems(line + "\n" + Yaml.MINIMAL)).containsExactly(problems);
    }

    @Test
    void theLevelOfTheWholeStandsInTwoPlaces() throws ConfigException {
        assertThat(read("log: {level: warn}")).isEqualTo(read("log-level: warn"));
        assertThat(read("log: {}")).isEqualTo(Yaml.read(Yaml.MINIMAL));
        isRefused("log-level: warn\nlog: {level: warn}", "1:12: log-level cannot be combined with log.level");
    }

    @Test
    void componentsHaveLevelsOfTheirOwn() throws ConfigException {
        ProxyConfig config = read("log: {level: error, components: {tls: debug, netty: warn}}");
        assertThat(config.logLevel()).isEqualTo(LogLevel.ERROR);
        assertThat(config.logComponents())
                .isEqualTo(Map.of(LogComponent.TLS, LogLevel.DEBUG, LogComponent.NETTY, LogLevel.WARN));
        isRefused(
                "log: {components: {tsl: debug, tls: loud}}",
                "1:20: unknown component 'tsl', expected one of process, listener, cluster, tls, memory, netty,"
                        + " finagle",
                "1:37: tls is 'loud', expected one of debug, info, warn, error");
    }

    @ParameterizedTest
    @CsvSource({"1, 1000000", "1.0, 1000000", "0.1, 100000", "0.25, 250000", "0.000001, 1", "0.100000, 100000"})
    void aSampleIsAShare(String text, int millionths) throws ConfigException {
        assertThat(read("access-log: {sample: " + text + "}")
                        .options()
                        .get(AccessLogConfig.ACCESS_LOG)
                        .sample())
                .isEqualTo(millionths);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.0", "1.1", "2", "10%", ".1", "0.", "0,1", "0.0000001", "-0.1", "1e-3", "all"})
    void aSampleIsNothingElse(String text) {
        isRefused(
                "access-log: {sample: '" + text + "'}",
                "1:22: sample is '" + text + "', expected a share such as 0.1, from 0.000001 to 1");
    }

    @Test
    void failuresAloneHaveNoSample() throws ConfigException {
        assertThat(read("access-log: {only: failures}")
                        .options()
                        .get(AccessLogConfig.ACCESS_LOG)
                        .sample())
                .isZero();
        assertThat(read("access-log: {only: all}")).isEqualTo(read("access-log: {}"));
        isRefused("access-log: {only: errors}", "1:20: only is 'errors', expected failures or all");
        isRefused("access-log: {only: failures, sample: 0.1}", "1:38: sample cannot be combined with only: failures");
    }

    @Test
    void tunnelsHaveNoResponsesToTellIn() {
        assertThat(Yaml.problems(Yaml.MINIMAL
                        .replace("    cluster: app\n", "    cluster: app\n    protocol: tcp\n    server-timing: true\n")
                        .replace("  app:\n", "  app:\n    protocol: tcp\n")))
                .singleElement()
                .asString()
                .contains("server-timing is not supported with protocol: tcp");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "log: {level: warn, components: {tls: debug, process: error}}",
                "access-log: {only: failures}",
                "access-log: {sample: 0.05}",
                "access-log: {sample: 0.000001}",
            })
    void isShownAsItIsRead(String line) throws ConfigException {
        ProxyConfig config = read(line);
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @Test
    void theFateOfHalfClosedClientsIsRead() throws ConfigException {
        assertThat(Yaml.read(Yaml.MINIMAL).listeners().get(0).clientHalfClose()).isEqualTo(ClientHalfClose.CANCEL);
        String serve = "    cluster: app\n    client-half-close: serve\n";
        ProxyConfig config = Yaml.read(Yaml.MINIMAL.replace("    cluster: app\n", serve));
        assertThat(config.listeners().get(0).clientHalfClose()).isEqualTo(ClientHalfClose.SERVE);
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        assertThat(Yaml.problems(Yaml.MINIMAL
                        .replace("    cluster: app\n", serve + "    protocol: tcp\n")
                        .replace("  app:\n", "  app:\n    protocol: tcp\n")))
                .singleElement()
                .asString()
                .contains("client-half-close is not supported with protocol: tcp");
    }

    @Test
    void theSwitchOfAListenerIsShown() throws ConfigException {
        ProxyConfig config =
                Yaml.read(Yaml.MINIMAL.replace("    cluster: app\n", "    cluster: app\n    server-timing: true\n"));
        assertThat(config.listeners().get(0).uses(Features.SERVER_TIMING)).isTrue();
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }
}
