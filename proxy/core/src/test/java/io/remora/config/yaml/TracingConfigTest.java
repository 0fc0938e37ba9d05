package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.feature.FeatureList;
import io.remora.feature.tracing.TraceExportConfig;
import io.remora.feature.tracing.TraceExportConfig.Format;
import io.remora.feature.tracing.TracingConfig;
import io.remora.feature.tracing.TracingConfig.Propagation;
import io.remora.feature.tracing.TrustedParent;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tracing}, read, shown and refused. */
final class TracingConfigTest {
    private static final String FULL = """
        tracing:
          propagation: [b3, w3c, b3-multi]
          sample: 0.25
          failures: true
          parent: everyone
          service: shop/cart
          export:
            format: zipkin
            cluster: app
            path: /spans?x=1
            host: zipkin:9411
            queue: 1MiB
            interval: 2s
            timeout: 3s
        """;

    private static @Nullable TracingConfig tracing(ProxyConfig config) {
        return config.options().get(TracingConfig.TRACING);
    }

    private static String tracing(String keys) {
        return Yaml.MINIMAL + "tracing: {" + keys + "}\n";
    }

    @Test
    void readsEveryKeyAndShowsIt() throws ConfigException {
        ProxyConfig config = Yaml.read(FULL + Yaml.MINIMAL);
        assertThat(tracing(config))
                .isEqualTo(new TracingConfig(
                        List.of(Propagation.B3, Propagation.W3C, Propagation.B3_MULTI),
                        250_000,
                        true,
                        TrustedParent.EVERYONE,
                        "shop/cart",
                        new TraceExportConfig(
                                Format.ZIPKIN,
                                "app",
                                "/spans?x=1",
                                "zipkin:9411",
                                1 << 20,
                                2_000_000_000L,
                                3_000_000_000L)));
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @Test
    void hasDefaults() throws ConfigException {
        ProxyConfig config = Yaml.read(tracing("export: {cluster: app}"));
        assertThat(tracing(config))
                .isEqualTo(new TracingConfig(
                        List.of(Propagation.W3C),
                        10_000,
                        false,
                        TrustedParent.TRUSTED,
                        "remora",
                        new TraceExportConfig(
                                Format.OTLP, "app", "/v1/traces", "app", 256 << 10, 1_000_000_000L, 5_000_000_000L)));
        assertThat(tracing(Yaml.read(Yaml.MINIMAL))).isNull();
        assertThat(tracing(Yaml.read(Yaml.MINIMAL + "tracing: off\n"))).isNull();
        assertThat(ConfigText.render(Yaml.read(Yaml.MINIMAL), FeatureList.off()))
                .contains("tracing: off\n");
        assertThat(tracing(Yaml.read(tracing("export: {cluster: app, format: zipkin}")))
                        .export()
                        .path())
                .isEqualTo("/api/v2/spans");
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1000000", "1.0,1000000", "0.000001,1", "0.5,500000", "0.123456,123456"})
    void readsShares(String text, int millionths) throws ConfigException {
        ProxyConfig config = Yaml.read(tracing("sample: " + text + ", export: {cluster: app}"));
        assertThat(tracing(config).sampleMillionths()).isEqualTo(millionths);
        assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1.1", "2", "-0.1", ".5", "1.", "0.0000001", "1%", "''", "a", "1e-3", "0.1.1", "99999999999"})
    void refusesWhatIsNoShare(String text) {
        assertThat(Yaml.problems(tracing("sample: " + text + ", export: {cluster: app}")))
                .singleElement()
                .asString()
                .contains("sample is ")
                .contains("expected 0 to 1");
    }

    @Test
    void tellsOfAllProblemsAtOnce() {
        assertThat(Yaml.problems(tracing("propagation: [w3c, jaeger, w3c], failures: often, parent: you, service: a b,"
                        + " export: {format: thrift, cluster: ap, path: v1, host: a b, queue: 1KiB}")))
                .hasSize(10)
                .anySatisfy(problem -> assertThat(problem).contains("no cluster 'ap', did you mean 'app'?"))
                .anySatisfy(problem -> assertThat(problem).contains("propagation has 'w3c' twice"));
        assertThat(Yaml.problems(tracing("sample: 1")))
                .singleElement()
                .asString()
                .contains("missing export");
        assertThat(Yaml.problems(tracing("export: {format: otlp}")))
                .singleElement()
                .asString()
                .contains("missing cluster");
        assertThat(Yaml.problems(Yaml.MINIMAL + "  db: {protocol: tcp, endpoints: ['a:1']}\n"
                        + "tracing: {export: {cluster: db}}\n"))
                .singleElement()
                .asString()
                .contains("cannot be the collector");
    }
}
