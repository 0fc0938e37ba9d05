package io.remora.config.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.remora.config.model.Address;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.EngineKind;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.HealthConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.LogLevel;
import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.config.model.PlacedText;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.feature.FeatureList;
import io.remora.feature.trust.TrustConfig;
import io.remora.finaglekeys.FinagleConfig;
import io.remora.finaglekeys.PluginsConfig;
import io.remora.log.AccessLogConfig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigReaderTest {
    private static final long MS = 1_000_000;
    private static final long S = 1_000 * MS;

    @Test
    void fillsInEveryDefault() throws ConfigException {
        ProxyConfig config = Yaml.read(Yaml.MINIMAL);

        assertThat(config)
                .isEqualTo(new ProxyConfig(
                        1,
                        EngineKind.NETTY,
                        30 * S,
                        5 * S,
                        LogLevel.INFO,
                        30 * S,
                        new AdminConfig(new Address("127.0.0.1", 9990), false, null),
                        List.of(new ListenerConfig(
                                "listener-1",
                                new Address("0.0.0.0", 8080),
                                new HeaderPolicy(
                                        ForwardingMode.APPEND,
                                        ForwardingMode.APPEND,
                                        ForwardingMode.APPEND,
                                        ForwardingMode.OFF,
                                        ForwardingMode.SANITIZE,
                                        false,
                                        RequestIdMode.ULID,
                                        Underscores.PASS),
                                new Limits(10_000, 8_192, 32_768, 100, 32_768, 1_000, Limits.UNLIMITED),
                                new FrontendTimeouts(10 * S, 30 * S, 300 * S, Limits.UNLIMITED),
                                PathConfig.DEFAULT,
                                List.of(new RouteConfig(
                                        "listener-1/1", new RouteMatch(null, null, null, null, Map.of()), "app")),
                                Options.NONE)),
                        Map.of(
                                "app",
                                new ClusterConfig(
                                        "app",
                                        List.of(new Address("127.0.0.1", 8081)),
                                        1_024,
                                        64,
                                        64 << 10,
                                        32 << 10,
                                        S,
                                        30 * S,
                                        60 * S,
                                        Options.NONE)),
                        Options.NONE));
    }

    @Test
    void theProfilesWorkersHoldUnlessTheFileSaysOtherwise() throws ConfigException {
        try {
            System.setProperty("remora.workers", "2");
            assertThat(Yaml.read(Yaml.MINIMAL).workers()).isEqualTo(2);
            assertThat(Yaml.read(Yaml.FULL).workers()).isEqualTo(4);
            System.setProperty("remora.workers", "1000");
            assertThat(Yaml.read(Yaml.MINIMAL).workers()).isEqualTo(64);
        } finally {
            System.clearProperty("remora.workers");
        }
    }

    @Test
    void readsEveryKey() throws ConfigException {
        ProxyConfig config = Yaml.read(Yaml.FULL);

        assertThat(config.workers()).isEqualTo(4);
        assertThat(config.drainTimeoutNs()).isEqualTo(120 * S);
        assertThat(config.logLevel()).isEqualTo(LogLevel.DEBUG);
        assertThat(config.viaName()).isEqualTo("edge-1");
        assertThat(config.options().get(PluginsConfig.PLUGINS))
                .isEqualTo(new PluginsConfig(
                        new PlacedText("/opt/filters", 1, 1),
                        List.of(new PlacedText("a.First", 1, 1), new PlacedText("a.Second", 1, 1))));
        assertThat(config.options().get(FinagleConfig.FINAGLE))
                .isEqualTo(new FinagleConfig(
                        new PlacedText("", 1, 1), new PlacedText("/s => /#; /s/app => /#/other", 1, 1)));
        assertThat(config.admin()).isEqualTo(new AdminConfig(new Address("::", 9901), true, null));
        assertThat(config.health()).isEqualTo(new HealthConfig(new Address("10.0.0.1", 0)));
        assertThat(config.options().get(AccessLogConfig.ACCESS_LOG))
                .isEqualTo(new AccessLogConfig(AccessLogConfig.Format.COMBINED, "/var/log/remora/access.log", 5));
        assertThat(config.listeners()).hasSize(2);
        assertThat(config.clusters().keySet()).containsExactly("app", "other");
        assertThat(config.clusters().get("app"))
                .isEqualTo(new ClusterConfig(
                        "app",
                        List.of(
                                new Address("127.0.0.1", 8081),
                                new Address("::1", 8082),
                                new Address("app.default.svc.cluster.local.", 80)),
                        20,
                        10,
                        17 << 10,
                        18_000,
                        5 * S,
                        6 * S,
                        7 * S,
                        Options.NONE.with(ClusterConfig.MAX_AGE_NS, 8 * S)));
    }

    @Test
    void readsEveryKeyOfAListener() throws ConfigException {
        List<ListenerConfig> listeners = Yaml.read(Yaml.FULL).listeners();

        RouteMatch api =
                new RouteMatch("*.example.com", null, "/api", "GET", Map.of("x-version", "v2", "x-tenant", "a b"));
        RouteMatch exact = new RouteMatch(null, "/exact", null, null, Map.of());
        RouteMatch everything = new RouteMatch(null, null, null, null, Map.of());
        assertThat(listeners.get(0))
                .isEqualTo(new ListenerConfig(
                        "inbound",
                        new Address("127.0.0.1", 8080),
                        new HeaderPolicy(
                                ForwardingMode.OFF,
                                ForwardingMode.REPLACE,
                                ForwardingMode.REPLACE,
                                ForwardingMode.APPEND,
                                ForwardingMode.REPLACE,
                                true,
                                RequestIdMode.UUID,
                                Underscores.REJECT),
                        new Limits(11, 12 << 10, 1 << 20, 13, 15_000, 16, 1L << 30),
                        new FrontendTimeouts(250 * MS, MS / 10, 3_600 * S, 7_200 * S),
                        PathConfig.DEFAULT,
                        List.of(
                                new RouteConfig("api", api, "app"),
                                new RouteConfig("inbound/2", exact, "other"),
                                new RouteConfig("inbound/3", everything, "app")),
                        Options.NONE.with(
                                TrustConfig.TRUST,
                                new TrustConfig(List.of("10.0.0.0/8", "fd00::1"), List.of(), 0, true))));
        assertThat(listeners.get(1).name()).isEqualTo("listener-2");
        assertThat(listeners.get(1).address()).isEqualTo(new Address("fe80::1%eth0", 0));
        assertThat(listeners.get(1).routes()).containsExactly(new RouteConfig("listener-2/1", everything, "other"));
    }

    @Test
    void keepsFewerIdleConnectionsWhereFewAreAllowed() throws ConfigException {
        ProxyConfig config = Yaml.read(Yaml.MINIMAL + "    max-connections: 10\n");

        assertThat(config.clusters().get("app").maxIdleConnections()).isEqualTo(10);
    }

    @Test
    void takesItselfAsOffWhereOffIsSaid() throws ConfigException {
        ProxyConfig config = Yaml.read("health: off\naccess-log: off\n" + Yaml.MINIMAL);

        assertThat(config).isEqualTo(Yaml.read(Yaml.MINIMAL));
    }

    @Test
    void switchesTheAccessLogOnWithItsDefaults() throws ConfigException {
        assertThat(Yaml.read("access-log: {}\n" + Yaml.MINIMAL).options().get(AccessLogConfig.ACCESS_LOG))
                .isEqualTo(new AccessLogConfig(AccessLogConfig.Format.JSON, "stdout", 1024));
    }

    @Test
    void acceptsAnIpV6HostAsAPattern() throws ConfigException {
        String yaml = Yaml.MINIMAL.replace("cluster: app", "routes: [{match: {host: \"[FE80::1]\"}, cluster: app}]");

        assertThat(Yaml.read(yaml).listeners().get(0).routes().get(0).match().host())
                .isEqualTo("[fe80::1]");
    }

    @Test
    void keepsTheAdminListenerOnLoopbackInAnySpelling() throws ConfigException {
        for (String host : List.of("127.0.0.1", "127.8.9.10", "localhost", "LocalHost", "[::1]", "[0:0:0::1]")) {
            assertThat(Yaml.read("admin: {address: \"" + host + ":1\"}\n" + Yaml.MINIMAL)
                            .admin()
                            .allowRemote())
                    .as(host)
                    .isFalse();
        }
    }

    @Test
    void permissionsOfTheAdminListenerFollowWhoReachesIt() throws ConfigException {
        AdminConfig local = Yaml.read("admin: {allow-remote: true, pages: act, profile: true}\n" + Yaml.MINIMAL)
                .admin();
        assertThat(local.acts()).isTrue();
        assertThat(local.profile()).isTrue();
        assertThat(local.provesClients()).isFalse();
        AdminConfig file = Yaml.read("admin: {address: 'unix:/run/admin.sock', allow-remote: true, pages: act,"
                        + " heap-dump: /dumps}\n" + Yaml.MINIMAL)
                .admin();
        assertThat(file.provesClients()).isTrue();
        assertThat(file.heapDump()).isEqualTo("/dumps");
        // a port that the command line names has no client certificates
        AdminConfig port = file.at(new Address("127.0.0.1", 9990));
        assertThat(port.heapDump()).isNull();
        assertThat(port.acts()).isTrue();
        assertThat(Yaml.read(Yaml.MINIMAL).admin().permissions()).isNull();
    }

    @Test
    void readsAFileWithAByteOrderMarkAndForeignLineEnds() throws ConfigException {
        assertThat(Yaml.read("\uFEFF" + Yaml.MINIMAL.replace("\n", "\r\n"))).isEqualTo(Yaml.read(Yaml.MINIMAL));
    }

    @Test
    void readsAFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("f.yaml"), Yaml.FULL);

        assertThat(ConfigReader.readFile(file.toString(), Map.of(), new FeatureList()))
                .isEqualTo(Yaml.read(Yaml.FULL));
    }

    @Test
    void readsStandardInput() throws ConfigException {
        InputStream stdin = System.in;
        try {
            System.setIn(new ByteArrayInputStream("workers: 0".getBytes(UTF_8)));
            ConfigException e = catchThrowableOfType(
                    ConfigException.class, () -> ConfigReader.readFile("-", Map.of(), new FeatureList()));
            assertThat(e.problems()).extracting(Problem::file).containsOnly("<stdin>");
        } finally {
            System.setIn(stdin);
        }
    }

    @Test
    void reportsAFileThatIsNotThere(@TempDir Path directory) {
        String path = directory.resolve("none.yaml").toString();

        ConfigException e = catchThrowableOfType(
                ConfigException.class, () -> ConfigReader.readFile(path, Map.of(), new FeatureList()));

        assertThat(e.problems()).hasSize(1);
        assertThat(e).hasMessageStartingWith(path + ":1:1: cannot be read (").hasMessageEndingWith("a readable file");
        assertThat(e.getStackTrace()).isEmpty();
    }

    @Test
    void reportsADirectory(@TempDir Path directory) {
        ConfigException e = catchThrowableOfType(
                ConfigException.class, () -> ConfigReader.readFile(directory.toString(), Map.of(), new FeatureList()));

        assertThat(e).hasMessageStartingWith(directory + ":1:1: cannot be read (");
    }

    @Test
    void reportsAStreamThatBreaks() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("gone");
            }
        };

        ConfigException e = catchThrowableOfType(
                ConfigException.class, () -> ConfigReader.read("f.yaml", broken, Map.of(), new FeatureList()));

        assertThat(e).hasMessage("f.yaml:1:1: cannot be read (gone), expected a readable file");
    }

    @Test
    void reportsInTheOrderOfTheFile() {
        String yaml =
                "clusters: {app: {endpoints: [x]}}\nlisteners: [{address: y, cluster: app}]\nworkers: 0\nzzzz: 1\n";

        ConfigException e = catchThrowableOfType(ConfigException.class, () -> Yaml.read(yaml));

        assertThat(e.problems()).extracting(Problem::line).containsExactly(1, 2, 3, 4);
        assertThat(e.problems().get(2)).hasToString("f.yaml:3:10: workers is '0', expected 1 to 64");
        assertThat(e.getMessage().lines()).hasSize(4);
    }
}
