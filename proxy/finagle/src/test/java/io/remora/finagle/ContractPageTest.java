package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The exceptions of the contract are on the page of engines, and name tests that are there. */
final class ContractPageTest {
    @Test
    void thePageHasEachReason() throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "engines.md"));
        for (String reason : ContractExceptions.reasons().values()) {
            int colon = reason.indexOf(':');
            String number = reason.substring(0, colon);
            assertThat(page).containsPattern("\\| " + number + " \\|.*\\Q" + reason.substring(colon + 2) + "\\E \\|");
        }
    }

    @Test
    void eachTestIsThere() throws ClassNotFoundException {
        for (Map.Entry<String, String> each : ContractExceptions.reasons().entrySet()) {
            String[] test = each.getKey().split("#", 2);
            assertThat(Class.forName(test[0]).getDeclaredMethods())
                    .anySatisfy(method -> assertThat(method.getName()).isEqualTo(test[1]));
        }
    }
}
