package io.remora.log;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.DeadPort;
import io.remora.testkit.LogStand;
import io.remora.testkit.Setup;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a line of the access log says of attempts that others followed; by the rules of the default engine. */
final class AttemptsLogIT {
    @RegisterExtension
    final LogStand stand = new LogStand();

    @Test
    void aRetryLeavesTheReasonBehind() throws IOException {
        stand.other.reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
        Setup setup =
                Setup.before(stand.backend, stand.other).cluster("balancer: round-robin\nretries: {back-off: 1ms}");
        List<String> lines = stand.lines(setup, 2, GET);
        assertThat(lines).allMatch(line -> line.contains("\"status\":200,\"failure\":null"));
        // a retry takes a turn as well
        assertThat(lines)
                .allMatch(line -> line.contains("\"attempts\":2,\"attempt_failure\":\"status-503\"")
                        || line.contains("\"attempts\":1,\"attempt_failure\":null"));
        assertThat(lines).anyMatch(line -> line.contains("\"attempts\":2"));
    }

    @Test
    void soDoesAnotherEndpoint() throws IOException {
        try (DeadPort dead = new DeadPort()) {
            Setup setup = Setup.at(dead.port()).and(stand.backend).cluster("balancer: round-robin");
            List<String> lines = stand.lines(setup, 2, GET);
            assertThat(lines).allMatch(line -> line.contains("\"status\":200,\"failure\":null"));
            assertThat(lines).anyMatch(line -> line.contains("\"attempts\":2,\"attempt_failure\":\"connect-failed\""));
        }
    }
}
