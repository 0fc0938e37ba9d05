package io.remora;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.remora.config.yaml.ConfigReader;
import io.remora.http.FieldName;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may know whom. A package that is not in the table is not in the architecture. */
final class LayeringTest {
    private static final String ROOT = "io.remora";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    /** By package, the others of ours that it may use; the order is that of the layers, from the bottom. */
    private static final Map<String, List<String>> USES = Map.ofEntries(
            Map.entry("text", List.of()),
            Map.entry("config.model", List.of("text")),
            Map.entry("config.keys", List.of("config.model", "text")),
            Map.entry("config.rules", List.of("config.model", "text")),
            // the parts, which show themselves
            Map.entry("config.text", List.of("config.keys", "config.model", "config.yaml", "text")),
            Map.entry("config.yaml", List.of("config.keys", "config.model", "config.rules", "text")),
            Map.entry("process", List.of()),
            Map.entry("flame", List.of()),
            Map.entry("profile", List.of("adminclient", "flame", "log", "process")),
            Map.entry("metrics", List.of("process", "text")),
            Map.entry("log", List.of("config", "metrics")),
            Map.entry("dashboard", List.of("config.model", "json", "log", "metrics", "process")),
            Map.entry(
                    "admin",
                    List.of(
                            "config.keys",
                            "config.model",
                            "config.text",
                            "dashboard",
                            "metrics",
                            "process",
                            "log",
                            "probes",
                            "flame",
                            "profile",
                            "text",
                            "transport",
                            "http",
                            "http1")),
            Map.entry("vmflags", List.of("log", "process")),
            Map.entry("memory", List.of("config.model", "metrics", "log", "text")),
            Map.entry("http", List.of("config.model", "text")),
            Map.entry("transport", List.of("config.model", "metrics", "memory", "log", "process")),
            Map.entry("takeover", List.of("config", "log", "transport", "warmupkeys")),
            Map.entry("files", List.of("log")),
            Map.entry("http2.config", List.of("config", "text")),
            Map.entry("http2.hpack", List.of("http")),
            Map.entry("tls.config", List.of("config", "text")),
            Map.entry("finaglekeys", List.of("config")),
            Map.entry("warmupkeys", List.of("config", "text")),
            // and its configuration
            Map.entry("tls", List.of("config", "files", "metrics", "memory", "log", "text", "transport")),
            Map.entry("tls.openssl", List.of("config.model", "log", "memory", "tls")),
            Map.entry("adminclient", List.of("config.model", "tls")),
            Map.entry("advise", List.of("adminclient", "inject")),
            Map.entry("bundle", List.of("adminclient", "log", "process", "text")),
            Map.entry("dns", List.of("text")),
            // parts of the configuration of clusters, which the packages above use and which their own readers fill
            Map.entry("discovery", List.of("config", "text", "tls.config")),
            Map.entry("template", List.of("config", "discovery", "text", "tls.config")),
            Map.entry("naming", List.of("config.model", "discovery", "dns", "files")),
            Map.entry("json", List.of()),
            Map.entry("probes", List.of("config.model", "http", "json", "log", "text")),
            Map.entry("inject", List.of("json", "probes", "text")),
            Map.entry("compilelog", List.of("json")),
            Map.entry(
                    "webhook",
                    List.of(
                            "config.model",
                            "discovery",
                            "http",
                            "http1",
                            "inject",
                            "json",
                            "log",
                            "memory",
                            "metrics",
                            "tls",
                            "transport")),
            Map.entry(
                    "source",
                    List.of(
                            "config.model",
                            "discovery",
                            "engine",
                            "http",
                            "json",
                            "log",
                            "naming",
                            "stream",
                            "text",
                            "transport")),
            Map.entry("balance", List.of()),
            Map.entry("trust", List.of("http", "text")),
            Map.entry("proxyprotocol", List.of("config", "log", "metrics", "text", "transport", "trust")),
            Map.entry("route", List.of("config.model", "http", "template", "text", "trust")),
            Map.entry("stream", List.of("http")),
            Map.entry("grpc", List.of("http", "metrics", "stream")),
            Map.entry("pool", List.of("http", "metrics", "naming", "stream", "transport")),
            Map.entry(
                    "engine",
                    List.of("config.model", "discovery", "http", "log", "metrics", "stream", "template", "transport")),
            Map.entry(
                    "cluster",
                    List.of(
                            "balance",
                            "config.keys",
                            "config.model",
                            "config.yaml",
                            "discovery",
                            "engine",
                            "http",
                            "log",
                            "memory",
                            "metrics",
                            "naming",
                            "pool",
                            "stream",
                            "text",
                            "transport")),
            Map.entry(
                    "exchange",
                    List.of(
                            "config.keys",
                            "config.model",
                            "config.yaml",
                            "engine",
                            "grpc",
                            "http",
                            "log",
                            "memory",
                            "metrics",
                            "route",
                            "stream",
                            "text",
                            "transport")),
            Map.entry(
                    "detect",
                    List.of(
                            "config.keys",
                            "config.model",
                            "config.rules",
                            "config.yaml",
                            "exchange",
                            "http",
                            "memory",
                            "metrics",
                            "text",
                            "transport")),
            Map.entry(
                    "stages",
                    List.of(
                            "balance",
                            "config.model",
                            "engine",
                            "exchange",
                            "http",
                            "metrics",
                            "route",
                            "text",
                            "trust")),
            // Optional parts of a listener: the list, which names each package below it once, and these.
            Map.entry(
                    "feature",
                    List.of(
                            "balance",
                            "cluster",
                            "config",
                            "detect",
                            "discovery",
                            "engine",
                            "exchange",
                            "finaglekeys",
                            "grpc",
                            "http",
                            "http2.config",
                            "json",
                            "log",
                            "memory",
                            "metrics",
                            "process",
                            "proxyprotocol",
                            "stream",
                            "takeover",
                            "template",
                            "text",
                            "tls.config",
                            "transport",
                            "trust",
                            "warmupkeys")),
            Map.entry("feature.answer", List.of("feature", "config", "exchange", "http", "text")),
            Map.entry("feature.clients", List.of("feature", "config", "exchange", "http", "text", "trust")),
            Map.entry(
                    "feature.fault",
                    List.of("feature", "balance", "config", "exchange", "http", "metrics", "process", "transport")),
            Map.entry("feature.grpc", List.of("feature", "config", "exchange", "grpc", "http", "metrics")),
            Map.entry("feature.hedge", List.of("feature", "config", "exchange")),
            Map.entry(
                    "feature.mirror",
                    List.of(
                            "feature",
                            "balance",
                            "config",
                            "engine",
                            "exchange",
                            "grpc",
                            "http",
                            "memory",
                            "metrics",
                            "process",
                            "stream",
                            "text",
                            "transport")),
            Map.entry(
                    "feature.ratelimit",
                    List.of("feature", "config", "exchange", "http", "metrics", "process", "text", "transport")),
            Map.entry("feature.rewrite", List.of("feature", "config", "exchange", "http", "text")),
            Map.entry(
                    "feature.tracing",
                    List.of(
                            "feature",
                            "config",
                            "engine",
                            "exchange",
                            "http",
                            "json",
                            "log",
                            "metrics",
                            "stream",
                            "text",
                            "transport")),
            Map.entry("feature.trust", List.of("feature", "config", "exchange", "http", "text", "trust")),
            Map.entry("feature.split", List.of("feature", "balance", "config", "exchange", "http", "process")),
            Map.entry("feature.servertiming", List.of("feature", "config", "exchange", "http")),
            // One version of HTTP on the wire, both sides: what an exchange must not know, so that others can stand
            // beside it.
            Map.entry(
                    "tcp",
                    List.of(
                            "config.model",
                            "exchange",
                            "http",
                            "memory",
                            "metrics",
                            "pool",
                            "stream",
                            "text",
                            "transport")),
            Map.entry(
                    "http1",
                    List.of("config.model", "exchange", "http", "memory", "metrics", "pool", "stream", "transport")),
            Map.entry(
                    "http2",
                    List.of(
                            "config",
                            "detect",
                            "exchange",
                            "http",
                            "memory",
                            "metrics",
                            "pool",
                            "stream",
                            "text",
                            "transport")),
            // What the sidecar is put together from, and what changes it while it runs.
            Map.entry(
                    "serving",
                    List.of(
                            "cluster",
                            "config.model",
                            "detect",
                            "discovery",
                            "engine",
                            "exchange",
                            "feature",
                            "files",
                            "finaglekeys",
                            "http",
                            "http1",
                            "http2",
                            "log",
                            "memory",
                            "metrics",
                            "naming",
                            "pool",
                            "process",
                            "proxyprotocol",
                            "route",
                            "source",
                            "stages",
                            "takeover",
                            "tcp",
                            "tls",
                            "transport",
                            "trust")),
            Map.entry(
                    "warmup",
                    List.of(
                            "config.model",
                            "config.yaml",
                            "feature",
                            "http2.config",
                            "log",
                            "memory",
                            "metrics",
                            "process",
                            "serving",
                            "tls.config",
                            "warmupkeys")),
            // The image variant jfr alone, from where the root has it made.
            Map.entry("recorder", List.of("admin", "config.model", "exchange", "http", "json", "metrics")),
            Map.entry(
                    "check",
                    List.of(
                            "cluster",
                            "config.model",
                            "config.rules",
                            "config.yaml",
                            "feature",
                            "log",
                            "memory",
                            "probes",
                            "process",
                            "proxyprotocol",
                            "serving",
                            "tls",
                            "transport",
                            "trust")),
            Map.entry(
                    "reload",
                    List.of(
                            "admin",
                            "check",
                            "config.model",
                            "config.yaml",
                            "discovery",
                            "feature",
                            "files",
                            "log",
                            "memory",
                            "metrics",
                            "serving")));

    /** By package, the only libraries that it may use beside the JDK. */
    private static final Map<String, List<String>> LIBRARIES = Map.ofEntries(
            Map.entry("config.model", List.of()),
            Map.entry("config.keys", List.of()),
            Map.entry("config.rules", List.of()),
            Map.entry("config.text", List.of()),
            Map.entry("config.yaml", List.of("org.snakeyaml.engine..")),
            Map.entry("metrics", List.of("org.HdrHistogram..")),
            Map.entry("compilelog", List.of("org.HdrHistogram..")),
            Map.entry("process", List.of()),
            Map.entry("memory", List.of()),
            Map.entry("text", List.of()),
            Map.entry("vmflags", List.of()),
            Map.entry("log", List.of("io.netty.util.internal.logging..")),
            Map.entry("http", List.of()),
            Map.entry("http2.hpack", List.of("io.netty.buffer..", "io.netty.util..")),
            Map.entry("balance", List.of()),
            Map.entry("dns", List.of()),
            Map.entry("json", List.of()),
            Map.entry("naming", List.of()),
            Map.entry("discovery", List.of()),
            Map.entry("template", List.of()),
            Map.entry("feature.ratelimit", List.of()),
            Map.entry("route", List.of()));

    /** By package, the knots of files that stay, as each is one mechanism. */
    private static final Map<String, List<Set<String>>> KNOTS = Map.ofEntries(
            Map.entry(
                    "admin",
                    List.of(
                            Set.of("AdminConnection", "LaterAnswer", "PageWriter"),
                            Set.of("AdminPages", "AdminServer", "HealthPages"))),
            Map.entry(
                    "cluster",
                    List.of(
                            Set.of("ClusterHealth", "EndpointHealth"),
                            Set.of("GrpcHealthCheck", "HealthCheck", "HealthChecks"),
                            Set.of("ClusterDrain", "DefaultCluster", "Destinations", "EndpointUpdate", "LoopCluster"),
                            Set.of("AccrualConfig", "AccrualPart"),
                            Set.of("BalancerConfig", "BalancerPart"),
                            Set.of("BreakerConfig", "BreakerPart"),
                            Set.of("HealthCheckConfig", "HealthCheckPart"))),
            // a key that makes its own kinds
            Map.entry("config.keys", List.of(Set.of("Choice", "Key", "ValueKey"))),
            Map.entry("config.model", List.of(Set.of("ListenerConfig", "RouteConfig"))),
            Map.entry(
                    "config.text",
                    List.of(Set.of(
                            "BalancerText", "ConfigText", "OperatorText", "RouteText", "ShownOption", "TcpText"))),
            Map.entry(
                    "config.yaml",
                    List.of(Set.of("FeatureKeys", "FeatureSection", "RouteReader"), Set.of("Node", "Problems"))),
            // a part of the configuration, and its record, which shows itself
            Map.entry("discovery", List.of(Set.of("ResolverConfig", "ResolverPart"))),
            Map.entry("template", List.of(Set.of("HostTemplate", "TemplatePart"))),
            Map.entry("webhook", List.of(Set.of("ServerConnection", "WebhookServer"))),
            Map.entry("feature.fault", List.of(Set.of("Delay", "InjectFaults"))),
            Map.entry("feature.mirror", List.of(Set.of("MirrorIntake", "MirroredRequest", "Mirrors"))),
            Map.entry("feature.ratelimit", List.of(Set.of("LimitRate", "RateLimiters", "RateLimits"))),
            Map.entry(
                    "dns",
                    List.of(Set.of(
                            "DatagramFlight", "DnsClient", "DnsFlight", "DnsQuestion", "DnsRound", "StreamFlight"))),
            Map.entry("engine", List.of(Set.of("HostCluster", "HostClusters", "LoopHosts"))),
            Map.entry(
                    "exchange",
                    List.of(
                            Set.of("RetryConfig", "RetryPart"),
                            Set.of(
                                    "Attempt",
                                    "Exchange",
                                    "Filter",
                                    "Filters",
                                    "FrontendExchange",
                                    "Grant",
                                    "Hedge",
                                    "ListenerLoop",
                                    "ListenerSnapshot",
                                    "Outcome",
                                    "RequestRelay",
                                    "RequestView",
                                    "ResponseRelay",
                                    "RetryState",
                                    "SafeRetry",
                                    "Stage",
                                    "StagedRequest"))),
            Map.entry(
                    "http1",
                    List.of(
                            Set.of("Http1FrontendRequests", "Http1FrontendStream"),
                            Set.of("Http1BackendConnection", "Http1BackendProtocol", "Http1BackendRequest"))),
            Map.entry(
                    "http2",
                    List.of(
                            Set.of(
                                    "FrontendCodec",
                                    "FrontendFaults",
                                    "FrontendGoAway",
                                    "FrontendHandler",
                                    "FrontendIntake",
                                    "FrontendKeepAlive",
                                    "FrontendOutput",
                                    "FrontendProbe",
                                    "FrontendStreams",
                                    "FrontendTurn",
                                    "Http2FrontendConnection",
                                    "Http2FrontendRequests",
                                    "Http2FrontendStream"),
                            Set.of(
                                    "BackendFaults",
                                    "BackendFloods",
                                    "BackendGate",
                                    "BackendHandler",
                                    "BackendResponse",
                                    "BackendRoom",
                                    "Http2BackendConnection",
                                    "Http2BackendProtocol",
                                    "Http2BackendRequest",
                                    "LingeringTunnels"))),
            Map.entry("memory", List.of(Set.of("HandshakeBudget", "LoopBudget", "MemoryWatch"))),
            Map.entry("metrics", List.of(Set.of("Family", "Metric"))),
            Map.entry("pool", List.of(Set.of("EndpointPool", "Protocol"))),
            Map.entry("source", List.of(Set.of("Call", "CallBody", "SourceClient"))),
            Map.entry(
                    "tcp",
                    List.of(
                            Set.of("FrontendTunnel", "TcpFrontendConnection"),
                            Set.of("BackendTunnel", "TcpBackendConnection"))),
            Map.entry("tls", List.of(Set.of("TlsHandler", "TlsHandshake", "TlsLink"))),
            Map.entry(
                    "feature.tracing",
                    List.of(Set.of("Delivery", "Exporter"), Set.of("ExchangeSpans", "LoopTracer", "SpanAttributes"))),
            Map.entry("transport", List.of(Set.of("BackgroundTasks", "Loop"), Set.of("Deadline", "Deadlines"))));

    /** By class, the reason of more than two flags: they are no states that exclude each other, which would be an enum. */
    private static final Map<String, String> FLAGS = Map.ofEntries(
            Map.entry(
                    "admin.AdminConnection",
                    "an answer under way, the last one and the client's end come in any order"),
            Map.entry("cluster.EndpointHealth", "requests and checks each judge it, and other threads read the sum"),
            Map.entry("cluster.LoopCluster", "a drain may begin after any answer of its source"),
            Map.entry("detect.RequestLine", "what a line has shown so far"),
            Map.entry("exchange.ClientConnection", "the client's end, a drain and a request come in any order"),
            Map.entry("exchange.ResponseRelay", "a response without content begins and ends like any other"),
            Map.entry("exchange.RetryState", "two are settings; the others are what an attempt has come to"),
            Map.entry(
                    "feature.mirror.MirroredRequest",
                    "the wait for a stream, the response and the end come in any order"),
            Map.entry("http1.Http1BackendRequest", "facts of the response, next to its state, which is an enum"),
            Map.entry("http1.Http1FrontendRequests", "a guard against reentry, and two facts of the connection"),
            Map.entry("http1.RequestInput", "both ends of the input, and a mode of reading"),
            Map.entry("http1.ResponseParser", "two are what was asked for, two what the head says"),
            Map.entry("http1.SectionParser", "facts of the section that is read"),
            Map.entry("http2.Http2BackendRequest", "one is a setting; back-pressure comes and goes behind the other"),
            Map.entry("http2.Http2FrontendStream", "the exchange, the stream and a tunnel end by themselves"),
            Map.entry("log.FileAccessLog", "its thread's rest, its output's fault and its end are independent"),
            Map.entry("pool.Connection", "it may be free with streams on it, and leave in any state"),
            Map.entry("route.PathTable", "what its routes need to know of a path, which never changes"),
            Map.entry("source.CallBody", "a full queue, a filter and the end are independent"),
            Map.entry("source.SliceReader", "members of the object that is read"),
            Map.entry(
                    "stream.InternalRequest",
                    "a verdict that is owed, a whole response and its own end come in any order"),
            Map.entry("tcp.BackendTunnel", "both sides end by themselves"),
            Map.entry("tls.JdkResumption", "what is known of a session so far"),
            Map.entry("tls.JdkSession", "both sides end by themselves"),
            Map.entry("tls.TlsHandler", "both sides end by themselves, and a cut may come in any state"),
            Map.entry("feature.tracing.Exporter", "its rest, its end and its hurry are asked for by different parties"),
            Map.entry(
                    "transport.AcceptGate",
                    "four are reasons not to accept, each by itself, and two are of the pause that goes on"),
            Map.entry("transport.Link", "a listener's count, a report that is due, and a value that is kept"));

    /** Who relays content and knows no channel, no codec and no version. */
    private static final String[] NEUTRAL = {
        full("http"),
        full("stream"),
        full("engine"),
        full("grpc"),
        full("exchange"),
        full("stages"),
        exact("feature"),
        full("feature.answer"),
        full("feature.clients"),
        full("feature.fault"),
        full("feature.grpc"),
        full("feature.hedge"),
        full("feature.mirror"),
        full("feature.ratelimit"),
        full("feature.rewrite"),
        full("feature.servertiming"),
        full("feature.split"),
        full("feature.trust"),
        full("pool")
    };

    /** The fields that are about a connection of HTTP/1, and its framing. */
    private static final Set<String> HTTP1_FIELDS =
            Set.of("CONNECTION", "KEEP_ALIVE", "PROXY_CONNECTION", "TE", "TRANSFER_ENCODING", "UPGRADE");

    /** The only classes of {@code config.yaml} that the rest may know. */
    private static final Class<?>[] READERS = {ConfigReader.class};

    private static final DescribedPredicate<JavaClass> PRIMITIVE =
            describe("is primitive", one -> one.getBaseComponentType().isPrimitive());

    static Stream<String> packages() {
        return USES.keySet().stream().sorted();
    }

    static Stream<String> packagesWithFewLibraries() {
        return LIBRARIES.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("packages")
    void usesOnlyTheLayersBelow(String name) {
        String[] allowed = Stream.concat(Stream.of(name), USES.get(name).stream())
                .map(LayeringTest::full)
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(full(name))
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + "..").and(not(resideInAnyPackage(allowed))))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @ParameterizedTest
    @MethodSource("packagesWithFewLibraries")
    void usesOnlyItsLibraries(String name) {
        String[] allowed = Stream.concat(
                        Stream.of("java..", "org.jspecify..", ROOT + ".."), LIBRARIES.get(name).stream())
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(full(name))
                .should()
                .dependOnClassesThat(not(resideInAnyPackage(allowed)).and(not(PRIMITIVE)))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void everyPackageHasItsPlaceInTheTable() {
        TreeSet<String> found = new TreeSet<>();
        for (JavaClass one : CLASSES) {
            found.add(one.getPackageName());
        }
        found.remove(ROOT);
        assertThat(packages().map(LayeringTest::exact)).containsAll(found);
    }

    /** With {@code -Dremora.page=write} (make docs) it writes the table instead of judging it. */
    @Test
    void thePageHasThisTable() throws IOException {
        List<String> made = ArchitecturePage.with(USES);
        if ("write".equals(System.getProperty("remora.page"))) {
            Files.write(ArchitecturePage.FILE, made);
        }
        assertThat(Files.readAllLines(ArchitecturePage.FILE))
                .as("ARCHITECTURE.md, which \"make docs\" writes")
                .isEqualTo(made);
    }

    @Test
    void noFeatureUsesAnother() {
        slices().matching(ROOT + ".feature.(*)..")
                .should()
                .notDependOnEachOther()
                .check(CLASSES);
    }

    @Test
    void noPackagesUseEachOtherInACircle() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    /** A simple name in a stack trace, a search or a review means one class. */
    @Test
    void noTwoPackagesHaveAClassOfTheSameName() {
        Map<String, String> packages = new HashMap<>();
        for (JavaClass one : CLASSES) {
            if (one.isTopLevelClass() && !one.getSimpleName().equals("package-info")) {
                assertThat(packages.put(one.getSimpleName(), one.getPackageName()))
                        .as(one.getName())
                        .isNull();
            }
        }
    }

    @Test
    void aClassHasMoreThanTwoFlagsForAReasonOnly() {
        TreeSet<String> found = new TreeSet<>();
        for (JavaClass one : CLASSES) {
            long flags = one.getFields().stream()
                    .filter(field -> field.getRawType().isEquivalentTo(boolean.class))
                    .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                    .count();
            if (flags > 2 && !one.isRecord()) {
                found.add(one.getName().substring(ROOT.length() + 1));
            }
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(FLAGS.keySet());
    }

    @Test
    void nothingKnowsNettysFrames() {
        TreeSet<String> found = new TreeSet<>();
        for (JavaClass one : CLASSES) {
            boolean knows = one.getDirectDependenciesFromSelf().stream()
                    .anyMatch(arrow -> arrow.getTargetClass().getPackageName().equals("io.netty.handler.codec.http2"));
            if (knows) {
                found.add(file(one));
            }
        }
        assertThat(found).isEmpty();
    }

    static Stream<String> everyPackage() {
        return CLASSES.stream().map(JavaClass::getPackageName).distinct().sorted();
    }

    /** A nested class is part of its file. docs/decisions/architecture.md has the reason of each knot that stays. */
    @ParameterizedTest
    @MethodSource("everyPackage")
    void filesUseEachOtherInACircleOnlyWhereTheyAreOneMechanism(String name) {
        String key = name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
        assertThat(knots(name)).containsExactlyInAnyOrderElementsOf(KNOTS.getOrDefault(key, List.of()));
    }

    /** Returns the largest sets of a package's files in which each file reaches each other one. */
    private static Set<Set<String>> knots(String name) {
        Map<String, Set<String>> arrows =
                arrows(one -> one.getPackageName().equals(name) ? file(one).substring(name.length() + 1) : "");
        Set<Set<String>> knots = new HashSet<>();
        for (String from : arrows.keySet()) {
            Set<String> knot = new TreeSet<>(reached(arrows, from));
            knot.removeIf(to -> !reached(arrows, to).contains(from));
            if (!knot.isEmpty()) {
                knots.add(knot);
            }
        }
        return knots;
    }

    private static Set<String> reached(Map<String, Set<String>> arrows, String from) {
        Set<String> reached = new HashSet<>();
        Deque<String> left = new ArrayDeque<>(arrows.getOrDefault(from, Set.of()));
        while (!left.isEmpty()) {
            String next = left.remove();
            if (reached.add(next)) {
                left.addAll(arrows.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }

    /** What features share knows none of them: only their list does, which none of them knows. */
    @Test
    void noFeatureUsesTheirListInACircle() {
        String list = exact("feature");
        Map<String, Set<String>> circles = circles(one -> {
            String name = one.getPackageName();
            return name.equals(list) ? file(one) : name.startsWith(list + ".") ? name : "";
        });
        assertThat(circles).isEmpty();
    }

    /**
     * Returns the arrows that are left when no part without an arrow is.
     *
     * @param parts of a class the part that it belongs to, empty for one that does not count
     */
    private static Map<String, Set<String>> circles(Function<JavaClass, String> parts) {
        Map<String, Set<String>> arrows = arrows(parts);
        // a part that uses no other one is in no circle, and what is left without it is looked at again
        while (arrows.values().removeIf(Set::isEmpty)) {
            arrows.values().forEach(to -> to.retainAll(arrows.keySet()));
        }
        return arrows;
    }

    private static Map<String, Set<String>> arrows(Function<JavaClass, String> parts) {
        Map<String, Set<String>> arrows = new TreeMap<>();
        for (JavaClass one : CLASSES) {
            String part = parts.apply(one);
            if (!part.isEmpty()) {
                Set<String> from = arrows.computeIfAbsent(part, any -> new TreeSet<>());
                one.getDirectDependenciesFromSelf().stream()
                        .map(arrow -> parts.apply(arrow.getTargetClass().getBaseComponentType()))
                        .filter(target -> !target.isEmpty())
                        .forEach(from::add);
                from.remove(part);
            }
        }
        return arrows;
    }

    private static String file(JavaClass one) {
        int nested = one.getName().indexOf('$');
        return nested < 0 ? one.getName() : one.getName().substring(0, nested);
    }

    /** They have its {@code ClientConnection}; who makes it is no part of it. */
    @Test
    void noPartOfAClientsConnectionRefersBackToItsHandler() {
        String handler = exact("http1.Http1FrontendConnection");
        noClasses()
                .that()
                .resideInAPackage(exact("http1"))
                .and()
                .doNotHaveFullyQualifiedName(handler)
                .and()
                .doNotHaveFullyQualifiedName(exact("http1.Http1FrontendProtocol"))
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName(handler)
                .check(CLASSES);
    }

    @Test
    void noPartsOfTheConfigurationUseEachOtherInACircle() {
        slices().matching(ROOT + ".config.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    /**
     * Records that may be wider: an access log's entry is a row of that log, and readings of memory are a row of the page; each is built in
     * one place.
     */
    private static final Set<String> WIDE_RECORDS = Set.of("AccessEntry", "MemoryState");

    /** Parts that are off by default are options, and parts that belong together have a record of their own. */
    @Test
    void noRecordHasMoreThanTenComponents() {
        for (JavaClass one : CLASSES) {
            if (one.isRecord() && !WIDE_RECORDS.contains(one.getSimpleName())) {
                assertThat(one.getFields().stream()
                                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC)))
                        .as(one.getName())
                        .hasSizeLessThanOrEqualTo(10);
            }
        }
    }

    /** A configuration may come from elsewhere, such as an API, as well as from a file. */
    @Test
    void onlyWhoReadsAFileKnowsYaml() {
        noClasses()
                .that()
                // a feature, or a part of clusters, reads its own part of the file
                .resideOutsideOfPackages(
                        full("config"),
                        full("feature"),
                        full("discovery"),
                        full("template"),
                        full("http2.config"),
                        full("tls.config"))
                .and()
                .haveNameNotMatching(".*Part(\\$.*)?")
                .should()
                .dependOnClassesThat(resideInAPackage(full("config.yaml")).and(not(belongToAnyOf(READERS))))
                .check(CLASSES);
    }

    @Test
    void noVersionOutsideItsPackage() {
        noClasses()
                .that()
                .resideInAnyPackage(NEUTRAL)
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("io.netty.channel..", "io.netty.handler..", "io.netty.bootstrap.."))
                .check(CLASSES);
    }

    @Test
    void onlyHttp1ReadsTheFieldsOfItsConnections() {
        noClasses()
                .that(not(resideInAPackage(full("http1"))).and(not(type(FieldName.class))))
                .should()
                .accessFieldWhere(describe(
                        "is a field of HTTP/1 connections",
                        access -> access.getTargetOwner().isEquivalentTo(FieldName.class)
                                && HTTP1_FIELDS.contains(access.getTarget().getName())))
                .check(CLASSES);
    }

    @Test
    void noFlagOfAVersionOutsideItsPackage() {
        for (JavaClass one : CLASSES) {
            if (!one.getPackageName().equals(exact("http1"))) {
                assertThat(one.getMembers()).as(one.getName()).noneMatch(member -> member.getName()
                        .toLowerCase(Locale.ROOT)
                        .contains("http11"));
            }
        }
    }

    private static String full(String name) {
        return exact(name) + "..";
    }

    private static String exact(String name) {
        return ROOT + "." + name;
    }
}
