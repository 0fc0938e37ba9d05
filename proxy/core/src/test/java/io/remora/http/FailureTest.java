package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.ReferencePage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FailureTest {
    /** The contract tests know the failures by what users see of them: this table is theirs, and must be whole. */
    @Test
    void areWhatTheContractTestsKnow() {
        assertThat(Failure.values())
                .extracting(failure -> failure.label() + " " + failure.status())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(io.remora.testkit.Failure.values())
                        .map(failure -> failure.label() + " " + failure.status())
                        .toList());
    }

    /** With {@code -Dremora.page=write} (make docs) it writes the table instead of judging it. */
    @Test
    void haveARowEachInTheReference() throws IOException {
        Map<String, String> when = ReferencePage.comments("http/Failure.java");
        List<String> rows = new ArrayList<>();
        rows.add("| label | status | gRPC status | fault of | HTTP/1 connection | another attempt | body | when |");
        rows.add("|---|---|---|---|---|---|---|---|");
        for (Failure failure : Failure.values()) {
            rows.add(String.join(
                    " | ",
                    "| `" + failure.label() + "`",
                    Integer.toString(failure.status()),
                    GrpcStatus.of(failure).name(),
                    faultOf(failure),
                    failure.closesFrontend() ? "closes" : "stays open",
                    word(failure.repeat()),
                    failure.text().isEmpty() ? "none" : failure.text(),
                    when.get(failure.name()) + " |"));
        }
        assertThat(when).containsKeys(names(Failure.values()));
        ReferencePage.holds("failures.md", "failures", rows);
    }

    @Test
    void haveTheAttemptsThatMayFollowInTheReference() throws IOException {
        Map<String, String> comments = ReferencePage.comments("http/Failure.java");
        List<String> rows = new ArrayList<>(List.of("| another attempt | meaning |", "|---|---|"));
        for (Failure.Repeat repeat : Failure.Repeat.values()) {
            rows.add("| " + word(repeat) + " | " + comments.get(repeat.name()) + " |");
        }
        assertThat(comments).containsKeys(names(Failure.Repeat.values()));
        ReferencePage.holds("failures.md", "attempts", rows);
    }

    private static String faultOf(Failure failure) {
        if (failure.isBackends()) {
            return "endpoint";
        }
        return switch (failure) {
            case INTERNAL -> "sidecar";
            // neither side has moved
            case TUNNEL_IDLE -> "nobody";
            case CONNECT_REFUSED, UNKNOWN_TRANSFER_CODING, UNSUPPORTED_VERSION, LOOP -> "client";
            default -> failure.status() < 500 ? "client" : "nobody";
        };
    }

    private static String word(Failure.Repeat repeat) {
        return repeat.name().toLowerCase(Locale.ROOT);
    }

    private static String[] names(Enum<?>[] all) {
        return Arrays.stream(all).map(Enum::name).toArray(String[]::new);
    }

    @Test
    void haveEachLabelOnce() {
        assertThat(Failure.labels()).doesNotHaveDuplicates();
        for (Failure failure : Failure.values()) {
            assertThat(Failure.labels()).contains(failure.label());
        }
    }

    /** A response of the sidecar's own has a text; what reaches nobody has none. */
    @Test
    void sayWhatIsWrong() {
        for (Failure failure : Failure.values()) {
            assertThat(failure.text().isEmpty()).as(failure.label()).isEqualTo(failure.withoutResponse());
            assertThat(failure.retryLater()).as(failure.label()).isEqualTo(failure.status() == 503);
        }
    }
}
