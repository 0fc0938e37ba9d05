package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ForwardingTest {
    private static final String[] SENT = {
        "X-Forwarded-For: 1.1.1.1",
        "x-forwarded-for: 2.2.2.2",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: b",
        "Forwarded: for=1.1.1.1"
    };

    private static List<String> applied(ForwardingMode mode, String authority, String client, String... lines) {
        HeaderPolicy policy = new HeaderPolicy(
                mode, mode, mode, mode, ForwardingMode.SANITIZE, false, RequestIdMode.OFF, Underscores.PASS);
        RequestHead head = Heads.requestTo(authority, "GET", "/", lines);
        new Forwarding(policy, false).apply(head, client, client, "http");
        return Heads.lines(head.fields);
    }

    @Test
    void tellsWhoAsked() {
        for (ForwardingMode mode : List.of(ForwardingMode.APPEND, ForwardingMode.REPLACE)) {
            assertThat(applied(mode, "app", "10.0.0.1", "X: y"))
                    .containsExactly(
                            "X: y",
                            "X-Forwarded-For: 10.0.0.1",
                            "X-Forwarded-Proto: http",
                            "X-Forwarded-Host: app",
                            "Forwarded: for=10.0.0.1;host=app;proto=http");
        }
    }

    @Test
    void appendsToWhatThereIsAsOneLine() {
        assertThat(applied(ForwardingMode.APPEND, "app", "10.0.0.1", SENT))
                .containsExactlyInAnyOrder(
                        "X-Forwarded-For: 1.1.1.1, 2.2.2.2, 10.0.0.1",
                        "X-Forwarded-Proto: https, http",
                        "X-Forwarded-Host: b, app",
                        "Forwarded: for=1.1.1.1, for=10.0.0.1;host=app;proto=http");
    }

    @Test
    void replacesWhatThereIs() {
        assertThat(applied(ForwardingMode.REPLACE, "app", "10.0.0.1", SENT))
                .containsExactlyInAnyOrder(
                        "X-Forwarded-For: 10.0.0.1",
                        "X-Forwarded-Proto: http",
                        "X-Forwarded-Host: app",
                        "Forwarded: for=10.0.0.1;host=app;proto=http");
    }

    @Test
    void leavesItAllWhereItIsOff() {
        assertThat(applied(ForwardingMode.OFF, "app", "10.0.0.1", SENT)).containsExactly(SENT);
        assertThat(applied(ForwardingMode.OFF, "app", "10.0.0.1")).isEmpty();
    }

    /** One of the fields being there does not mean that the others are. */
    @Test
    void appendsToOneAndAddsTheOthers() {
        assertThat(applied(ForwardingMode.APPEND, "app", "10.0.0.1", "X-Forwarded-Proto: https"))
                .containsExactlyInAnyOrder(
                        "X-Forwarded-For: 10.0.0.1",
                        "X-Forwarded-Proto: https, http",
                        "X-Forwarded-Host: app",
                        "Forwarded: for=10.0.0.1;host=app;proto=http");
    }

    @ParameterizedTest
    @CsvSource({
        "app, ::1, 'for=\"[::1]\";host=app;proto=http'",
        "app:80, 10.0.0.1, 'for=10.0.0.1;host=\"app:80\";proto=http'",
        "[::1], 10.0.0.1, 'for=10.0.0.1;host=\"[::1]\";proto=http'",
    })
    void quotesWhatIsNoToken(String authority, String client, String expected) {
        assertThat(applied(ForwardingMode.APPEND, authority, client)).contains("Forwarded: " + expected);
    }
}
