package io.remora.config.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.cluster.ResilienceConfig;
import io.remora.config.model.Address;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.text.ConfigText;
import io.remora.config.yaml.ConfigReader;
import io.remora.config.yaml.Yaml;
import io.remora.exchange.AdaptiveConfig;
import io.remora.exchange.RetryConfig;
import io.remora.feature.FeatureList;
import io.remora.feature.hedge.HedgeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Holds docs/configuration.md and examples/ against the declarations and the reader, so that they stay true. */
final class ConfigurationPageTest {
    /** Where the keys are declared. */
    static final String SOURCES = "proxy/core/src/main/java/io/remora/config/keys";

    static final String NO_KEY = "no-such-key-whatsoever";

    /** By section of the page, a file in which that section has a key that no section knows. */
    static final Map<String, String> SECTIONS = sections();

    private static Map<String, String> sections() {
        String wrong = NO_KEY + ": 1";
        String listener = "  - {address: 'a:1', cluster: app, ";
        String route = "  - {address: 'a:1', routes: [{cluster: app, ";
        Map<String, String> sections = new LinkedHashMap<>();
        sections.put("", wrong + "\n" + Yaml.MINIMAL);
        sections.put("admin.", "admin: {" + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("plugins.", "plugins: {directory: a, filters: [a.B], " + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("finagle.", "finagle: {" + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("health.", "health: {address: 'a:1', " + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("takeover.", "takeover: {socket: /a, " + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("warm-up.", "warm-up: {" + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("warm-up.gets[].", "warm-up: {gets: [{path: /, " + wrong + "}]}\n" + Yaml.MINIMAL);
        sections.put("reload.", "reload: {" + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("watchdog.", "watchdog: {" + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("log.", "log: {" + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("access-log.", "access-log: {" + wrong + "}\n" + Yaml.MINIMAL);
        sections.put("listeners[].", listener(listener + wrong + "}"));
        sections.put("listeners[].headers.", listener(listener + "headers: {" + wrong + "}}"));
        sections.put(
                "listeners[].detect.",
                listener(listener + "protocol: detect, detect: {cluster: raw, " + wrong + "}}")
                        .replace("clusters:\n", "clusters:\n  raw: {protocol: tcp, endpoints: ['a:1']}\n"));
        sections.put("listeners[].http2.", listener(listener + "protocol: auto, http2: {" + wrong + "}}"));
        sections.put(
                "listeners[].http2.floods.", listener(listener + "protocol: auto, http2: {floods: {" + wrong + "}}}"));
        sections.put(
                "listeners[].socket.",
                listener(listener + "socket: {" + wrong + "}}").replace("'a:1'", "'unix:/a'"));
        sections.put("listeners[].limits.", listener(listener + "limits: {" + wrong + "}}"));
        String certificate = "{chain: a, key: b}";
        sections.put(
                "listeners[].tls.", listener(listener + "tls: {certificates: [" + certificate + "], " + wrong + "}}"));
        sections.put(
                "listeners[].tls.certificates[].",
                listener(listener + "tls: {certificates: [{chain: a, key: b, " + wrong + "}]}}"));
        sections.put("clusters.NAME.http2.", Yaml.MINIMAL + "    protocol: http2\n    http2: {" + wrong + "}");
        sections.put("clusters.NAME.tls.", Yaml.MINIMAL + "    tls: {server-name: a.test, " + wrong + "}");
        sections.put(
                "clusters.NAME.tls.certificate.",
                Yaml.MINIMAL + "    tls: {server-name: a.test, certificate: {chain: a, key: b, " + wrong + "}}");
        sections.put("listeners[].timeouts.", listener(listener + "timeouts: {" + wrong + "}}"));
        sections.put("listeners[].trust.", listener(listener + "trust: {hops: 1, " + wrong + "}}"));
        sections.put(
                "listeners[].request-dtab.",
                listener(listener + "trust: {hops: 1}, request-dtab: {allow: [/a], " + wrong + "}}"));
        sections.put(
                "listeners[].proxy-protocol.",
                listener(listener + "proxy-protocol: {from: [10.0.0.0/8], " + wrong + "}}"));
        sections.put("listeners[].announce.", listener(listener + "announce: {names: [a], " + wrong + "}}"));
        sections.put("listeners[].routes[].", listener(route + wrong + "}]}"));
        sections.put("listeners[].routes[].match.", listener(route + "match: {" + wrong + "}}]}"));
        sections.put("clusters.NAME.", Yaml.MINIMAL + "    " + wrong);
        sections.put(
                "clusters.NAME.endpoints[].",
                Yaml.MINIMAL.replace("[\"127.0.0.1:8081\"]", "[{address: 'a:1', " + wrong + "}]"));
        sections.put("clusters.NAME.balancer.", Yaml.MINIMAL + "    balancer: {" + wrong + "}");
        sections.put(
                "clusters.NAME.balancer.hash.",
                Yaml.MINIMAL + "    balancer: {kind: maglev, hash: {header: a, " + wrong + "}}");
        sections.put("clusters.NAME.resolver.", resolver("file: a, " + wrong));
        sections.put("clusters.NAME.resolver.dns.", resolver("dns: {name: a, port: 1, " + wrong + "}"));
        sections.put("clusters.NAME.resolver.consul.", resolver("consul: {address: 'a:1', service: a, " + wrong + "}"));
        sections.put("clusters.NAME.resolver.kubernetes.", resolver("kubernetes: {service: a, " + wrong + "}"));
        sections.put(
                "clusters.NAME.template.",
                resolver("dns: {name: '{host}', port: 1}") + "\n    template: {hosts: [a], " + wrong + "}");
        sections.put("tracing.", Yaml.MINIMAL + "tracing: {" + wrong + ", export: {cluster: app}}");
        sections.put("tracing.export.", Yaml.MINIMAL + "tracing: {export: {cluster: app, " + wrong + "}}");
        sections.put("clusters.NAME.limits.", Yaml.MINIMAL + "    limits: {" + wrong + "}");
        sections.put("clusters.NAME.timeouts.", Yaml.MINIMAL + "    timeouts: {" + wrong + "}");
        String cluster = Yaml.MINIMAL + "    ";
        sections.put("listeners[].routes[].timeouts.", listener(route + "timeouts: {" + wrong + "}}]}"));
        sections.put(
                "listeners[].grpc.", listener(listener + "protocol: http2, grpc: {methods: [/a/b], " + wrong + "}}"));
        sections.put("listeners[].clients.", listener(listener + "clients: {deny: [10.0.0.1], " + wrong + "}}"));
        sections.put("listeners[].rate-limits[].", listener(listener + "rate-limits: [{rate: 1/s, " + wrong + "}]}"));
        sections.put("listeners[].admission.", listener(listener + "admission: {" + wrong + "}}"));
        sections.put("listeners[].admission.adaptive.", listener(listener + "admission: {adaptive: {" + wrong + "}}}"));
        sections.put(
                "listeners[].routes[].hedge.",
                listener(route + "hedge: {" + wrong + "}}]}").replace("8081\"]", "8081\", \"127.0.0.1:8082\"]"));
        String acts = "  - {address: 'a:1', routes: [{";
        sections.put(
                "listeners[].routes[].clusters[].", listener(acts + "clusters: [{cluster: app, " + wrong + "}]}]}"));
        sections.put(
                "listeners[].routes[].sticky.",
                listener(acts + "clusters: [{cluster: app}], sticky: {header: a, " + wrong + "}}]}"));
        sections.put("listeners[].routes[].rewrite.", listener(route + "rewrite: {" + wrong + "}}]}"));
        sections.put("listeners[].routes[].request-headers.", listener(route + "request-headers: {" + wrong + "}}]}"));
        sections.put(
                "listeners[].routes[].response-headers.", listener(route + "response-headers: {" + wrong + "}}]}"));
        sections.put("listeners[].routes[].mirror.", listener(route + "mirror: {cluster: app, " + wrong + "}}]}"));
        sections.put("listeners[].routes[].fault.", listener(route + "fault: {delay: 1s, " + wrong + "}}]}"));
        sections.put("listeners[].routes[].redirect.", listener(acts + "redirect: {scheme: https, " + wrong + "}}]}"));
        sections.put("listeners[].routes[].respond.", listener(acts + "respond: {" + wrong + "}}]}"));
        sections.put(
                "clusters.NAME.original-destination.",
                Yaml.MINIMAL + "  named:\n    original-destination: {" + wrong + "}");
        sections.put(
                "clusters.NAME.original-destination.total.",
                Yaml.MINIMAL + "  named:\n    original-destination: {total: {" + wrong + "}}");
        sections.put("clusters.NAME.retries.", cluster + "retries: {" + wrong + "}");
        sections.put("clusters.NAME.accrual.", cluster + "accrual: {" + wrong + "}");
        sections.put("clusters.NAME.breakers.", cluster + "breakers: {" + wrong + "}");
        sections.put("clusters.NAME.health-check.", cluster + "health-check: {" + wrong + "}");
        return sections;
    }

    /** What the test that compares defaults has to switch on. */
    private static final Set<String> OFF_BY_DEFAULT = Set.of(
            "plugins",
            "health",
            "tracing",
            "clusters.NAME.original-destination",
            "clusters.NAME.original-destination.total",
            "clusters.NAME.retries",
            "clusters.NAME.accrual",
            "clusters.NAME.breakers",
            "clusters.NAME.health-check",
            "listeners[].clients",
            "listeners[].grpc",
            "listeners[].admission.adaptive",
            "listeners[].routes[].hedge",
            "listeners[].routes[].mirror",
            "listeners[].routes[].fault",
            "listeners[].routes[].fault.headers");

    private static String resolver(String keys) {
        return Yaml.MINIMAL + "  named:\n    resolver: {" + keys + "}";
    }

    private static String listener(String line) {
        return Yaml.MINIMAL.replace("listeners:\n", "listeners:\n" + line + "\n");
    }

    static Stream<String> sectionNames() {
        return SECTIONS.keySet().stream();
    }

    static Stream<Path> examples() throws IOException {
        return Files.list(root().resolve("examples"))
                .filter(Files::isRegularFile)
                .sorted();
    }

    /** With {@code -Dremora.page=write} (make docs) it writes the table instead of judging it. */
    @Test
    void itsTableIsWhatTheDeclarationsMake() throws IOException {
        List<String> lines = Files.readAllLines(page());
        int from = lines.indexOf("## Keys") + 1;
        int to = from;
        while (to < lines.size() && !lines.get(to).startsWith("## ")) {
            to++;
        }
        List<String> made = new ArrayList<>(lines.subList(0, from));
        made.addAll(KeyTable.lines(root().resolve(SOURCES)));
        made.add("");
        made.addAll(lines.subList(to, lines.size()));
        if ("write".equals(System.getProperty("remora.page"))) {
            Files.write(page(), made);
        }
        assertThat(Files.readAllLines(page()))
                .as("docs/configuration.md, which \"make docs\" writes")
                .isEqualTo(made);
    }

    @Test
    void saysHowLongADurationMayBe() throws IOException {
        Key duration = OperatorKeys.DRAIN_TIMEOUT;
        String bounds = "from `" + duration.format(duration.min) + "` to `" + duration.format(duration.max) + "`";
        assertThat(Files.readString(page())).contains(bounds);
    }

    @ParameterizedTest
    @MethodSource("sectionNames")
    void namesTheKeysThatTheReaderKnows(String section) throws IOException {
        Set<String> onThePage = new TreeSet<>();
        for (String key : defaultsOnThePage().keySet()) {
            if (key.startsWith(section) && key.indexOf('.', section.length()) < 0) {
                onThePage.add(key.substring(section.length()).replace("[]", ""));
            }
        }

        String expected = ", expected ";
        assertThat(Yaml.problems(SECTIONS.get(section))).singleElement().satisfies(problem -> {
            assertThat(problem).contains("unknown key '" + NO_KEY + "'" + expected);
            String known = problem.substring(problem.indexOf(expected) + expected.length())
                    .replace("one of ", "");
            assertThat(onThePage).isEqualTo(new TreeSet<>(Arrays.asList(known.split(", "))));
        });
    }

    @Test
    void hasNoSectionThatTheReaderDoesNotKnow() throws IOException {
        for (String key : defaultsOnThePage().keySet()) {
            assertThat(SECTIONS).containsKey(key.substring(0, key.lastIndexOf('.') + 1));
        }
    }

    @Test
    void givesTheDefaultsThatHold() throws IOException, ConfigException {
        String withTls = Yaml.MINIMAL.replace(
                        "    cluster: app\n",
                        "    cluster: app\n    tls: {certificates: [{chain: a, key: b}]}\n    trust: {hops: 1}\n")
                + "    tls: {server-name: a.test}\n    retries: {}\n    accrual: {}\n    breakers: {}\n    health-check: {}\n"
                + "  slow: {endpoints: [{address: 'a:1'}], balancer: peak-ewma}\n"
                + "  many: {endpoints: ['a:1'], balancer: aperture}\n"
                + "  sticky: {endpoints: ['a:1'], balancer: {kind: maglev, hash: path}}\n"
                + "  plain: {endpoints: ['a:1'], balancer: {}}\n"
                + "  spoken: {endpoints: ['a:1'], protocol: http2}\n"
                + "  named:\n    resolver: {dns: {name: a, port: 1}}\n"
                + "  captured:\n    original-destination: {total: {}}\n"
                + "  tunnel: {endpoints: ['a:1'], protocol: tcp}\n"
                + "  asked:\n    resolver: {consul: {address: 'a:1', service: a}}\n"
                + "  watched:\n    resolver: {kubernetes: {service: a}}\n"
                + "  peers:\n    template: {hosts: [a]}\n    resolver: {dns: {name: '{host}', port: 1}}\n";
        String two = "  two: {endpoints: ['a:1', 'a:2'], retries: {}, accrual: {}, breakers: {}, health-check: {}}\n";
        withTls = withTls.replace(
                        "  - address",
                        "  - {name: found, address: 'a:3', protocol: detect, detect: {cluster: tunnel}, cluster: two}\n"
                                + "  - {name: other, address: 'a:2', protocol: auto, admission: {adaptive: {}},"
                                + " rate-limits: [{name: a, rate: 1/s, by: client}, {name: rate-limit-1, rate: 1/s}],"
                                + " routes: [{match: {path: /a}, redirect: {scheme: https}}, {match: {path: /b}, respond: {}},"
                                + " {match: {path: /c}, clusters: [{cluster: two}], mirror: {cluster: two}, fault: {headers: true}},"
                                + " {cluster: two, hedge: {}}]}\n  - name: listener-1\n    address")
                + two;
        ProxyConfig config = Yaml.read(
                "access-log: {}\nhealth: {address: 'a:9'}\ntakeover: {socket: /a}\nwarm-up: {gets: [{listener: other, path: /}]}\ntracing: {export: {cluster: app}}\n"
                        + withTls);
        Map<String, String> actual = new LinkedHashMap<>();
        flatten(
                "",
                new Load(LoadSettings.builder().build()).loadFromString(ConfigText.render(config, FeatureList.off())),
                actual);

        Map<String, String> wrong = new LinkedHashMap<>();
        List<String> compared = new ArrayList<>();
        defaultsOnThePage().forEach((key, written) -> {
            // Words are no values: a section, a key without a default, and what the file of this test had to say.
            if (written.startsWith("`")
                    && !key.equals("access-log")
                    && !key.equals("takeover")
                    && !key.equals("warm-up")
                    && !key.endsWith(".tls")
                    && !OFF_BY_DEFAULT.contains(key)
                    && !key.equals("clusters.NAME.timeouts.max-connection-age")
                    && !key.equals("clusters.NAME.balancer")
                    && !key.equals("listeners[].http2.max-header-list")
                    && !key.equals("listeners[].routes[].timeouts.stream-idle")
                    && !key.equals("listeners[].trust")) {
                String value = written.replace("`", "");
                compared.add(key);
                if (!value.equals(actual.get(key))) {
                    wrong.put(key, value + " on the page, in truth " + actual.get(key));
                }
            }
        });

        assertThat(wrong).isEmpty();
        assertThat(compared).hasSize(177);
        assertThat(ConfigText.render(Yaml.read(Yaml.MINIMAL), FeatureList.off()))
                .contains("access-log: off\n");
        assertThat(ConfigText.render(Yaml.read(Yaml.MINIMAL), FeatureList.off()))
                .contains("    tls: off\n", "    trust: off\n");
        assertThat(defaultsOnThePage())
                .containsEntry("access-log", "`off`")
                .containsEntry("listeners[].tls", "`off`")
                .containsEntry("listeners[].trust", "`off`")
                .containsEntry("clusters.NAME.tls", "`off`")
                .containsEntry("clusters.NAME.balancer", "`least-loaded`")
                .containsEntry("clusters.NAME.timeouts.max-connection-age", "`off`");
        assertThat(ConfigText.render(Yaml.read(Yaml.MINIMAL), FeatureList.off()))
                .endsWith("      max-connection-age: off\n      tcp-keep-alive: false\n");
    }

    @ParameterizedTest
    @MethodSource("examples")
    void readsEveryExample(Path example) throws ConfigException {
        ProxyConfig config = ConfigReader.readFile(example.toString(), Map.of(), new FeatureList());

        assertThat(config.listeners()).isNotEmpty();
    }

    @Test
    void putsTheSidecarOfTheExampleInFrontOfTheApplication() throws IOException, ConfigException {
        String example = root().resolve("examples/sidecar.yaml").toString();

        ProxyConfig config = ConfigReader.readFile(example, Map.of(), new FeatureList());
        assertThat(config.admin().address()).isEqualTo(new Address("127.0.0.1", 9990));
        assertThat(config.listeners().get(0).address()).isEqualTo(new Address("0.0.0.0", 8080));
        assertThat(config.clusters().get("app").endpoints()).containsExactly(new Address("127.0.0.1", 8081));

        Map<String, String> ports = Map.of("PORT", "1", "APP_PORT", "2", "ADMIN_PORT", "3");
        ProxyConfig moved = ConfigReader.readFile(example, ports, new FeatureList());
        assertThat(moved.listeners().get(0).address().port()).isEqualTo(1);
        assertThat(moved.clusters().get("app").endpoints().get(0).port()).isEqualTo(2);
        assertThat(moved.admin().address().port()).isEqualTo(3);
    }

    @Test
    void theExampleOfResilienceHasAllOfIt() throws ConfigException {
        String example = root().resolve("examples/resilience.yaml").toString();

        ProxyConfig config = ConfigReader.readFile(example, Map.of(), new FeatureList());
        ResilienceConfig resilience = ResilienceConfig.of(config.clusters().get("service"));
        assertThat(resilience).isNotNull().hasNoNullFieldsOrProperties();
        List<RouteConfig> routes = config.listeners().get(0).routes();
        assertThat(routes).allSatisfy(route -> assertThat(route.policy()).isNotNull());
        assertThat(config.listeners().get(0).options().get(AdaptiveConfig.ADAPTIVE))
                .isEqualTo(new AdaptiveConfig(10, 500, 100));
        assertThat(routes.get(0).options().get(HedgeConfig.HEDGE)).isNull();
        assertThat(routes.get(1).options().get(HedgeConfig.HEDGE)).isEqualTo(new HedgeConfig(95, 10_000_000L));
        RetryConfig ofCluster = config.clusters().get("service").options().get(RetryConfig.RETRIES);
        assertThat(ofCluster).isNotNull();
        assertThat(routes.get(0).options().get(RetryConfig.RETRIES)).isNull();
        assertThat(routes.get(1).options().get(RetryConfig.RETRIES)).isEqualTo(ofCluster);
    }

    @Test
    void showsMessagesThatTheReaderGives() throws IOException {
        List<String> shown = Files.readAllLines(page()).stream()
                .filter(line -> line.startsWith("sidecar.yaml:"))
                .map(line -> line.replaceFirst("sidecar.yaml:\\d+:\\d+: ", ""))
                .toList();
        List<String> given = new ArrayList<>();
        String yaml = "drain-timeout: 30\n" + Yaml.MINIMAL.replace("  app:", "  app:\n    adress: x");
        for (String problem : Yaml.problems(yaml)) {
            given.add(problem.replaceFirst("\\d+:\\d+: ", ""));
        }

        assertThat(shown).hasSize(2);
        assertThat(given).contains(shown.get(0));
        assertThat(Yaml.problems(listener("  - {adress: 'a:1', cluster: app}")))
                .anySatisfy(problem -> assertThat(problem).endsWith(shown.get(1)));
    }

    /** The page's table of keys, a default by key. */
    private static Map<String, String> defaultsOnThePage() throws IOException {
        Map<String, String> defaults = new LinkedHashMap<>();
        boolean inTable = false;
        for (String line : Files.readAllLines(page())) {
            inTable = line.startsWith("## ") ? line.equals("## Keys") : inTable;
            if (inTable && line.startsWith("| `")) {
                String[] cells = line.split(" *\\| *");
                assertThat(defaults.put(cells[1].replace("`", ""), cells[3]))
                        .as(cells[1])
                        .isNull();
            }
        }
        return defaults;
    }

    /** Each value by its path, written as the page writes it. */
    private static void flatten(String path, Object value, Map<String, String> flat) {
        if (value instanceof Map<?, ?> map) {
            flat.put(path, map.toString());
            map.forEach((key, entry) -> {
                String name = path.equals("clusters") ? "NAME" : key.toString();
                flatten(path.isEmpty() ? name : path + "." + name, entry, flat);
            });
        } else if (value instanceof List<?> list) {
            list.forEach(item -> flatten(path + "[]", item, flat));
        } else {
            flat.put(path, String.valueOf(value));
        }
    }

    private static Path page() {
        return root().resolve("docs/configuration.md");
    }

    /** The repository's top, wherever below it the tests run. */
    static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (directory.getParent() != null && !Files.exists(directory.resolve("docs/configuration.md"))) {
            directory = directory.getParent();
        }
        return directory;
    }
}
