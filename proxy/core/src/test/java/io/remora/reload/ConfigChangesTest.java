package io.remora.reload;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfigChangesTest {
    private static final String ANNOUNCED = ", announce: {names: [\"zk!127.0.0.1:2181!/services/app!3\"]}";
    private static final String OTHER = ", announce: {names: [\"zk!127.0.0.1:2181!/services/other!3\"]}";

    private static ProxyConfig config(String... listeners) throws ConfigException {
        return config("", listeners);
    }

    private static ProxyConfig config(String top, String[] listeners) throws ConfigException {
        StringBuilder yaml =
                new StringBuilder(top + "engine: finagle\nadmin: {address: \"127.0.0.1:0\"}\nlisteners:\n");
        for (String listener : listeners) {
            yaml.append("  - {cluster: app, ").append(listener).append("}\n");
        }
        yaml.append("clusters: {app: {endpoints: [\"127.0.0.1:1\"]}}\n");
        return ConfigReader.read(
                "test.yaml",
                new ByteArrayInputStream(yaml.toString().getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                new FeatureList());
    }

    private static String at(String name, int port) {
        return "name: " + name + ", address: \"127.0.0.1:" + port + "\"";
    }

    @Test
    void anAnnouncedListenerStaysWhereItIs() throws Exception {
        ProxyConfig before = config(at("a", 4001) + ANNOUNCED, at("b", 4002));
        assertThat(ConfigChanges.announced(before, config(at("a", 4003) + ANNOUNCED, at("b", 4002))))
                .isEqualTo("listener a: it is announced and cannot be moved or removed at runtime");
        assertThat(ConfigChanges.announced(before, config(at("b", 4002)))).startsWith("listener a: it is announced");
        assertThat(ConfigChanges.announced(before, config(at("c", 4001) + ANNOUNCED, at("b", 4002))))
                .startsWith("listener a: it is announced");
    }

    @Test
    void whatIsAnnouncedDoesNotChange() throws Exception {
        ProxyConfig before = config(at("a", 4001) + ANNOUNCED, at("b", 4002));
        String why = "announce cannot change at runtime";
        assertThat(ConfigChanges.announced(before, config(at("a", 4001), at("b", 4002))))
                .isEqualTo("listener a: " + why);
        assertThat(ConfigChanges.announced(before, config(at("a", 4001) + OTHER, at("b", 4002))))
                .isEqualTo("listener a: " + why);
        assertThat(ConfigChanges.announced(before, config(at("a", 4001) + ANNOUNCED, at("b", 4002) + OTHER)))
                .isEqualTo("listener b: " + why);
        assertThat(ConfigChanges.announced(before, config(at("a", 4001) + ANNOUNCED, at("c", 4003) + OTHER)))
                .isEqualTo("listener c: " + why);
    }

    @Test
    void othersMayChangeBesideIt() throws Exception {
        ProxyConfig before = config(at("a", 4001) + ANNOUNCED, at("b", 4002));
        assertThat(ConfigChanges.announced(before, config(at("a", 4001) + ANNOUNCED, at("c", 4003))))
                .isNull();
        assertThat(ConfigChanges.announced(before, config(at("a", 4001) + ANNOUNCED + ", limits: {in-flight: 7}")))
                .isNull();
    }

    /** The file of a socket is as it was made, whatever later files say, and each of these is told so. */
    @Test
    void namesASocketThatStaysEachTime() throws Exception {
        String told = "listener a: socket: cannot change at runtime; it stays until a restart";
        String unix = "name: a, address: \"unix:/run/a.sock\", socket: {mode: \"%s\"}";
        ProxyConfig before = config(unix.formatted("0600"));
        ProxyConfig read = config(unix.formatted("0660"));
        ProxyConfig next = read.over(before);
        assertThat(next).isEqualTo(before);
        assertThat(ConfigChanges.text(before, read, next).lines()).containsExactly(told);
        assertThat(ConfigChanges.text(next, read, read.over(next)).lines()).containsExactly(told);
        ProxyConfig renamed = config(unix.formatted("0660").replace("name: a", "name: b"));
        assertThat(ConfigChanges.text(before, renamed, renamed.over(before)).lines())
                .contains(told.replace("listener a", "listener b"));
        ProxyConfig moved = config(unix.formatted("0660").replace("a.sock", "b.sock"));
        assertThat(ConfigChanges.text(before, moved, moved.over(before))).doesNotContain("socket:");
    }

    @Test
    void namesWhatStaysAndWhatChanges() throws Exception {
        ProxyConfig before = config(at("a", 4001));
        ProxyConfig read = config("workers: 3\nvia: other\ndrain-timeout: 7s\n", new String[] {at("a", 4002)});
        assertThat(ConfigChanges.text(before, read, read.over(before)).lines())
                .containsExactly(
                        "listener a: moved from 127.0.0.1:4001 to 127.0.0.1:4002",
                        "drain-timeout: changed",
                        "workers: cannot change at runtime; it stays until a restart",
                        "via: cannot change at runtime; it stays until a restart");
        assertThat(ConfigChanges.text(before, before, before)).isEqualTo("no differences\n");
    }
}
