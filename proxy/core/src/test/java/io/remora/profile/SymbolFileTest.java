package io.remora.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of functions by their offsets. */
final class SymbolFileTest {
    @TempDir
    private Path directory;

    private SymbolFile file(String text) throws IOException {
        return new SymbolFile(
                Files.writeString(directory.resolve("libx.symbols"), text).toString());
    }

    @Test
    void findsTheFunctionThatAnOffsetIsIn() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= 3_000; i++) {
            // of lengths that shift each line against the blocks
            text.append(Integer.toHexString(16 * i))
                    .append(" f")
                    .append(i)
                    .append("x".repeat(i % 97))
                    .append('\n');
        }
        try (SymbolFile file = file(text.toString())) {
            for (int i = 1; i <= 3_000; i++) {
                String name = "f" + i + "x".repeat(i % 97);
                assertThat(file.name(16L * i)).isEqualTo(name);
                assertThat(file.name(16L * i + 15)).isEqualTo(name);
            }
            assertThat(file.name(15)).isEmpty();
            assertThat(file.name(0)).isEmpty();
            assertThat(file.name(Long.MAX_VALUE)).startsWith("f3000");
        }
    }

    @Test
    void aFileWithoutNamesHasNone() throws IOException {
        try (SymbolFile file = file("")) {
            assertThat(file.name(7)).isEmpty();
        }
        try (SymbolFile file = file("nothing\nlike it\n")) {
            assertThat(file.name(7)).isEmpty();
        }
    }

    @Test
    void theBuildOfTheLibraryIsNoFunction() throws IOException {
        try (SymbolFile file = file("0 build-id 00ff\na0 first\nff0 last\n")) {
            assertThat(file.buildId()).isEqualTo("00ff");
            assertThat(file.name(0x9f)).isEmpty();
            assertThat(file.name(0xa0)).isEqualTo("first");
            assertThat(file.name(0xfff)).isEqualTo("last");
        }
        try (SymbolFile file = file("0 build-id 00ff")) {
            assertThat(file.buildId()).isEqualTo("00ff");
            assertThat(file.name(0xa0)).isEmpty();
        }
        try (SymbolFile file = file("a0 first\n")) {
            assertThat(file.buildId()).isEmpty();
        }
    }

    @Test
    void aNameMayHaveSpaces() throws IOException {
        try (SymbolFile file = file("a0 operator new(unsigned long)\nff0 last\n")) {
            assertThat(file.name(0xa1)).isEqualTo("operator new(unsigned long)");
        }
    }
}
