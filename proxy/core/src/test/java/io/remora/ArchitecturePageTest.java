package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.feature.Slot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds ARCHITECTURE.md against the code; {@code LayeringTest} holds its table of packages. */
final class ArchitecturePageTest {
    private static final Pattern SLOT = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\|");

    /** A class with its package, such as {@code feature.fault.InjectFaults}; what follows may be nested or a method. */
    private static final Pattern CLASS = Pattern.compile("`((?:[a-z0-9]+\\.)+[A-Z]\\w*)[^`]*`");

    static Stream<String> classes() throws IOException {
        Set<String> names = new TreeSet<>();
        CLASS.matcher(Files.readString(ArchitecturePage.FILE)).results().forEach(found -> names.add(found.group(1)));
        return names.stream();
    }

    @ParameterizedTest
    @MethodSource("classes")
    void namesClassesThatExist(String name) {
        assertThat(Path.of("src/main/java/io/remora", name.replace('.', '/') + ".java"))
                .exists();
    }

    @Test
    void hasEachSlotInTheOrderOfARequest() throws IOException {
        List<String> slots = SLOT.matcher(Files.readString(ArchitecturePage.FILE))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(slots)
                .containsExactlyElementsOf(
                        Stream.of(Slot.values()).map(Enum::name).toList());
    }
}
