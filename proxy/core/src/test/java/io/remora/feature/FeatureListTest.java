package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.rewrite.Rewriting;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The keys of features, and the classes behind them. */
final class FeatureListTest {
    private static ListenerConfig listener(String keys) throws ConfigException {
        String yaml = "listeners: [{address: \"127.0.0.1:0\", " + keys + "}]\n"
                + "clusters: {app: {endpoints: [\"127.0.0.1:1\"]}}\n";
        return ConfigReader.read(
                        "a.yaml",
                        new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                        Map.of(),
                        new FeatureList())
                .listeners()
                .get(0);
    }

    @Test
    void aKeyThatNoFeatureOwnsIsNamed() {
        FeatureList list = new FeatureList();
        assertThatThrownBy(() -> list.read("no-such-key", null, Options.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no feature owns the key 'no-such-key'");
    }

    @Test
    void aFeatureWithSeveralKeysIsThereOnce() throws ConfigException {
        String routes = "routes: [{cluster: app, rewrite: {host: a}, request-headers: {remove: [X-A]}}]";
        assertThat(FeatureList.of(listener(routes))).singleElement().isInstanceOf(Rewriting.class);
    }

    @Test
    void aPartWithoutStagesIsNoFeatureOfAListener() throws ConfigException {
        assertThat(FeatureList.of(listener("cluster: app, proxy-protocol: {from: [10.0.0.0/8]}")))
                .isEmpty();
    }

    @Test
    void onlyWhatRoutesOwnIsReadThere() {
        FeatureList list = new FeatureList();
        assertThat(list.ofRoutes()).containsAll(list.ofForwardingRoutes()).containsAll(list.ofAnsweringRoutes());
        assertThat(List.of(list.ofTop(), list.ofClusters()))
                .noneMatch(keys -> keys.stream().anyMatch(list.ofRoutes()::contains));
    }

    /** Written as if it were off, it would be read as another configuration. */
    @Test
    void anOptionThatCannotWriteItselfIsNotShownAsOff() {
        Key key = Key.mappingOrOff(null, "odd");
        Options odd = Options.NONE.with(Option.of("odd"), "value");
        assertThatThrownBy(() -> PlacedOption.show(new Page(), odd, key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the option under odd does not write itself");
        Page page = new Page();
        PlacedOption.show(page, Options.NONE, key);
        assertThat(page.text()).isEqualTo("odd: off\n");
    }

    private static final class Page extends KeyWriter {
        String text() {
            return written();
        }
    }
}
