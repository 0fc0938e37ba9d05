package io.remora.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of symbols of the library's own build and of others. */
final class LibrarySymbolsTest {
    private static final String ID = "00017f80ff0a0b0c0d0e0f101112131415161718";

    @TempDir
    private Path directory;

    private Path library;

    @BeforeEach
    void write() throws IOException {
        library = directory.resolve("libx.so");
        Files.write(library, library(500, ID));
    }

    /** Returns the start of a library in the layout of ELF: other bytes, and the note at an offset. */
    private static byte[] library(int offset, String id) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < offset; i++) {
            out.write(i % 5);
        }
        out.writeBytes(new byte[] {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0});
        out.writeBytes("GNU\0".getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < id.length(); i += 2) {
            out.write(Integer.parseInt(id.substring(i, i + 2), 16));
        }
        return out.toByteArray();
    }

    private String nameWith(String head) throws IOException {
        Files.writeString(directory.resolve("libx.symbols"), head + "a0 first\n");
        try (SymbolFile file = LibrarySymbols.open(library.toString())) {
            return file == null ? "none" : file.name(0xa0);
        }
    }

    @Test
    void theLibraryHasAFileOfItsOwnBuildOnly() throws IOException {
        assertThat(LibrarySymbols.open(library.toString())).isNull();
        assertThat(nameWith("0 build-id " + ID + '\n')).isEqualTo("first");
        assertThat(nameWith("0 build-id " + ID.replace('8', '9') + '\n')).isEqualTo("none");
        assertThat(nameWith("")).isEqualTo("first");
        Files.delete(library);
        assertThat(nameWith("0 build-id " + ID + '\n')).isEqualTo("none");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 52, 4_096 - 36})
    void theBuildIdIsFoundNearTheStart(int offset) throws IOException {
        Files.write(library, library(offset, ID));
        assertThat(LibrarySymbols.buildId(library.toString())).isEqualTo(ID);
    }

    @Test
    void aLibraryMayHaveNoBuildId() throws IOException {
        Files.write(library, library(4_096 - 35, ID));
        assertThat(LibrarySymbols.buildId(library.toString())).isEmpty();
        Files.write(library, library(40, ID.substring(2)));
        assertThat(LibrarySymbols.buildId(library.toString())).isEmpty();
        Files.write(library, new byte[0]);
        assertThat(LibrarySymbols.buildId(library.toString())).isEmpty();
    }
}
