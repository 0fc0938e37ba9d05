package io.remora.dataplane;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a line says of the attempts behind an exchange, and of the trace that it is part of. */
final class AccessLogFieldsIT {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String TRACED =
            GET.replace("\r\n\r\n", "\r\ntraceparent: 00-" + TRACE + "-b7ad6b7169203331-01\r\n\r\n");

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private final RecordingBackend other = RecordingBackend.start();
    private AccessLogFile log;

    @BeforeEach
    void newLog(@TempDir Path directory) {
        log = new AccessLogFile(directory.resolve("access.log"));
    }

    @AfterEach
    void close() {
        backend.close();
        other.close();
    }

    /** The lines of so many requests one after another. */
    private List<String> lines(Setup setup, int requests, String request) throws IOException {
        try (Sidecar sidecar = Sidecar.start(setup.process(log.setting()));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < requests; i++) {
                client.send(request).response();
            }
            return log.lines(requests);
        }
    }

    @Test
    void whatDoesNotApplyIsNull() throws IOException {
        assertThat(lines(Setup.before(backend), 1, GET).get(0))
                .endsWith("\"cluster\":\"app\",\"trace_id\":null,\"attempts\":1,\"attempt_failure\":null,"
                        + "\"tls_version\":null,\"tls_cipher\":null,\"backend_version\":\"HTTP/1.1\","
                        + "\"grpc_status\":null}");
    }

    @Test
    void whatIsNotForwardedHasNoAttempt() throws IOException {
        String missed = GET.replace("/ ", "/elsewhere ");
        assertThat(lines(Setup.before(backend).routes("{ path: / }"), 1, missed).get(0))
                .contains("\"status\":404", "\"cluster\":null", "\"attempts\":0", "\"backend_version\":null");
    }

    @Test
    void theTraceIsTheClientsWhereItIsValid() throws IOException {
        assertThat(lines(Setup.before(backend), 1, TRACED).get(0)).contains("\"trace_id\":\"" + TRACE + '"');
        assertThat(backend.requests().get(0).field("traceparent")).contains(TRACE);
    }

    @Test
    void aTraceThatIsNotValidIsNone() throws IOException {
        assertThat(lines(Setup.before(backend), 1, TRACED.replace("-01\r", "-01\"\r"))
                        .get(0))
                .contains("\"trace_id\":null");
    }

    @Test
    void aStatusThatIsPassedOnIsNoFailedAttempt() throws IOException {
        other.reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
        assertThat(lines(Setup.before(other), 1, GET).get(0))
                .contains("\"status\":503,\"failure\":null", "\"attempts\":1,\"attempt_failure\":null");
    }

    @Test
    void aFailureIsThatOfItsAttempt() throws IOException {
        other.reply("nonsense\r\n\r\n");
        assertThat(lines(Setup.before(other), 1, GET).get(0))
                .contains("\"failure\":\"bad-response\"", "\"attempts\":1,\"attempt_failure\":\"bad-response\"");
    }
}
