package io.remora;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.EvaluationResult;
import org.junit.jupiter.api.Test;

/**
 * The tests of what the sidecar promises (the rules of HTTP, operation, faults) see it through sockets and admin pages
 * only, so that they hold for any engine that takes the place of today's. They start it through the test kit, which
 * alone knows how.
 */
final class ContractTest {
    private static final String[] CONTRACT = {"io.remora.dataplane..", "io.remora.http.rules.."};
    private static final String KIT = "io.remora.testkit..";

    /** Judges the sidecar's classes, not its behaviour, and is about Netty by its subject. */
    private static final String ABOUT_CLASSES = "io\\.remora\\.http\\.rules\\.CodecUseTest";

    /** Start the sidecar, hold up its event loops, and choose its engine. */
    private static final String SEAM = "io\\.remora\\.testkit\\.(InProcess|TestEngine)(\\$.*)?";

    /** Asserts that a sidecar which has ended has given its memory back, which only its own process can tell. */
    private static final String ENDS_IN_PROCESS = "io\\.remora\\.testkit\\.SidecarIT(\\$.*)?";

    private static final JavaClasses TESTS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
            .importPackages("io.remora");

    @Test
    void contractTestsSeeSocketsAndPagesOnly() {
        assertHolds(noClasses()
                .that(resideInAnyPackage(CONTRACT).and(not(nameMatching(ABOUT_CLASSES))))
                .should()
                .dependOnClassesThat(resideInAPackage("io.remora..")
                        .and(not(resideInAnyPackage(CONTRACT)))
                        .and(not(resideInAPackage(KIT)))
                        .or(resideInAPackage("io.netty..")))
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

    private static void assertHolds(EvaluationResult result) {
        assertThat(result.getFailureReport().getDetails()).isEmpty();
    }
}
