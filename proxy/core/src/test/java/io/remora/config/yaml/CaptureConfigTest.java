package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.cluster.BreakerConfig;
import io.remora.cluster.CaptureConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code original-destination} of clusters. */
final class CaptureConfigTest {
    private static final String CAPTURED = Yaml.MINIMAL + "  other:\n    original-destination: {}\n";

    @Test
    void isShownAsItIsRead() throws Exception {
        ProxyConfig config = Yaml.read(CAPTURED);
        assertThat(config.capturing()).isEqualTo("other");
        ClusterConfig cluster = config.clusters().get("other");
        assertThat(cluster.options().get(CaptureConfig.CAPTURE))
                .isEqualTo(new CaptureConfig(1_000, 60_000_000_000L, null));
        assertThat(Yaml.read(ConfigText.render(config)).clusters().get("other")).isEqualTo(cluster);
    }

    @Test
    void hasABoundOnAllDestinations() throws Exception {
        ProxyConfig config = Yaml.read(CAPTURED.replace("{}", "{ total: { connections: 7, in-flight: 8 } }"));
        ClusterConfig cluster = config.clusters().get("other");
        CaptureConfig capture = cluster.options().get(CaptureConfig.CAPTURE);
        assertThat(capture).isNotNull();
        assertThat(capture.total()).isEqualTo(new BreakerConfig(7, 1_024, 8, Integer.MAX_VALUE));
        assertThat(Yaml.read(ConfigText.render(config)).clusters().get("other")).isEqualTo(cluster);
        assertThat(Yaml.problems(CAPTURED.replace("{}", "{ total: { connections: 0, retries: 1 } }")))
                .hasSize(2);
    }

    @Test
    void isOffByDefault() throws Exception {
        assertThat(Yaml.read(Yaml.MINIMAL).capturing()).isNull();
        assertThat(Yaml.read(Yaml.MINIMAL + "    original-destination: off\n").capturing())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "endpoints: ['a:1'] | endpoints",
                "resolver: {file: /a} | resolver",
                "balancer: round-robin | balancer",
                "accrual: {} | accrual",
                "health-check: {} | health-check",
                "dest: /s/a | dest",
            })
    void standsAlone(String beside, String key) {
        List<String> problems = Yaml.problems(CAPTURED + "    " + beside + "\n");
        assertThat(problems).anySatisfy(problem -> assertThat(problem)
                .contains(key + " cannot be combined with original-destination"));
    }

    @Test
    void knowsThePortsThatAreBound() throws Exception {
        ProxyConfig config = Yaml.read(Yaml.MINIMAL);
        int listener = config.listeners().get(0).address().port();
        assertThat(config.binds(listener)).isTrue();
        assertThat(config.binds(config.admin().address().port())).isTrue();
        assertThat(config.binds(1)).isFalse();
    }
}
