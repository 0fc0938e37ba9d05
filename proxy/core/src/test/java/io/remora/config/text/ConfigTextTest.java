package io.remora.config.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ResilienceConfigTest;
import io.remora.config.yaml.Yaml;
import io.remora.log.AccessLogConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigTextTest {
    @ParameterizedTest
    @ValueSource(strings = {Yaml.MINIMAL, Yaml.FULL, ResilienceConfigTest.FULL})
    void readsTheSameAgain(String yaml) throws ConfigException {
        ProxyConfig config = Yaml.read(yaml);

        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "${A}",
                "$${A}",
                "$$${A}",
                "a: b",
                "a:",
                "- a",
                "# a",
                "a #b",
                "'a'",
                "\"a\"",
                "a\\b",
                "{a}",
                "[a]",
                "*a",
                "&a",
                "!a",
                "%a",
                "@a",
                "`a",
                "?",
                "~",
                "null",
                "true",
                "1",
                "1e3",
                "|",
                ">",
                "a,b",
                "http://a/b?c",
                "=",
                "<<"
            })
    void keepsAwkwardText(String text) throws ConfigException {
        String quoted = "'" + text.replace("'", "''").replace("${", "$${") + "'";
        ProxyConfig config = Yaml.read("access-log: {output: " + quoted + "}\n"
                + Yaml.MINIMAL.replace(
                        "cluster: app", "routes: [{cluster: app, match: {headers: {x-a: " + quoted + "}}}]"));

        AccessLogConfig accessLog = config.options().get(AccessLogConfig.ACCESS_LOG);
        assertThat(accessLog).isNotNull();
        assertThat(accessLog.output()).isEqualTo(text);
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u00e9", "\u65e5\u672c", "\uD83D\uDE00", "a\u00A0b", "\uFFFD"})
    void keepsTextBeyondAscii(String text) throws ConfigException {
        ProxyConfig config = Yaml.read("access-log: {output: '" + text + "'}\n" + Yaml.MINIMAL);

        AccessLogConfig accessLog = config.options().get(AccessLogConfig.ACCESS_LOG);
        assertThat(accessLog).isNotNull();
        assertThat(accessLog.output()).isEqualTo(text);
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @Test
    void showsWhatVariablesBecame() throws ConfigException {
        ProxyConfig config = Yaml.read(Yaml.MINIMAL.replace("8081", "${P}"), Map.of("P", "99"));

        assertThat(ConfigText.render(config)).contains("127.0.0.1:99").doesNotContain("$");
    }

    @Test
    void masksWhatSpeaksOfACredential() throws ConfigException {
        String yaml = Yaml.MINIMAL.replace(
                "cluster: app",
                "routes: [{cluster: app, match: {headers: {Authorization: hush, X-Api-Key: hush, x-auth-token: hush, "
                        + "cookie: hush, x-version: v2}}}]");

        String text = ConfigText.render(Yaml.read(yaml));

        assertThat(text)
                .contains("authorization: \"***\"", "x-api-key: \"***\"", "x-auth-token: \"***\"", "cookie: \"***\"")
                .contains("x-version: v2")
                .doesNotContain("hush");
    }
}
