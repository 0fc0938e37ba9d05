package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** The revision of the native library, by which a jar finds out about one that it was not made for. */
final class NativeRevisionTest {
    private static final Path SOURCES = Path.of("..", "native");

    /** Of the functions that the library offers, with their arguments: with another one the revision is another as well. */
    private static final long OFFERED_BY_REVISION_4 = 3260765061L;

    private static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.list(SOURCES)) {
            return all.filter(file -> file.toString().endsWith(".c")).sorted().toList();
        }
    }

    @Test
    void isThatOfTheLibrary() throws IOException {
        assertThat(Files.readString(SOURCES.resolve("pages.c")))
                .contains("enum { REVISION = " + NativePages.REVISION + " };");
    }

    @Test
    void isRaisedWithWhatTheLibraryOffers() throws IOException {
        CRC32 offered = new CRC32();
        for (Path source : sources()) {
            String text = Files.readString(source);
            for (int at = text.indexOf("JNIEXPORT"); at >= 0; at = text.indexOf("JNIEXPORT", at + 1)) {
                String function = text.substring(at, text.indexOf(')', at)).replaceAll("\\s+", " ");
                offered.update(function.getBytes(StandardCharsets.US_ASCII));
            }
        }
        assertThat(NativePages.REVISION).isEqualTo(4);
        assertThat(offered.getValue())
                .as("what the library offers has changed: raise the revision, in pages.c as well")
                .isEqualTo(OFFERED_BY_REVISION_4);
    }
}
