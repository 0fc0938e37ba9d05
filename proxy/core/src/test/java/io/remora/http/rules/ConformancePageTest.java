package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds {@code docs/http-conformance.md} to the tests, and the tests to it. */
final class ConformancePageTest {
    private static final int ROWS = 69;
    private static final int GAPS = 14;
    /** What waits for a measurement or a version that is not there yet; each leaves this list with it. */
    private static final Set<String> WAITING = Set.of();

    private static final Pattern TEST_NAME = Pattern.compile("`(\\w+)#(\\w+)`");
    private static final Pattern NAMED_AFTER_RULE = Pattern.compile("(row\\d\\d|gap|advisory)_\\w+");

    private final List<String> lines = page();

    private static List<String> page() {
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.exists(directory.resolve("docs/http-conformance.md"))) {
            directory = directory.getParent();
        }
        assertThat(directory)
                .as("a directory above that has docs/http-conformance.md")
                .isNotNull();
        try {
            return Files.readAllLines(directory.resolve("docs/http-conformance.md"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<Method> testMethods(Class<?> testClass) {
        return Stream.of(testClass.getDeclaredMethods())
                .filter(method ->
                        method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class));
    }

    private static Class<?> testClass(String simpleName) throws ClassNotFoundException {
        // Not initialised: that would start a sidecar.
        String rules = simpleName.startsWith("Http2") ? "io.remora.http2" : ConformancePageTest.class.getPackageName();
        String name = rules + "." + simpleName;
        return Class.forName(name, false, ConformancePageTest.class.getClassLoader());
    }

    /** The cells of the one table line whose first cell is this. */
    private String[] row(String first) {
        List<String> found = lines.stream()
                .filter(line -> line.startsWith("| " + first + " |"))
                .toList();
        assertThat(found).as("lines for " + first).hasSize(1);
        return found.get(0).split(" *\\| *");
    }

    private static void assertHeld(String[] cells) {
        String heldBy = cells[cells.length - 1];
        boolean reason =
                heldBy.startsWith("Later: ") && WAITING.contains(cells[1]) || heldBy.startsWith("Not reached: ");
        assertThat(reason || TEST_NAME.matcher(heldBy).find())
                .as(String.join(" | ", cells))
                .isTrue();
    }

    @Test
    void everyRowIsHeldByATestOfItsNumber() {
        for (int number = 1; number <= ROWS; number++) {
            String[] cells = row(Integer.toString(number));
            assertHeld(cells);
            Matcher names = TEST_NAME.matcher(cells[cells.length - 1]);
            while (names.find()) {
                assertThat(names.group(2)).startsWith(String.format("row%02d_", number));
            }
        }
    }

    @Test
    void everyGapIsHeld() {
        for (int number = 1; number <= GAPS; number++) {
            assertHeld(row("G" + number));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CVE-2019-9512",
                "CVE-2019-9514",
                "CVE-2019-9515",
                "CVE-2019-9518",
                "CVE-2019-16869",
                "CVE-2019-20444",
                "CVE-2019-20445",
                "CVE-2020-7238",
                "CVE-2020-11612",
                "CVE-2021-21295",
                "GHSA-wm47-8v5p-wjpj",
                "CVE-2021-21409",
                "GHSA-f256-j965-7f32",
                "CVE-2021-43797",
                "GHSA-wx5j-54mm-rqqq",
                "CVE-2022-41881",
                "CVE-2022-41915",
                "GHSA-hh82-3pmq-7frp",
                "CVE-2023-34462",
                "CVE-2023-44487",
                "CVE-2024-29025",
                "GHSA-5jpm-x58v-624v",
                "CVE-2025-24970",
                "CVE-2025-55163",
                "GHSA-prj3-ccx8-p6x4",
                "CVE-2025-58056",
                "GHSA-fghv-69vj-qj49",
                "CVE-2025-58057",
                "CVE-2025-67735",
                "GHSA-84h7-rjj3-6jx4",
                "CVE-2026-33870",
                "CVE-2026-33871",
                "GHSA-w9fj-cfpg-grvv",
                "CVE-2026-41417",
                "GHSA-v8h7-rr48-vmmv",
                "CVE-2026-42577",
                "GHSA-rwm7-x88c-3g2p",
                "CVE-2026-42578",
                "GHSA-45q3-82m4-75jr",
                "CVE-2026-42580",
                "GHSA-m4cv-j2px-7723",
                "CVE-2026-42581",
                "GHSA-xxqh-mfjm-7mv9",
                "CVE-2026-42584",
                "GHSA-57rv-r2g8-2cj3",
                "CVE-2026-42585",
                "GHSA-38f8-5428-x5cv",
                "CVE-2026-42587",
                "GHSA-f6hv-jmp6-3vwv",
                "CVE-2026-44249",
                "GHSA-3qp7-7mw8-wx86",
                "CVE-2026-45416",
                "GHSA-x4gw-5cx5-pgmh",
                "CVE-2026-45536",
                "CVE-2026-47244",
                "CVE-2026-48043",
                "GHSA-c2gf-v879-257j",
                "CVE-2026-48059",
                "CVE-2026-44893",
                "CVE-2026-93564",
                "CVE-2026-50010",
                "CVE-2026-50020",
                "GHSA-hvcg-qmg6-jm4c",
                "CVE-2026-50560",
                "CVE-2026-55833",
                "CVE-2026-56819",
                "GHSA-93wv-jw9v-4972",
                "CVE-2026-59899",
                "GHSA-q4f6-jm68-57ww",
                "CVE-2026-59900",
                "GHSA-4mp9-239f-g9hg",
                "CVE-2026-59903",
                "GHSA-8c42-7qj2-3j46",
                "CVE-2026-56746",
                "CVE-2026-89044",
                "GHSA-hcvj-94mj-jp5c",
                "CVE-2026-93491",
                "CVE-2026-100656",
                "GHSA-pvjx-v7vp-62vq",
                "CVE-2026-100658",
                "GHSA-2g37-3h88-55hc",
                "CVE-2026-93558",
                "CVE-2026-93492",
                "CVE-2026-93579",
                "GHSA-hc9x-r52h-gh4x",
                "GHSA-42mp-m8rq-6rgj",
                "GHSA-m77g-r4c7-3w77",
                "GHSA-rx4g-qxm6-238r",
                "GHSA-qhw9-p586-v948",
            })
    void everyAdvisoryIsListedOnceAndHeld(String advisory) {
        List<String> found = lines.stream()
                .filter(line -> line.startsWith("| "))
                .filter(line -> List.of(line.split(" *\\| *")[1].split(", ")).contains(advisory))
                .toList();
        assertThat(found).hasSize(1);
        assertHeld(found.get(0).split(" *\\| *"));
    }

    @Test
    void exactlyTheseRowsWait() {
        assertThat(lines.stream().filter(line -> line.contains("| Later: ")).map(line -> line.split(" *\\| *")[1]))
                .containsExactlyInAnyOrderElementsOf(WAITING);
    }

    @Test
    void everyTestOnThePageExists() throws ClassNotFoundException {
        for (String line : lines) {
            Matcher names = TEST_NAME.matcher(line);
            while (names.find()) {
                assertThat(testMethods(testClass(names.group(1))))
                        .extracting(Method::getName)
                        .contains(names.group(2));
            }
        }
    }

    @Test
    void everyTestNamedAfterARuleIsOnThePage() throws Exception {
        String page = String.join("\n", lines);
        Set<String> missing = new TreeSet<>();
        for (Class<?> testClass : testClasses()) {
            testMethods(testClass)
                    .map(Method::getName)
                    .filter(name -> NAMED_AFTER_RULE.matcher(name).matches())
                    .map(name -> testClass.getSimpleName() + "#" + name)
                    .filter(name -> !page.contains("`" + name + "`"))
                    .forEach(missing::add);
        }
        assertThat(missing).isEmpty();
    }

    private static List<Class<?>> testClasses() throws Exception {
        Path directory = Path.of(ConformancePageTest.class.getResource("").toURI());
        List<Class<?>> classes = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith("IT.class")) {
                    classes.add(testClass(name.substring(0, name.length() - ".class".length())));
                }
            }
        }
        assertThat(classes).isNotEmpty();
        return classes;
    }
}
