package io.remora.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.text.ConfigText;
import io.remora.config.yaml.Yaml;
import io.remora.json.JsonTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The filters of a bundle: the values that pass, and those that do not. */
final class FiltersTest {
    @TempDir
    private Path directory;

    private static final Set<String> NAMES = Set.of("in", "app", "a.test:80");

    @Test
    void keepsAllowedKeysAndNothingBelowOthers() throws IOException {
        SafeConfig config = SafeConfig.of("""
                # generation 2, since 2026-01-02T03:04:05.678Z
                # the last reload, 2026-01-02T03:04:05.678Z:
                #   /etc/hidden.yaml: refused
                workers: 2
                via: hidden
                listeners:
                  - name: in
                    address: 127.0.0.1:80
                    require-identity:
                      - hidden
                    tls:
                      mode: strict
                      certificates:
                        - chain: /etc/hidden.crt
                          key: /etc/hidden.key
                      min-version: 1.2
                    routes:
                      - name: "hid den"
                        match:
                          headers:
                            "X:hidden": hidden
                        cluster: app
                        retries:
                          attempts: 2
                          statuses:
                            - 503
                      - name: b
                        cluster: app
                clusters:
                  app:
                    endpoints:
                      - 127.0.0.1:81
                      - unix:/run/hidden.sock
                  "odd name":
                    max-connections: 7
                  unknown-key:
                    hidden-key: hidden
                """);
        assertThat(config.text()).isEqualTo("""
                # generation 2, since 2026-01-02T03:04:05.678Z
                workers: 2
                via: (left out)
                listeners:
                  - name: in
                    address: 127.0.0.1:80
                    require-identity: (left out)
                    tls:
                      mode: strict
                      certificates: (left out)
                      min-version: 1.2
                    routes:
                      - name: (left out)
                        match: (left out)
                        cluster: app
                        retries:
                          attempts: 2
                          statuses:
                            - 503
                      - name: b
                        cluster: app
                clusters:
                  app:
                    endpoints:
                      - 127.0.0.1:81
                      - (left out)
                  unknown-key:
                    hidden-key: (left out)
                """);
        assertThat(config.names()).contains("in", "app", "b", "127.0.0.1:80", "127.0.0.1:81");
        assertThat(config.leftOut()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {Yaml.MINIMAL, Yaml.FULL})
    void showsMostOfAPlainConfiguration(String yaml) throws ConfigException, IOException {
        String page = ConfigText.render(Yaml.read(yaml));
        String shown = SafeConfig.of(page).text();
        assertThat(shown.lines().count()).isGreaterThan(page.lines().count() / 2);
        for (String line : shown.lines().toList()) {
            assertThat(page.lines().anyMatch(line::equals) || line.endsWith("(left out)"))
                    .as(line)
                    .isTrue();
        }
    }

    /** An allowed key that the configuration does not have would be a slip. */
    @Test
    void theListHasKeysOfTheConfiguration() throws IOException {
        Set<String> known = new TreeSet<>(List.of("log.components.*"));
        try (var schema = FiltersTest.class.getResourceAsStream("/io/remora/config/schema.json")) {
            Object tree = JsonTree.read(schema.readAllBytes());
            walk((Map<?, ?>) tree, "", known);
        }
        assertThat(known).hasSizeGreaterThan(300).containsAll(SafeConfig.keys());
        assertThat(SafeConfig.keys()).hasSizeGreaterThan(200).allSatisfy(key -> {
            for (String word : List.of("key", "chain", "trust-file", "token", "password", "header", "path-prefix")) {
                assertThat(List.of(key.split("\\."))).doesNotContain(word);
            }
        });
    }

    private static void walk(Map<?, ?> node, String path, Set<String> known) {
        for (Object one : list(node.get("anyOf"))) {
            walk((Map<?, ?>) one, path, known);
        }
        if (node.get("properties") instanceof Map<?, ?> properties) {
            properties.forEach((name, child) -> {
                String full = path.isEmpty() ? name.toString() : path + '.' + name;
                known.add(full);
                walk((Map<?, ?>) child, full, known);
            });
        }
        if (node.get("additionalProperties") instanceof Map<?, ?> any) {
            known.add(path + ".*");
            walk(any, path + ".*", known);
        }
        if (node.get("items") instanceof Map<?, ?> items) {
            walk(items, path, known);
        }
    }

    private static List<?> list(Object value) {
        return value instanceof List<?> list ? list : new ArrayList<>();
    }

    @Test
    void hidesLabelsThatSomebodyChose() {
        SafeMetrics metrics = new SafeMetrics(NAMES);
        assertThat(metrics.of("""
                        # HELP remora_a Text.
                        # TYPE remora_a counter
                        remora_a 1
                        remora_a{listener="in",class="2xx"} 2
                        remora_a{cluster="hidden.test",endpoint="10.0.0.1:80"} 3
                        remora_a{cluster="app",endpoint="unix:/run/hidden"} 4
                        remora_a{grpc_method="/hidden\\"{,}=\\\\",listener="in"} 5
                        remora_a{cluster="hidden.test",endpoint="a.test:80"} 6
                        remora_a{new_label="hidden"} 7
                        remora_a{broken
                        """)).isEqualTo("""
                        # TYPE remora_a counter
                        remora_a 1
                        remora_a{listener="in",class="2xx"} 2
                        remora_a{cluster="hidden-1",endpoint="10.0.0.1:80"} 3
                        remora_a{cluster="app",endpoint="hidden-2"} 4
                        remora_a{grpc_method="hidden-3",listener="in"} 5
                        remora_a{cluster="hidden-1",endpoint="a.test:80"} 6
                        remora_a{new_label="hidden-4"} 7
                        remora_a{}
                        """);
        assertThat(metrics.hidden()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            listener in on 127.0.0.1:80                     | listener in on 127.0.0.1:80
            tls: certificate /etc/qzsecret/a.crt, a chain     | tls: certificate ..., a chain
            drain; limit=10m, from=qzsecret                   | drain; limit=10m, ...
            ready; admin on [::1]:9990                      | ready; admin on [::1]:9990
            failed: "qzsecret" (token9)                       | failed: "..." (...)
            cluster app: GET /?a=qzsecret                     | cluster app: GET ...
            """)
    void keepsTheSidecarsOwnWordsOfALog(String message, String shown) throws IOException {
        SafeLog log = new SafeLog(Vocabulary.of(jar()), NAMES);
        String head = "2026-01-02T03:04:05.678Z INFO ";
        assertThat(log.of(head + message + '\n')).isEqualTo(head + shown + '\n');
    }

    // of the classes, as the jar itself is made after this
    private Path jar() throws IOException {
        Path jar = directory.resolve("a.jar");
        Path classes = Path.of("target", "classes");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes.resolve("io/remora"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        return jar;
    }

    @Test
    void leavesOutLinesOfAnotherForm() throws IOException {
        SafeLog log = new SafeLog(Vocabulary.of(Path.of("nowhere")), NAMES);
        assertThat(log.of("OpenJDK warning: qzsecret\n2026-01-02T03:04:05.678Z qzsecret INFO x\n"
                        + "qzsecret-01-02T03:04:05.678Z INFO x\n\n{\"method\":\"GET\"}\n"))
                .isEmpty();
        assertThat(log.of("2026-01-02T03:04:05.678Z WARN qzsecret 7 in"))
                .isEqualTo("2026-01-02T03:04:05.678Z WARN ... 7 in\n");
    }

    @Test
    void hidesTheClustersInNamesOfThreads() {
        assertThat(SafeThreads.of("7 20 S remora-dns-hidd\nRUNNABLE daemon remora-dns-app\n  a.B.c(D.java:1)\n", NAMES))
                .isEqualTo("7 20 S remora-dns-...\nRUNNABLE daemon remora-dns-app\n  a.B.c(D.java:1)\n");
    }

    @Test
    void keepsTheCpuTimeAboveAStack() {
        assertThat(SafeThreads.of("remora-dns-app tid=7 cpu_ms=20\nremora-dns-hidden tid=8 cpu_ms=30\n", NAMES))
                .isEqualTo("remora-dns-app tid=7 cpu_ms=20\nremora-dns-... tid=8 cpu_ms=30\n");
    }
}
