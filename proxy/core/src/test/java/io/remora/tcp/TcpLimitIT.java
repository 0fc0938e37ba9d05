package io.remora.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that come faster than a rate limit allows, or from whom the listener is not for. */
@Contract
final class TcpLimitIT {
    private static final String TCP = "protocol: tcp\n";

    @RegisterExtension
    final Stand stand = new Stand();

    private String greeting() throws IOException {
        try (RawClient client = stand.client()) {
            return Wire.text(client.readToEnd());
        } catch (UncheckedIOException e) {
            // the reset may come before the client has seen that it is connected; nobody refuses
            assertThat(e).cause().hasMessageContaining("reset");
            return "";
        }
    }

    private void start(String listener) {
        stand.backend.onAccept(connection -> {
            connection.write("hello");
            connection.close();
        });
        stand.start(TCP + listener, TCP);
    }

    @ParameterizedTest
    @CsvSource({"all", "client"})
    void resetsTheConnectionsThatAreTooMany(String by) throws IOException {
        start("rate-limits: [{ rate: 1/m, burst: 2, by: " + by + " }]");
        assertThat(greeting()).isEqualTo("hello");
        assertThat(greeting()).isEqualTo("hello");
        assertThat(greeting()).isEmpty();
        assertThat(greeting()).isEmpty();
        stand.counted(Failure.RATE_LIMITED, 2);
        assertThat(stand.backend.connections()).hasSize(2);
    }

    @Test
    void resetsWhomItIsNotFor() throws IOException {
        start("clients: { allow: [10.0.0.0/8] }");
        assertThat(greeting()).isEmpty();
        stand.countedOnce(Failure.CLIENT_DENIED);
        assertThat(stand.backend.connections()).isEmpty();
    }
}
