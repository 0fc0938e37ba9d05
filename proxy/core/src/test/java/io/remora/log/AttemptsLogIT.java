package io.remora.log;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a line of the access log says of attempts that others followed; by the rules of the default engine. */
final class AttemptsLogIT {
    @AutoClose
    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @AutoClose
    private final RecordingBackend other = RecordingBackend.start();

    @TempDir
    private Path directory;

    private List<String> lines(Setup setup, int requests) throws IOException {
        return new AccessLogFile(directory.resolve("access.log")).lines(setup, requests, GET);
    }

    @Test
    void aRetryLeavesTheReasonBehind() throws IOException {
        other.reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
        Setup setup = Setup.before(backend, other).cluster("balancer: round-robin\nretries: {back-off: 1ms}");
        List<String> lines = lines(setup, 2);
        assertThat(lines).allMatch(line -> line.contains("\"status\":200,\"failure\":null"));
        // a retry takes a turn as well
        assertThat(lines)
                .allMatch(line -> line.contains("\"attempts\":2,\"attempt_failure\":\"status-503\"")
                        || line.contains("\"attempts\":1,\"attempt_failure\":null"));
        assertThat(lines).anyMatch(line -> line.contains("\"attempts\":2"));
    }

    @Test
    void anotherEndpointLeavesTheReasonBehind() throws IOException {
        try (DeadPort dead = new DeadPort()) {
            Setup setup = Setup.at(dead.port()).and(backend).cluster("balancer: round-robin");
            List<String> lines = lines(setup, 2);
            assertThat(lines).allMatch(line -> line.contains("\"status\":200,\"failure\":null"));
            assertThat(lines).anyMatch(line -> line.contains("\"attempts\":2,\"attempt_failure\":\"connect-failed\""));
        }
    }
}
