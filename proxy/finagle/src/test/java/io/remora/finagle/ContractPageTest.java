package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The exceptions of the contract are on the page of the contract, and name tests that are there. */
final class ContractPageTest {
    @Test
    void thePageHasEachReason() throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "engine-contract.md"));
        for (String reason : ContractExceptions.reasons().values()) {
            int colon = reason.indexOf(':');
            String number = reason.substring(0, colon);
            assertThat(page).containsPattern("\\| " + number + " \\|.*\\Q" + reason.substring(colon + 2) + "\\E \\|");
        }
    }

    @Test
    void eachTestIsThere() throws ClassNotFoundException {
        for (String each : ContractExceptions.reasons().keySet()) {
            String[] test = each.split("#", 2);
            Class<?> in = Class.forName(test[0]);
            if (test.length == 2) {
                assertThat(in.getDeclaredMethods())
                        .anySatisfy(method -> assertThat(method.getName()).isEqualTo(test[1]));
            }
        }
    }

    /** What is no refusal is a warning, and a warning is no surprise to who has read the page. */
    @Test
    void eachDifferenceHasATest() {
        for (Difference each : Difference.values()) {
            assertThat(ContractExceptions.reasons()).containsValue(each.text());
        }
    }
}
