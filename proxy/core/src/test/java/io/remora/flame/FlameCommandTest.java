package io.remora.flame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command {@code remora flame}. */
final class FlameCommandTest {
    @TempDir
    private Path directory;

    private Path now;
    private Path before;

    @BeforeEach
    void write() throws IOException {
        now = Files.writeString(directory.resolve("now.txt"), "[loop];a.B.run;a.B.run 60\n[C1];C::compile 40\n");
        before = Files.writeString(directory.resolve("before.txt"), "[loop];a.B.run 19\n[C1];C::compile 1\n");
    }

    private String run(String... arguments) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FlameCommand command = FlameCommand.of(arguments);
        assertThat(command).isNotNull();
        command.run(
                new ByteArrayInputStream("x 1\n".getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void listsTheFramesOfAProfileAndCountsARecursiveOneOnce() throws IOException {
        assertThat(run("flame", now.toString())).isEqualTo("""
                samples 100
                  self   total  frame
                  60.0    60.0  a.B.run
                  40.0    40.0  C::compile
                """);
    }

    @Test
    void theUnitOfTheCountsIsGiven() throws IOException {
        assertThat(run("flame", "--unit", "bytes", now.toString())).startsWith("bytes 100\n");
        assertThat(run("flame", "--unit", "ns", "--diff", before.toString(), now.toString()))
                .startsWith("ns 20 before, 100 now");
    }

    @Test
    void readsStandardInput() throws IOException {
        assertThat(run("flame", "-")).contains(" 100.0   100.0  x");
    }

    @Test
    void aComparisonListsWhatHasGrownAndDrawsIt() throws IOException {
        Path graph = directory.resolve("diff.svg");
        assertThat(run("flame", "--diff", before.toString(), now.toString(), "--out", graph.toString()))
                .isEqualTo("""
                        samples 20 before, 100 now; self and total in percentage points
                          self   total  frame
                          35.0    35.0  C::compile
                        """);
        assertThat(graph).content().contains("red: larger now", "now.txt compared with");
    }

    @ParameterizedTest
    @ValueSource(strings = {"flame.html", "flame.svg", "cpu.pb.gz", "cpu.jfr", "cpu.collapsed", "cpu.top"})
    void writesEachFormatByTheNameOfTheFile(String name) throws IOException {
        Path out = directory.resolve(name);
        assertThat(run("flame", now.toString(), "--out", out.toString())).isEmpty();
        assertThat(out).isNotEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flame",
                "flame a b",
                "flame --diff",
                "flame --unit kg a",
                "flame --x a",
                "flame a --out flame.pdf",
                "flame --unit ns a --out waits.jfr",
                "flame --out a.svg"
            })
    void aCommandLineThatIsNoneIsRefused(String line) {
        assertThat(FlameCommand.of(line.split(" "))).isNull();
    }

    @Test
    void aFileThatIsNoProfileIsRefused() throws IOException {
        Path page = Files.writeString(directory.resolve("page.html"), "<!DOCTYPE html>\n");
        assertThatThrownBy(() -> run("flame", page.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("page.html:1: not a stack");
        Path empty = Files.createFile(directory.resolve("empty"));
        assertThatThrownBy(() -> run("flame", empty.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("empty: no samples");
    }
}
