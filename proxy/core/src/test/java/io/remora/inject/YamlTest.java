package io.remora.inject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.json.JsonWriter;
import io.remora.json.Verbatim;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading and writing of YAML: every text comes back as the same text, and every other value as it was written. */
final class YamlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a ",
                " a",
                "yes",
                "No",
                "ON",
                "y",
                "true",
                "null",
                "~",
                "=",
                "<<",
                "1",
                "-1",
                "1e3",
                "0x1F",
                "0o7",
                "010",
                "1_000",
                "1:30",
                ".5",
                "1.",
                ".inf",
                "-.Inf",
                ".NaN",
                "2026-11-28",
                "2026-11-28T12:00:00Z",
                "-",
                "--",
                "---",
                "- a",
                "...",
                "--port",
                "-c",
                "?",
                "? a",
                ":",
                "a:",
                "a: b",
                "a:b",
                "#",
                "a #b",
                "a#b",
                "&a",
                "*a",
                "!a",
                "|",
                ">",
                "%a",
                "@a",
                "`a",
                "'a'",
                "\"a\"",
                "it's \"it\"",
                "[a]",
                "{a: b}",
                "a, b",
                "a\nb",
                "a\nb\n",
                "a\n\nb\n\n",
                "\na",
                " a\nb",
                "a \nb",
                "a\n  b",
                "\t",
                "a\tb",
                "\r\n",
                "\0",
                "\u0085",
                "\u2028",
                "\ufeff",
                "é",
                "\uD83D\uDE00",
                "10.0.0.1",
                "::1",
                "1Gi",
                "100m",
                "https://a.test/?b=c&d",
                "a\\b",
                "\\"
            })
    void givesEachTextBack(String text) throws Exception {
        Map<String, @Nullable Object> tree =
                Trees.of("value", text, "list", List.of(text, Trees.of("in", text)), "key", Trees.of(text + "k", 1L));
        assertThat(Injected.tree(YamlWriter.write(tree))).isEqualTo(tree);
        assertThat(Injected.tree(JsonWriter.line(tree))).isEqualTo(tree);
    }

    @Test
    void keepsValuesThatReadersDisagreeOn() throws Exception {
        String text = "a: 0644\nb: yes\nc: 1.50\nd: 2026-11-28\ne: 12\nf: true\ng: null\nh: {}\ni: []\n";
        Map<String, @Nullable Object> tree = Injected.tree(text);
        assertThat(tree)
                .containsEntry("a", new Verbatim("0644"))
                .containsEntry("b", new Verbatim("yes"))
                .containsEntry("e", 12L)
                .containsEntry("f", true)
                .containsEntry("g", null);
        assertThat(YamlWriter.write(tree)).isEqualTo(text);
    }

    @Test
    void resolvesAnchorsAndMergeKeysIntoValuesByThemselves() throws Exception {
        Map<String, @Nullable Object> tree =
                Injected.tree("a: &x {k: 1, l: [2]}\nb: *x\nc: {<<: *x, k: 3}\nd: {<<: [*x, {m: 4}]}\ne: !!str 5\n");
        assertThat(tree)
                .isEqualTo(Injected.tree("a: {k: 1, l: [2]}\nb: {k: 1, l: [2]}\nc: {k: 3, l: [2]}\n"
                        + "d: {k: 1, l: [2], m: 4}\ne: '5'\n"));
        Trees.map(tree, "a").put("k", 9L);
        assertThat(Trees.map(tree, "b")).containsEntry("k", 1L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a: 1\\na: 2|test.yaml:2:1: the key 'a' stands twice",
                "a: *b|test.yaml:1:4: the alias *b has no anchor",
                "a: !x 1|test.yaml:1:4: the tag !x is not supported",
                "[a]: 1|test.yaml:1:1: a key that is no text",
                "a: [|not YAML",
            })
    void namesThePlaceOfAProblem(String text, String problem) {
        assertThatThrownBy(() -> Injected.tree(text.replace("\\n", "\n"))).hasMessageContaining(problem);
    }

    @Test
    void boundsLevelsAndRepetitions() {
        assertThatThrownBy(() -> Injected.tree("[".repeat(80) + "]".repeat(80))).hasMessageContaining("64 levels");
        StringBuilder laughs = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 9; i++) {
            String before = "*a" + (i - 1);
            laughs.append("a" + i + ": &a" + i + " [" + (before + ", ").repeat(9) + before + "]\n");
        }
        assertThatThrownBy(() -> Injected.tree(laughs.toString())).hasMessageContaining("1000000 values");
    }
}
