package io.remora.http2;

import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Rule;
import io.remora.testkit.AccessLogFile;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The rule that a refused request of HTTP/2 has broken, as the access log has it; a client that gets a response learns it as well. */
final class Http2RuleNamesIT {
    @TempDir
    private static Path directory;

    private static RecordingBackend backend;
    private static AccessLogFile log;
    private static Sidecar sidecar;
    /** Lines of the access log. */
    private static int logged;

    @BeforeAll
    static void start() {
        backend = RecordingBackend.start().replyOk();
        log = new AccessLogFile(directory.resolve("access.log"));
        sidecar = Sidecar.start(Setup.before(backend)
                .listener("protocol: http2\nerrors: detailed")
                .process(log.setting()));
    }

    @AfterAll
    static void stop() {
        sidecar.close();
        backend.close();
    }

    private static Arguments of(Rule rule, String... head) {
        return Arguments.of(rule, head);
    }

    private static String[] without(int pair, String... head) {
        String[] left = new String[head.length - 2];
        System.arraycopy(head, 0, left, 0, 2 * pair);
        System.arraycopy(head, 2 * pair + 2, left, 2 * pair, head.length - 2 * pair - 2);
        return left;
    }

    static Stream<Arguments> heads() {
        String[] rooted = GET.clone();
        rooted[7] = "a";
        return Stream.of(
                of(Rule.PSEUDO_FIELD, without(1, GET)),
                of(Rule.PSEUDO_FIELD, with(GET, ":path", "/")),
                of(Rule.PSEUDO_FIELD, with(GET, "a", "b", ":unknown", "/")),
                of(Rule.FIELD_NAME, with(GET, "Ab", "c")),
                of(Rule.FIELD_VALUE, with(GET, "a", "b\u0001")),
                of(Rule.CONNECTION_FIELD, with(GET, "connection", "close")),
                of(Rule.CONNECTION_FIELD, with(GET, "te", "gzip")),
                of(Rule.LENGTH, with(POST, "content-length", "00")),
                of(Rule.HOST_DIFFERS, with(GET, "host", "other")),
                of(Rule.HOST_REPEATED, with(GET, "host", "app", "host", "app")),
                of(Rule.HOST_INVALID, with(GET, "host", "a b")),
                of(Rule.HOST_MISSING, without(2, GET)),
                of(Rule.TARGET, rooted),
                of(Rule.UNDERSCORE, with(GET, "content_length", "1")),
                of(Rule.HIDDEN_BODY, with(GET, "sec-websocket-key1", "a", "sec-websocket-key2", "a")),
                of(Rule.CONNECT_PORT, ":method", "CONNECT", ":authority", "app:x"),
                of(Rule.CONTENT_OF_CONNECT, with(GET, ":protocol", "websocket", "content-length", "0")));
    }

    @ParameterizedTest
    @MethodSource("heads")
    void aRequestThatIsRefusedSaysWhy(Rule rule, String[] head) throws IOException {
        if (rule == Rule.CONTENT_OF_CONNECT) {
            head[1] = "CONNECT";
        }
        try (FrameClient client = FrameClient.connect(sidecar.address())) {
            client.headers(1, true, head);
            FrameClient.Answer answer = client.answer(1);
            if (answer.reset < 0) {
                assertThat(answer.status()).isEqualTo(400);
                assertThat(answer.field("remora-reason")).isEqualTo(rule.label());
            }
            assertThat(log.line(++logged)).contains(",\"reason\":\"" + rule.label() + "\",");
        }
    }

    @Test
    void framesThatDoNotFitTheirStreamSaySo() throws IOException {
        try (FrameClient client = FrameClient.connect(sidecar.address())) {
            client.headers(1, false, with(POST, "content-length", "3")).data(1, true, "four");
            client.answer(1);
            assertThat(log.line(++logged)).contains("\"failure\":\"bad-request\",\"reason\":\"http2-frames\",");
        }
    }

    @Test
    void whatCouldBeReadStandsInTheLog() throws IOException {
        String[] head = GET.clone();
        head[7] = "/a?b=c";
        try (FrameClient client = FrameClient.connect(sidecar.address())) {
            client.headers(1, true, with(head, "user-agent", "curl/8", "connection", "close"));
            client.answer(1);
            assertThat(log.line(++logged))
                    .contains(
                            "\"method\":\"GET\",\"target\":\"/a?b=c\",\"version\":\"HTTP/2\",\"host\":\"app\"",
                            "\"user_agent\":\"curl/8\"");
        }
    }
}
