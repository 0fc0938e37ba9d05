package io.remora.log;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A line for every exchange, however it ended. */
@Contract
final class AccessLogIT {
    @RegisterExtension
    final Stand stand = new Stand();

    private AccessLogFile log;

    @BeforeEach
    void start(@TempDir Path directory) {
        log = new AccessLogFile(directory.resolve("access.log"));
        stand.start(Setup.before(stand.backend).process(log.setting()));
    }

    @Test
    void tellsOfGoodExchanges() throws IOException {
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        assertThat(log.lines(1).get(0)).contains("\"client\":\"127.0.0.1\"", "\"status\":200", "\"/\"");
    }

    @Test
    void tellsOfFailures() throws IOException {
        stand.backend.reply("nonsense\r\n\r\n");
        assertThat(stand.get().status()).isEqualTo(502);
        assertThat(log.lines(1).get(0)).contains("\"status\":502", Failure.BAD_RESPONSE.label());
    }

    /**
     * Read and refused when the client has reset the connection already: nobody can be asked for its address any more.
     */
    @Test
    void tellsOfClientsThatAreGone() throws IOException {
        RawClient refused = stand.client();
        RawClient served = stand.client();
        stand.sidecar().barrier();
        stand.sidecar().stall(() -> {
            refused.send("GET / HTTP/9.9\r\nHost: app\r\n\r\n").reset();
            served.send(GET).reset();
        });
        List<String> lines = log.lines(2);
        assertThat(lines).allMatch(line -> line.contains("\"client\":\"127.0.0.1\""));
        assertThat(stand.failures(Failure.INTERNAL)).isZero();
    }
}
