package io.remora.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Texts of {@code Compiler.codecache}, as JDK 17 writes them. */
final class CompilerStateTest {
    private static String text(String state, String counts, String full) {
        return "CodeCache: size=8192Kb used=2433Kb max_used=2439Kb free=5758Kb\n"
                + " bounds [0x00007f, 0x00007f, 0x00007f]\n total_blobs=1142 nmethods=763 adapters=297\n"
                + " compilation: " + state + "\n              " + counts + "\n" + full;
    }

    @Test
    void readsTheStateAndTheCounts() {
        assertThat(CompilerState.of(text("enabled", "stopped_count=0, restarted_count=0", " full_count=0\n")))
                .isEqualTo(new CompilerState(true, 0, 0, 763));
        assertThat(CompilerState.of(text(
                        "disabled (not enough contiguous free space left)",
                        "stopped_count=12, restarted_count=11",
                        " full_count=345\n")))
                .isEqualTo(new CompilerState(false, 12, 345, 763));
    }

    @Test
    void aTextWithoutOneOfThemIsNone() {
        assertThat(CompilerState.of("")).isNull();
        assertThat(CompilerState.of("java.lang.IllegalArgumentException: Unknown diagnostic command"))
                .isNull();
        assertThat(CompilerState.of(text("enabled", "stopped_count=x", " full_count=1")))
                .isNull();
        assertThat(CompilerState.of(text("enabled", "stopped_count=1", ""))).isNull();
        assertThat(CompilerState.of(
                        text("enabled", "stopped_count=1", " full_count=2").replace("nmethods=763", "")))
                .isEqualTo(new CompilerState(true, 1, 2, ProcFile.UNKNOWN));
    }
}
