package io.remora;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.EvaluationResult;
import io.remora.testkit.Contract;
import org.junit.jupiter.api.Test;

/**
 * The tests of what the sidecar promises (the rules of HTTP, operation, faults) see it through sockets and admin pages
 * only, so that they hold for any engine. They start it through the test kit, which alone knows how. {@code @Contract} marks
 * them, wherever they are; all of the packages {@code http.rules} and {@code sidecar} keep the rule.
 */
final class ContractTest {
    private static final String RULES = "io.remora.http.rules..";
    private static final String[] WHOLE = {"io.remora.sidecar..", RULES};
    private static final String KIT = "io.remora.testkit..";

    /** Judges the sidecar's classes, not its behaviour, and is about Netty by its subject. */
    private static final String ABOUT_CLASSES = "io\\.remora\\.http\\.rules\\.CodecUseTest";

    /** Start the sidecar, hold up its event loops, and choose its engine. */
    private static final String SEAM = "io\\.remora\\.testkit\\.(InProcess|TestEngine)(\\$.*)?";

    /** Asserts that a sidecar which has ended has given its memory back, which only its own process can tell. */
    private static final String ENDS_IN_PROCESS = "io\\.remora\\.testkit\\.SidecarIT(\\$.*)?";

    /** Nested classes belong to the class around them. */
    private static final DescribedPredicate<JavaClass> OF_CONTRACT =
            describe("of the contract", one -> resideInAnyPackage(WHOLE).test(one) || isMarked(one));

    private static final JavaClasses TESTS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
            .importPackages("io.remora");

    @Test
    void contractTestsSeeSocketsAndPagesOnly() {
        assertHolds(noClasses()
                .that(OF_CONTRACT.and(not(nameMatching(ABOUT_CLASSES))))
                .should()
                .dependOnClassesThat(resideInAPackage("io.remora..")
                        .and(not(OF_CONTRACT))
                        .and(not(resideInAPackage(KIT)))
                        .or(resideInAPackage("io.netty..")))
                .evaluate(TESTS));
    }

    /** Look into jars and at the classes that are loaded, or bring their own network: they are about the default engine's process. */
    private static final String ABOUT_ONE_ENGINE = ".*\\.(NoReflection|ShippedJars|FaultyNetwork)IT";

    /** An unmarked one would not run on the second engine, and nobody would notice. */
    @Test
    void theRulesOfHttpAndTheWholeSidecarAreTestedOnEveryEngine() {
        assertHolds(classes()
                .that(resideInAnyPackage(WHOLE).and(nameMatching(".*IT")).and(not(nameMatching(ABOUT_ONE_ENGINE))))
                .should()
                .beAnnotatedWith(Contract.class)
                .evaluate(TESTS));
    }

    @Test
    void onlyTheSeamOfTheTestKitKnowsHowASidecarIsMade() {
        DescribedPredicate<JavaClass> inside =
                resideInAPackage("io.remora..").and(not(resideInAPackage(KIT))).or(resideInAPackage("io.netty.."));
        assertHolds(noClasses()
                .that(resideInAPackage(KIT).and(not(nameMatching(SEAM))).and(not(nameMatching(ENDS_IN_PROCESS))))
                .should()
                .dependOnClassesThat(inside)
                .evaluate(TESTS));
    }

    private static boolean isMarked(JavaClass one) {
        // of an array, its elements
        JavaClass type = one.getBaseComponentType();
        return type.isAnnotatedWith(Contract.class)
                || type.getEnclosingClass().map(ContractTest::isMarked).orElse(false);
    }

    private static void assertHolds(EvaluationResult result) {
        assertThat(result.getFailureReport().getDetails()).isEmpty();
    }
}
