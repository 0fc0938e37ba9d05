package io.remora.dataplane;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.LogStand;
import io.remora.testkit.Setup;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a line says of the attempts behind an exchange, and of the trace that it is part of. */
final class AccessLogFieldsIT {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String TRACED =
            GET.replace("\r\n\r\n", "\r\ntraceparent: 00-" + TRACE + "-b7ad6b7169203331-01\r\n\r\n");

    @RegisterExtension
    final LogStand stand = new LogStand();

    /** Of one request. */
    private String line(Setup setup, String request) throws IOException {
        return stand.lines(setup, 1, request).get(0);
    }

    @Test
    void whatDoesNotApplyIsNull() throws IOException {
        assertThat(line(Setup.before(stand.backend), GET))
                .endsWith("\"cluster\":\"app\",\"trace_id\":null,\"attempts\":1,\"attempt_failure\":null,"
                        + "\"tls_version\":null,\"tls_cipher\":null,\"backend_version\":\"HTTP/1.1\","
                        + "\"grpc_status\":null}");
    }

    @Test
    void whatIsNotForwardedHasNoAttempt() throws IOException {
        String missed = GET.replace("/ ", "/elsewhere ");
        assertThat(line(Setup.before(stand.backend).routes("{ path: / }"), missed))
                .contains("\"status\":404", "\"cluster\":null", "\"attempts\":0", "\"backend_version\":null");
    }

    @Test
    void theTraceIsTheClientsWhereItIsValid() throws IOException {
        assertThat(line(Setup.before(stand.backend), TRACED)).contains("\"trace_id\":\"" + TRACE + '"');
        assertThat(stand.backend.requests().get(0).field("traceparent")).contains(TRACE);
    }

    @Test
    void aTraceThatIsNotValidIsNone() throws IOException {
        assertThat(line(Setup.before(stand.backend), TRACED.replace("-01\r", "-01\"\r")))
                .contains("\"trace_id\":null");
    }

    @Test
    void aStatusThatIsPassedOnIsNoFailedAttempt() throws IOException {
        stand.other.reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
        assertThat(line(Setup.before(stand.other), GET))
                .contains("\"status\":503,\"failure\":null", "\"attempts\":1,\"attempt_failure\":null");
    }

    @Test
    void aFailureIsThatOfItsAttempt() throws IOException {
        stand.other.reply("nonsense\r\n\r\n");
        assertThat(line(Setup.before(stand.other), GET))
                .contains("\"failure\":\"bad-response\"", "\"attempts\":1,\"attempt_failure\":\"bad-response\"");
    }
}
