package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A sidecar loads no class of a feature's package unless the feature is configured. */
final class FeaturesOffIT {
    private static final String OURS = "io.remora.";
    private static final String PACKAGES = OURS + "feature.";

    /** The classes of features that have no package below {@code feature} yet, by the beginnings of their names; * is any room. */
    private static final Map<String, List<String>> PREFIXES = Map.ofEntries(
            row("access log", "log.Access log.FileAccessLog http.TraceParent config.*.Share admin.LogLevelPage"),
            row(
                    "adaptive admission",
                    "exchange.Adaptive stages.AwaitedResponse exchange.Latency stages.AdmitByLatency",
                    "metrics.Admission cluster.EndpointNode$Probe"),
            row("another engine", "serving.OtherEngine cluster.EngineProvider"),
            row("ages of connections", "http1.ConnectionAge"),
            row("commands that ask a sidecar", "advise. bundle. adminclient."),
            row("capture", "cluster.Destinations cluster.Capture transport.OriginalDestination"),
            row("compilation logs", "compilelog."),
            row(
                    "dashboard",
                    "dashboard. admin.DashboardPages admin.OriginCheck admin.Viewer admin.Viewers",
                    "metrics.ExchangeWatch metrics.LoopLags metrics.RoughTimes metrics.Watched"),
            row("detection", "detect."),
            row(
                    "ejection and breakers",
                    "cluster.ClusterHealth cluster.EndpointHealth cluster.HealthCheck cluster.SuccessRate",
                    "pool.Breakers metrics.ClusterMetric metrics.ClusterStats cluster.Accrual cluster.BreakerConfig"
                            + " cluster.BreakerPart",
                    "cluster.Resilience"),
            row(
                    "flight recorder",
                    "recorder. admin.Recorder admin.RecordingPages metrics.ChangeListener RecorderStart"),
            row("gRPC", "grpc. metrics.Grpc"),
            row("hedges", "exchange.Hedge exchange.RetryRules"),
            row("HTTP/2", "http2. metrics.Http2 metrics.BackendHttp2"),
            row("webhook of Kubernetes", "webhook. Webhook"),
            row(
                    "outbound listeners",
                    "engine.Host engine.LoopHosts http.HostName metrics.Host metrics.EndpointView",
                    "cluster.NodeView route.HostPatterns stages.DispatchByHost template."),
            row("probes of applications", "probes. admin.AppHealthPages"),
            row(
                    "insight into the process",
                    "admin.Heap admin.CompilerEvents admin.LongTurns admin.NativeMemory admin.Parameters admin.SlowPage",
                    "admin.StreamedAnswer transport.LongTurns process.VmLog config.*.AdminPermissions"),
            row("commands that run no sidecar", "Commands Help"),
            row(
                    "profiles",
                    "flame. profile. admin.ProfilePage admin.ProfileFrames admin.SlowSeconds metrics.ProxyTimes"),
            row("PROXY protocol", "proxyprotocol."),
            row(
                    "reload",
                    "reload. serving.ConfigUpdate serving.SnapshotBuilder serving.ListenerDrain admin.ReloadOutcome"),
            row(
                    "retries",
                    "engine.Retry exchange.RetryState exchange.Replay exchange.RetryAfter exchange.CallerDeadline",
                    "stages.CallerWait http.WaitText exchange.RetryConfig exchange.RetryPart config.*.RoutePolicy"
                            + " config.*.Policy"),
            row(
                    "route actions",
                    "feature.ReplacedPath",
                    "stages.OddPath http.PathRewrite http.CookiePairs text.PathSpelling text.Percent",
                    "text.HostText config.*.PathReader",
                    "config.*.PathConfig$Separator"),
            row(
                    "sources of endpoints",
                    "files. dns. json. source. naming.Sources naming.Dns naming.File naming.Described",
                    "metrics.Naming cluster.PendingQueue cluster.ClusterSource discovery."),
            row("takeover", "takeover. Takeover transport.Descriptors transport.GivenSockets"),
            row("TCP", "tcp. config.*.Tcp"),
            row("TLS", "tls. admin.AdminConnections$Unready metrics.Tls"),
            row("tracing", "metrics.Trace metrics.Exemplar metrics.OpenMetrics serving.TraceSetup admin.MetricsFormat"),
            row("identities and networks of peers", "trust. stages.RequireIdentity text.IpAddress config.*.Peer"),
            row(
                    "Unix sockets",
                    "naming.Unix transport.Domain transport.SocketFile transport.FileBinding config.*.Socket"),
            row("flags of the user", "vmflags. process.VmArguments"),
            row("warm-up", "warmup. warmupkeys."),
            row(
                    "parts of a configuration that is judged, and of requests that nobody asks for",
                    "stream.RequestAttributes config.rules.ProxyRules config.rules.ListenerRules config.rules.Flaw",
                    "config.rules.NamedClusters text.Nearest",
                    "config.yaml.NodePath",
                    "config.yaml.FeatureSection config.yaml.EnvironmentText config.yaml.EndpointPart"));

    /** Classes of libraries that only features need. */
    private static final List<String> OF_OTHERS = List.of(
            "com.twitter.",
            "scala.",
            "io.remora.finagle.",
            "io.netty.handler.",
            "java.net.DatagramSocket",
            "java.net.UnixDomainSocketAddress",
            "javax.net.ssl.",
            "jdk.jfr.",
            "sun.security.ssl.");

    /** Classes next to those of the features, which a plain sidecar does load: the table says nothing of a log without them. */
    private static final List<String> LOADED = List.of(
            "cluster.DefaultEngine",
            "exchange.Admission",
            "exchange.Exchange",
            "feature.Features",
            "http1.Http1BackendProtocol",
            "http1.Http1FrontendConnection",
            "http1.Http1FrontendProtocol",
            "log.Log",
            "naming.StaticResolver",
            "serving.DataPath",
            "stages.Admit",
            "stages.FindRoute",
            "transport.Listener");

    /** The keys at the top of the file that switch a feature on, by its package. */
    private static final Map<String, String> TOP = Map.of("tracing", "tracing: {export: {cluster: app}}\n");

    /** The keys of a listener that switch a feature on, by its package. */
    private static final Map<String, String> SWITCHES = Map.ofEntries(
            Map.entry("ratelimit", "cluster: app, rate-limits: [{rate: 1000/s, by: client}]"),
            Map.entry("servertiming", "cluster: app, server-timing: true"),
            Map.entry("clients", "cluster: app, clients: {allow: [127.0.0.0/8]}"),
            Map.entry("rewrite", "routes: [{cluster: app, request-headers: {remove: [X-A]}}]"),
            Map.entry("answer", "routes: [{match: {path: /none}, respond: {}}, {cluster: app}]"),
            Map.entry("split", "routes: [{clusters: [{cluster: app}, {cluster: two}]}]"),
            Map.entry("mirror", "routes: [{cluster: app, mirror: {cluster: app}}]"),
            Map.entry("grpc", "protocol: auto, cluster: app, grpc: {methods: [/a.B/C]}"),
            Map.entry("hedge", "routes: [{match: {path: /none}, cluster: two, hedge: {}}, {cluster: app}]"),
            Map.entry("fault", "routes: [{cluster: app, fault: {delay: 1ms}}]"),
            Map.entry("trust", "cluster: app, trust: {cidrs: [10.0.0.0/8]}"),
            Map.entry("tracing", "cluster: app"));

    @TempDir
    private Path directory;

    static List<String> features() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("src/main/java/io/remora/feature"))) {
            return all.filter(Files::isDirectory)
                    .map(each -> each.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyFeatureHasItsSwitchHere() throws IOException {
        assertThat(SWITCHES.keySet()).containsExactlyInAnyOrderElementsOf(features());
    }

    /** A class that was renamed would be looked for in vain. */
    @Test
    void everyPrefixIsThatOfAClass() throws IOException {
        Path classes = Path.of("target/classes/io/remora");
        List<String> names;
        try (Stream<Path> files = Files.walk(classes)) {
            names = files.map(file -> classes.relativize(file).toString())
                    .filter(file -> file.endsWith(".class"))
                    .map(file -> OURS + file.substring(0, file.lastIndexOf('.')).replace('/', '.'))
                    .toList();
        }
        PREFIXES.values()
                .forEach(all -> all.forEach(prefix -> assertThat(beginningWith(OURS + prefix, names))
                        .as(prefix)
                        .isNotEmpty()));
    }

    @Test
    void aPlainSidecarLoadsNoClassOfAFeature() throws IOException {
        List<String> loaded = loaded(PlainSidecar.classes(directory));
        LOADED.forEach(name -> assertThat(loaded).contains(OURS + name));
        Map<String, List<String>> found = new TreeMap<>();
        PREFIXES.forEach((feature, all) -> all.forEach(prefix -> put(found, feature, OURS + prefix, loaded)));
        OF_OTHERS.forEach(prefix -> put(found, prefix, prefix, loaded));
        for (String feature : features()) {
            put(found, feature, PACKAGES + feature + '.', loaded);
        }
        assertThat(found).isEmpty();
        assertThat(loaded).noneMatch(name -> name.contains("DomainSocket"));
    }

    private static void put(Map<String, List<String>> found, String feature, String prefix, List<String> loaded) {
        List<String> names = beginningWith(prefix, loaded);
        if (!names.isEmpty()) {
            found.merge(feature, names, (some, more) -> Stream.concat(some.stream(), more.stream())
                    .toList());
        }
    }

    /** The names of a log's lines, each {@code [times] NAME source: WHERE}. */
    private static List<String> loaded(String log) {
        return log.lines()
                .filter(line -> line.contains(" source:"))
                .map(line -> line.substring(line.lastIndexOf("] ") + 2, line.indexOf(" source:")))
                .toList();
    }

    private static List<String> beginningWith(String prefix, List<String> names) {
        Pattern wanted = Pattern.compile("\\Q" + prefix.replace("*", "\\E\\w+\\Q") + "\\E");
        return names.stream().filter(name -> wanted.matcher(name).lookingAt()).toList();
    }

    private static Map.Entry<String, List<String>> row(String feature, String... prefixes) {
        return Map.entry(feature, List.of(String.join(" ", prefixes).split(" ")));
    }

    @ParameterizedTest
    @MethodSource("features")
    void aConfiguredFeatureIsLoadedAlone(String feature) throws IOException {
        String classes = classes(TOP.getOrDefault(feature, ""), SWITCHES.get(feature));
        for (String each : features()) {
            if (each.equals(feature)) {
                assertThat(classes).contains(PACKAGES + each + '.');
            } else {
                assertThat(classes).doesNotContain(PACKAGES + each + '.');
            }
        }
    }

    /** The output of /config, read again, names most of them. */
    @Test
    void aFeatureThatTheFileSwitchesOffIsNotLoaded() throws IOException {
        String off = "server-timing: false, trust: off, grpc: off, clients: off,"
                + " routes: [{cluster: app, hedge: off, mirror: off, fault: off, clients: off}]";
        String classes = classes("tracing: off\n", off);
        for (String each : features()) {
            assertThat(classes).doesNotContain(PACKAGES + each + '.');
        }
    }

    /** The log of the classes that a sidecar loads with these keys at the top and in its listener. */
    private String classes(String top, String listener) throws IOException {
        Path loaded = directory.resolve("loaded.txt");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory,
                        List.of(),
                        List.of("-Xlog:class+load:file=" + loaded),
                        yaml(top, listener, backend))) {
            try (RawClient client = sidecar.client()) {
                assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
            }
            sidecar.endsWell();
        }
        return Files.readString(loaded);
    }

    private static String yaml(String top, String keys, RecordingBackend backend) {
        return """
            admin: {address: '127.0.0.1:0'}
            log-level: info
            workers: 1
            listeners:
              - {name: test, address: '127.0.0.1:0', KEYS}
            clusters:
              app: {endpoints: ['127.0.0.1:PORT']}
              two: {endpoints: ['127.0.0.1:PORT', '127.0.0.2:PORT']}
            """.replace("admin:", top + "admin:")
                .replace("KEYS", keys)
                .replace("PORT", Integer.toString(backend.port()));
    }
}
