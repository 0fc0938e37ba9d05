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
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.remora.config.yaml.ConfigReader;
import io.remora.config.yaml.EndpointList;
import io.remora.config.yaml.ResolverCheck;
import io.remora.http.FieldName;
import java.util.HashMap;
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
            Map.entry("config.keys", List.of("config.model")),
            Map.entry("config.rules", List.of("config.model")),
            Map.entry("config.text", List.of("config.keys", "config.model", "text")),
            Map.entry("config.yaml", List.of("config.keys", "config.model", "config.rules", "text")),
            Map.entry("process", List.of()),
            Map.entry("metrics", List.of("process", "text")),
            Map.entry("log", List.of("config.model", "metrics")),
            Map.entry(
                    "admin",
                    List.of(
                            "config.model",
                            "config.text",
                            "metrics",
                            "process",
                            "log",
                            "text",
                            "transport",
                            "http",
                            "http1")),
            Map.entry("memory", List.of("config.model", "metrics", "log", "text")),
            Map.entry("http", List.of("config.model", "text")),
            Map.entry("transport", List.of("config.model", "metrics", "memory", "log", "process")),
            Map.entry("takeover", List.of("config.model", "log", "transport")),
            Map.entry("files", List.of("log")),
            Map.entry("tls", List.of("config.model", "files", "metrics", "memory", "log", "text", "transport")),
            Map.entry("tls.openssl", List.of("config.model", "log", "memory", "tls")),
            Map.entry("dns", List.of("text")),
            Map.entry("naming", List.of("config.model", "config.yaml", "dns", "files")),
            Map.entry("json", List.of()),
            Map.entry(
                    "source",
                    List.of(
                            "config.model",
                            "config.yaml",
                            "engine",
                            "http",
                            "json",
                            "log",
                            "naming",
                            "stream",
                            "text",
                            "transport")),
            Map.entry("balance", List.of()),
            Map.entry("trust", List.of("config.model", "http", "text")),
            Map.entry("proxyprotocol", List.of("config.model", "log", "metrics", "text", "transport", "trust")),
            Map.entry("route", List.of("config.model", "http", "text", "trust")),
            Map.entry("stream", List.of("http")),
            Map.entry("pool", List.of("http", "metrics", "naming", "stream", "transport")),
            Map.entry("engine", List.of("config.model", "http", "log", "metrics", "stream", "transport")),
            Map.entry(
                    "cluster",
                    List.of(
                            "balance",
                            "config.model",
                            "engine",
                            "http",
                            "log",
                            "memory",
                            "metrics",
                            "naming",
                            "pool",
                            "stream",
                            "transport")),
            Map.entry(
                    "exchange",
                    List.of(
                            "config.model",
                            "engine",
                            "http",
                            "log",
                            "memory",
                            "metrics",
                            "route",
                            "stream",
                            "text",
                            "transport")),
            Map.entry(
                    "trace",
                    List.of(
                            "config.model",
                            "engine",
                            "exchange",
                            "http",
                            "json",
                            "log",
                            "metrics",
                            "stream",
                            "text",
                            "transport")),
            Map.entry("detect", List.of("config.model", "exchange", "http", "memory", "metrics", "text", "transport")),
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
                            "config",
                            "engine",
                            "exchange",
                            "http",
                            "memory",
                            "metrics",
                            "process",
                            "stream",
                            "text",
                            "transport")),
            Map.entry(
                    "feature.fault",
                    List.of("feature", "balance", "config", "exchange", "http", "metrics", "process", "transport")),
            Map.entry(
                    "feature.mirror",
                    List.of(
                            "feature",
                            "balance",
                            "config.model",
                            "engine",
                            "exchange",
                            "http",
                            "memory",
                            "metrics",
                            "process",
                            "stream",
                            "transport")),
            Map.entry(
                    "feature.ratelimit",
                    List.of("feature", "config.model", "exchange", "http", "metrics", "process", "text", "transport")),
            Map.entry("feature.servertiming", List.of("feature", "config.model", "exchange", "http")),
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
                            "config.model",
                            "detect",
                            "exchange",
                            "http",
                            "memory",
                            "metrics",
                            "pool",
                            "stream",
                            "transport")),
            // What the sidecar is put together from, and what changes it while it runs.
            Map.entry(
                    "serving",
                    List.of(
                            "cluster",
                            "config.model",
                            "detect",
                            "engine",
                            "exchange",
                            "feature",
                            "files",
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
                            "trace",
                            "transport",
                            "trust")),
            Map.entry(
                    "warmup", List.of("config.model", "config.yaml", "log", "memory", "metrics", "process", "serving")),
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
                            "process",
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
            Map.entry("process", List.of()),
            Map.entry("memory", List.of()),
            Map.entry("text", List.of()),
            Map.entry("log", List.of("io.netty.util.internal.logging..")),
            Map.entry("http", List.of()),
            Map.entry("balance", List.of()),
            Map.entry("dns", List.of()),
            Map.entry("json", List.of()),
            Map.entry("naming", List.of()),
            Map.entry("feature.ratelimit", List.of()),
            Map.entry("route", List.of()));

    /** Who relays content and knows no channel, no codec and no version. */
    private static final String[] NEUTRAL = {
        full("http"), full("stream"), full("engine"), full("exchange"), full("stages"), full("feature"), full("pool")
    };

    /** The fields that are about a connection of HTTP/1, and its framing. */
    private static final Set<String> HTTP1_FIELDS =
            Set.of("CONNECTION", "KEEP_ALIVE", "PROXY_CONNECTION", "TE", "TRANSFER_ENCODING", "UPGRADE");

    /** The only classes of {@code config.yaml} that the rest may know. */
    private static final Class<?>[] READERS = {ConfigReader.class, EndpointList.class, ResolverCheck.class};

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

    static Stream<String> packagesWithoutKnots() {
        return Stream.of(
                        "",
                        ".balance",
                        ".check",
                        ".http",
                        ".json",
                        ".log",
                        ".naming",
                        ".proxyprotocol",
                        ".reload",
                        ".route",
                        ".serving",
                        ".stream",
                        ".takeover",
                        ".text",
                        ".trust",
                        ".warmup")
                .map(ROOT::concat);
    }

    /** A nested class is part of its file. */
    @ParameterizedTest
    @MethodSource("packagesWithoutKnots")
    void noFilesUseEachOtherInACircle(String name) {
        assertThat(circles(one -> one.getPackageName().equals(name) ? file(one) : ""))
                .isEmpty();
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
        // a part that uses no other one is in no circle, and what is left without it is looked at again
        while (arrows.values().removeIf(Set::isEmpty)) {
            arrows.values().forEach(to -> to.retainAll(arrows.keySet()));
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

    /** A configuration may come from elsewhere, such as an API, as well as from a file. */
    @Test
    void onlyWhoReadsAFileKnowsYaml() {
        noClasses()
                .that()
                // a feature reads its own part of the file
                .resideOutsideOfPackages(full("config"), full("feature"))
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
