package io.remora.compilelog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CompileLogOptionsTest {
    @Test
    void readsOptionsInAnyOrder() {
        CompileLogOptions options = CompileLogOptions.of(
                "compile-log vm.log --from 5 --to 9 --json --html p.html c1.log --latency l.hlog --tag in.proxy --top 3"
                        .split(" "));
        assertThat(options)
                .isEqualTo(new CompileLogOptions(
                        List.of("vm.log", "c1.log"),
                        true,
                        "p.html",
                        "l.hlog",
                        "in.proxy",
                        new Window(5_000, 9_000),
                        3));
        assertThat(CompileLogOptions.of(new String[] {"compile-log", "-"}))
                .isEqualTo(new CompileLogOptions(List.of("-"), false, null, null, null, Window.ALL, 20));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "compile-log",
                "compile-log --json",
                "compile-log x --html",
                "compile-log x --from -1",
                "compile-log x --from 5 --to 5",
                "compile-log x --to 1e3",
                "compile-log x --top 0",
                "compile-log x --top 10001",
                "compile-log x --from 9999999999",
                "compile-log x --unknown",
                "compile-log x --html a --html b",
            })
    void isNoneForAnyOtherCommandLine(String line) {
        assertThat(CompileLogOptions.of(line.split(" "))).isNull();
    }
}
