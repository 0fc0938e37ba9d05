package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Option;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routes with faults, as they are read, shown and refused. */
final class FaultConfigTest {
    private static String with(String fault) {
        return Yaml.MINIMAL.replace(
                "listeners:\n",
                "listeners:\n  - {name: broken, address: 'a:1', routes: [{cluster: app, fault: " + fault + "}]}\n");
    }

    @Test
    void itIsShownAsItIsRead() throws ConfigException {
        ProxyConfig config = Yaml.read(
                with("{delay: 20ms, delay-percent: 5, abort: 503, abort-grpc: aborted, abort-percent: 7, headers: true,"
                        + " max-delay: 2s, max-active: 9}"));
        String shown = ConfigText.render(config);
        assertThat(shown)
                .contains("fault:\n", "delay: 20ms\n", "abort: 503\n", "abort-grpc: aborted\n", "max-active: 9\n");
        assertThat(Yaml.read(shown)).isEqualTo(config);
    }

    @Test
    void offIsNone() throws ConfigException {
        ProxyConfig config = Yaml.read(with("off"));
        assertThat(config.listeners().get(0).uses(Option.of("fault"))).isFalse();
        assertThat(ConfigText.render(config)).doesNotContain("fault");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | fault requires delay, abort, abort-grpc or headers: true",
                "{max-active: 3} | fault requires delay, abort, abort-grpc or headers: true",
                "{delay: 11s} | delay must not be longer than max-delay",
                "{delay: 2s, max-delay: 1s} | delay must not be longer than max-delay",
                "{abort: 503, delay-percent: 3} | delay-percent requires delay",
                "{delay: 1s, abort-percent: 3} | abort-percent requires abort",
                "{abort-grpc: broken} | abort-grpc is 'broken', expected a gRPC status, such as unavailable, or off",
                "{delay: 1s, aborts: 503} | unknown key 'aborts'"
            })
    void whatCannotBeMeantIsRefused(String fault, String problem) {
        assertThat(Yaml.problems(with(fault))).singleElement().asString().contains(problem);
    }

    @ParameterizedTest
    @CsvSource({"199", "600", "broken"})
    void aStatusIsOneOfHttp(String status) {
        assertThat(Yaml.problems(with("{abort: " + status + "}")))
                .anySatisfy(problem -> assertThat(problem).contains("abort is '" + status + "'"));
    }

    @Test
    void aTunnelHasNoRequestsToBreak() {
        String yaml = Yaml.MINIMAL.replace(
                        "listeners:\n",
                        "listeners:\n"
                                + "  - {address: 'a:1', protocol: tcp, routes: [{cluster: raw, fault: {delay: 1s}}]}\n")
                + "  raw: {protocol: tcp, endpoints: ['a:1']}\n";
        assertThat(Yaml.problems(yaml))
                .singleElement()
                .asString()
                .contains("fault is not supported with protocol: tcp");
    }
}
