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
        assertThat(Files.readAllLines(Path.of("..", "..", "docs", "http-conformance.md")))
                .anyMatch(line -> line.startsWith("| " + name + " |")
                        || line.startsWith("Three names are no rules of HTTP") && line.contains(name));
    }
}
