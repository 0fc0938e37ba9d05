package io.remora.inject;

import static io.remora.inject.Injected.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The operator's settings: defaults, every key, and every problem with its key. */
final class SettingsReaderTest {
    @Test
    void hasADefaultForEachKey() throws Exception {
        assertThat(settings("")).isEqualTo(InjectorSettings.defaults());
        assertThat(settings("{}")).isEqualTo(InjectorSettings.defaults());
    }

    @Test
    void readsEachKey() throws Exception {
        InjectorSettings settings = settings("""
                image: b
                images:
                - {name: a, runtime: i386-client, architectures: [amd64]}
                - {name: b, runtime: compact3-amd64-finagle}
                capture: {mode: off, image: c}
                engines: [netty, finagle]
                jvm-options: ["-Xmx*"]
                rps: 100
                zone: false
                probes: "off"
                exempt-namespaces: [x]
                webhook: {address: z}
                """);
        assertThat(settings.image()).isEqualTo("b");
        assertThat(settings.images()).hasSize(2);
        assertThat(settings.capture()).isEqualTo(new InjectorSettings.CaptureSettings(CaptureMode.OFF, "c"));
        assertThat(settings.engines()).containsExactly("netty", "finagle");
        assertThat(settings.jvmOptions()).containsExactly("-Xmx*");
        assertThat(settings.rps()).isEqualTo(100);
        assertThat(settings.zone()).isFalse();
        assertThat(settings.rewritesProbes()).isFalse();
        assertThat(settings.exemptNamespaces()).containsExactly("x");
        assertThat(settings.webhook()).containsEntry("address", "z");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fly: 1|injector.yaml: fly: not a setting",
                "image: x|image: 'x' is not one of images",
                "images: []|images: expected a list of mappings",
                "images: [{name: a, runtime: fast}]|images.runtime: 'fast', expected one of host, i386-client",
                "images: [{runtime: i386-client}]|images.name: expected a text",
                "capture: {mode: fly}|capture.mode: expected off, init or cni",
                "engines: [jetty]|engines: 'jetty', expected netty or finagle",
                "jvm-options: -Xmx1g|jvm-options: expected a list of texts",
                "rps: 0|rps: expected a whole number from 1",
                "zone: 5|zone: expected true or false",
                "probes: x|probes: 'x', expected rewrite or off",
                "[a]|not a mapping",
            })
    void namesEachProblem(String text, String problem) {
        assertThatThrownBy(() -> settings(text)).hasMessageContaining(problem);
    }
}
