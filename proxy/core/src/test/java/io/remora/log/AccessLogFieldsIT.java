package io.remora.log;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.FreePort;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a line says of the attempts behind an exchange, and of the trace that it is part of. */
@Contract
final class AccessLogFieldsIT {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String TRACED =
            GET.replace("\r\n\r\n", "\r\ntraceparent: 00-" + TRACE + "-b7ad6b7169203331-01\r\n\r\n");

    @AutoClose
    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @AutoClose
    private final RecordingBackend other = RecordingBackend.start();

    @TempDir
    private Path directory;

    /** Of one request. */
    private String line(Setup setup, String request) throws IOException {
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        return log.lines(setup, 1, request).get(0);
    }

    @Test
    void whatDoesNotApplyIsNull() throws IOException {
        assertThat(line(Setup.before(backend), GET))
                .endsWith("\"cluster\":\"app\",\"trace_id\":null,\"attempts\":1,\"attempt_failure\":null,"
                        + "\"tls_version\":null,\"tls_cipher\":null,\"backend_version\":\"HTTP/1.1\","
                        + "\"grpc_status\":null}");
    }

    @Test
    void whatIsNotForwardedHasNoAttempt() throws IOException {
        String missed = GET.replace("/ ", "/elsewhere ");
        assertThat(line(Setup.before(backend).routes("{ path: / }"), missed))
                .contains("\"status\":404", "\"cluster\":null", "\"attempts\":0", "\"backend_version\":null");
    }

    @Test
    void theTraceIsTheClientsWhereItIsValid() throws IOException {
        assertThat(line(Setup.before(backend), TRACED)).contains("\"trace_id\":\"" + TRACE + '"');
        assertThat(backend.requests().get(0).field("traceparent")).contains(TRACE);
    }

    @Test
    void anInvalidTraceIsNull() throws IOException {
        assertThat(line(Setup.before(backend), TRACED.replace("-01\r", "-01\"\r")))
                .contains("\"trace_id\":null");
    }

    @Test
    void aStatusThatIsPassedOnIsNoFailedAttempt() throws IOException {
        other.reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
        assertThat(line(Setup.before(other), GET))
                .contains("\"status\":503,\"failure\":null", "\"attempts\":1,\"attempt_failure\":null");
    }

    /** A wait in vain is a wait, as Server-Timing says it. */
    @Test
    void anEndpointThatDoesNotAnswerHasBeenWaitedFor() throws IOException {
        other.onRequest(connection -> connection.readRequest());
        Setup setup = Setup.before(other).cluster("timeouts: { response-header: 50ms }");
        String line = line(setup, GET);
        assertThat(line).contains("\"status\":504", "\"backend_version\":\"HTTP/1.1\"");
        assertThat(micros(line, "backend_us")).isBetween(45_000L, micros(line, "total_us"));
        assertThat(micros(line, "proxy_us")).isBetween(0L, micros(line, "total_us"));
    }

    private static long micros(String line, String field) {
        String from = line.substring(line.indexOf(field) + field.length() + 2);
        return Long.parseLong(from.substring(0, from.indexOf(',')));
    }

    /** The endpoint answers once, and is gone before the request is sent again. */
    @Test
    void whatWasSpokenIsOfTheLastAttempt() throws Exception {
        // none that a connection of somebody else's may have, which would then be there to connect to
        try (ServerSocket once = new ServerSocket(FreePort.next(), 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> answerOnce(once));
            Setup setup = Setup.at(once.getLocalPort()).cluster("retries: { statuses: [503], attempts: 2 }");
            String line = line(setup, GET);
            answered.get(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS);
            assertThat(line)
                    .contains("\"status\":502", "\"failure\":\"connect-failed\"")
                    .contains("\"endpoint\":\"127.0.0.1:" + once.getLocalPort())
                    .contains("\"backend_version\":null");
        }
    }

    private static void answerOnce(ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            listening.close();
            int ends = 0;
            while (ends < 2) {
                int octet = socket.getInputStream().read();
                ends = octet == '\n' ? ends + 1 : octet == '\r' ? ends : 0;
            }
            socket.getOutputStream()
                    .write("HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aFailureIsThatOfItsAttempt() throws IOException {
        other.reply("nonsense\r\n\r\n");
        assertThat(line(Setup.before(other), GET))
                .contains("\"failure\":\"bad-response\"", "\"attempts\":1,\"attempt_failure\":\"bad-response\"");
    }
}
