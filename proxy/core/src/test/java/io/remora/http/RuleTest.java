package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RuleTest {
    /** A refusal may carry any of them. */
    @ParameterizedTest
    @EnumSource(Rule.class)
    void isOnTheUsersPage(Rule rule) throws IOException {
        String name = "`" + rule.label() + "`";
        String page = Files.readString(Path.of("..", "..", "docs", "http-conformance.md"));
        assertThat(page)
                .as("a row, or the paragraph on names that are no rules of HTTP")
                .containsPattern("\\n\\| \\Q" + name
                        + "\\E \\||\\nThree names are no rules of HTTP(?:[^\\n]+\\n)*?[^\\n]*\\Q" + name + "\\E");
    }
}
