package io.remora.config.keys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.rules.NettyRefusals;
import io.remora.config.text.ConfigText;
import io.remora.config.yaml.ConfigReader;
import io.remora.config.yaml.Yaml;
import io.remora.discovery.ResolverCheck;
import io.remora.feature.FeatureList;
import io.remora.files.FileWatch;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.tls.JdkProvider;
import io.remora.tls.TlsProvider;
import io.remora.tls.TlsSetup;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The same values under each key that takes text: each ends in a configuration, or in problems that stand in the file. */
final class NastyValuesIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static final List<String> VALUES = List.of(
            // names
            "",
            " ",
            ".",
            "..",
            "-",
            "_",
            "a_b.test",
            "-a.test",
            "a-.test",
            "a..test",
            ".a.test",
            "a.test.",
            "*",
            "*.a.test",
            "a.*.test",
            "xn--a.test",
            "xn--",
            "b\u00fccher.test",
            "\u0130.test",
            "a\u3002test",
            "l" + "o".repeat(63) + "ng.test",
            "l.ong".repeat(60),
            "x".repeat(5_000),
            // addresses, URIs
            "1.2.3.4",
            "256.1.1.1",
            "0x7f.1",
            "[::1%lo]",
            "[:::]:1",
            "a:b:c",
            "a:99999999999",
            "spiffe://a b/\u00fc",
            "http://[",
            // what a file, a terminal, a template or a shell takes for something else
            "/dev/null",
            "/\u00fc/../~",
            "a\u0000b",
            "a\r\nb: c",
            "\u0085\u2028",
            "\ud800",
            "\ud83d\udca9",
            "\ufffe",
            "{host}{port}",
            "{",
            "$" + "{",
            "%s%n%00",
            "\\",
            "'\"",
            "null",
            "99999999999999999999",
            "-1");

    /** A key, and a file that has it. */
    private record Place(String path, Key key, String section) {
        @Override
        public String toString() {
            return path;
        }
    }

    static Stream<Place> places() {
        List<Place> places = new ArrayList<>();
        for (Map.Entry<String, Key> each : KeyTable.keys().entrySet()) {
            Key key = each.getValue();
            boolean isText = key.type != null || key.fallbackText != null || key instanceof Choice<?>;
            boolean isSection = Key.MAPPING.equals(key.type)
                    || Key.MAPPING_OR_OFF.equals(key.type)
                    || Key.LIST.equals(key.type)
                    || Key.CLUSTERS.equals(key.type);
            if (isText && !isSection) {
                String path = each.getKey();
                places.add(new Place(path, key, path.substring(0, path.length() - key.name.length())));
            }
        }
        return places.stream();
    }

    @Test
    void goThroughEveryKeyThatTakesText() {
        assertThat(places().toList()).hasSizeGreaterThan(150);
        assertThat(VALUES).hasSizeGreaterThanOrEqualTo(40).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("places")
    void endInAConfigurationOrInProblems(Place place) {
        String section = ConfigurationPageTest.SECTIONS.get(place.section);
        assertThat(section).as("a file with " + place.section).isNotNull();
        List<String> faults = new ArrayList<>();
        for (String value : VALUES) {
            for (Object shape : shapes(place.key, value)) {
                String fault = fault(file(section, place.key.name, shape));
                if (fault != null) {
                    faults.add(place + ": " + json(shape) + ": " + fault);
                }
            }
        }
        assertThat(faults).isEmpty();
    }

    private static List<Object> shapes(Key key, String value) {
        String type = String.valueOf(key.type);
        List<Object> shapes = new ArrayList<>(List.of(value));
        if (type.contains("list")) {
            shapes.add(List.of(value));
        }
        if (type.contains("mapping")) {
            shapes.addAll(List.of(Map.of(value, "v"), Map.of("name", value)));
        }
        return shapes;
    }

    /** The file with a key more, as JSON, in which any text can be written. */
    private static String file(String section, String key, Object value) {
        String named = section.replace("chain: a, key: b", "chain: $/app.crt, key: $/app.key")
                .replace("$", TLS.directory().toString());
        Object tree = new Load(LoadSettings.builder().build()).loadFromString(named);
        assertThat(put(tree, key, value)).isTrue();
        return json(tree);
    }

    /** Puts a key where the one stands that no section knows; tells whether there is that place. */
    @SuppressWarnings("unchecked")
    private static boolean put(Object tree, String key, Object value) {
        if (tree instanceof List<?> list) {
            return list.stream().anyMatch(item -> put(item, key, value));
        }
        if (!(tree instanceof Map<?, ?> map)) {
            return false;
        }
        if (map.remove(ConfigurationPageTest.NO_KEY) != null) {
            ((Map<Object, Object>) map).put(key, value);
            return true;
        }
        return map.values().stream().anyMatch(item -> put(item, key, value));
    }

    private static String json(Object tree) {
        if (tree instanceof Map<?, ?> map) {
            List<String> entries = new ArrayList<>();
            for (Map.Entry<?, ?> entry : new LinkedHashMap<>(map).entrySet()) {
                entries.add(json(entry.getKey()) + ": " + json(entry.getValue()));
            }
            return "{" + String.join(", ", entries) + "}";
        }
        if (tree instanceof List<?> list) {
            return list.stream().map(NastyValuesIT::json).toList().toString();
        }
        StringBuilder text = new StringBuilder("\"");
        for (char c : String.valueOf(tree).toCharArray()) {
            text.append(
                    c == '"' || c == '\\' ? "\\" + c : c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : "" + c);
        }
        return text.append('"').toString();
    }

    /** Null where the file is good, or every problem of it is one line with a place in the file. */
    private static @Nullable String fault(String file) {
        try {
            ProxyConfig config = ConfigReader.read(
                    "f.yaml", new ByteArrayInputStream(file.getBytes(UTF_8)), Map.of(), new FeatureList());
            ConfigText.render(config);
            NettyRefusals.of("f.yaml", config);
            for (TlsProvider provider : providers()) {
                TlsSetup setup = new TlsSetup(provider, new FileWatch());
                setup.check("f.yaml", config);
                setup.close();
            }
            ResolverCheck.judge(config);
            return null;
        } catch (ConfigException e) {
            for (Problem problem : e.problems()) {
                boolean isOneLine = problem.toString().chars().noneMatch(Character::isISOControl);
                if (problem.line() < 1 || problem.column() < 1 || !isOneLine) {
                    return problem.toString();
                }
            }
            return e.problems().isEmpty() ? "no problem" : null;
        } catch (RuntimeException | Error e) {
            return e.toString();
        }
    }

    /** In the locale C the system has names of ASCII only. */
    @Test
    void aPathThatTheLocaleCannotWriteStandsInTheFile() throws IOException {
        Path file = Files.writeString(TLS.directory().resolve("umlaut.yaml"), Yaml.MINIMAL + """
                tracing: off
                access-log: { output: /var/log/\u00fc }
                """);
        assertThat(check("C.UTF-8", file)).isEqualTo(new Command(0, file + ": ok\n"));
        Command refused = check("C", file);
        assertThat(refused.status()).isEqualTo(64);
        assertThat(refused.output())
                .startsWith(file + ":8:23: output is '/var/log/")
                .contains("that the locale has");
    }

    private static Command check(String locale, Path file) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String jar = Path.of("target", "remora.jar").toAbsolutePath().toString();
        return Command.run(TLS.directory(), "env", "LC_ALL=" + locale, java, "-jar", jar, "check", file.toString());
    }

    private static List<TlsProvider> providers() {
        TlsProvider openSsl = OpenSslProvider.load();
        return openSsl == null ? List.of(new JdkProvider()) : List.of(new JdkProvider(), openSsl);
    }
}
