package io.remora;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
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

    private static final List<String> BELOW_EXCHANGE =
            List.of("config", "metrics", "log", "http", "transport", "naming", "balance", "pool", "route");

    /** By package, the others of ours that it may use. */
    private static final Map<String, List<String>> USES = Map.ofEntries(
            Map.entry("text", List.of()),
            Map.entry("config", List.of("text")),
            Map.entry("process", List.of()),
            Map.entry("metrics", List.of("process")),
            Map.entry("log", List.of("config", "metrics")),
            Map.entry("admin", List.of("config", "metrics", "log", "process")),
            Map.entry("http", List.of("config", "text")),
            Map.entry("transport", List.of("config", "metrics", "log")),
            Map.entry("naming", List.of("config", "http")),
            Map.entry("route", List.of("config", "http")),
            Map.entry("balance", List.of("config", "metrics", "naming")),
            Map.entry("pool", List.of("config", "metrics", "log", "http", "transport", "naming", "balance")),
            Map.entry("exchange", BELOW_EXCHANGE),
            // HTTP/1.1 on the wire, both sides: what an exchange must not know, so that HTTP/2 can stand beside it.
            Map.entry("http1", above(BELOW_EXCHANGE, "exchange")));

    /** By package, the only libraries that it may use beside the JDK. */
    private static final Map<String, List<String>> LIBRARIES = Map.of(
            "config", List.of("org.snakeyaml.engine.."),
            "metrics", List.of("org.HdrHistogram.."),
            "process", List.of(),
            "text", List.of(),
            "log", List.of("io.netty.util.internal.logging.."),
            "http", List.of("io.netty.handler.codec..", "io.netty.buffer..", "io.netty.util.."));

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
    void noPackagesUseEachOtherInACircle() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    private static List<String> above(List<String> layers, String next) {
        return Stream.concat(layers.stream(), Stream.of(next)).toList();
    }

    private static String full(String name) {
        return exact(name) + "..";
    }

    private static String exact(String name) {
        return ROOT + "." + name;
    }
}
