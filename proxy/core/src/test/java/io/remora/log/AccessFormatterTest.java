package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.log.AccessLogConfig.Format;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AccessFormatterTest {
    @Test
    void jsonHasEveryFieldInOrder() throws IOException {
        String line = line(Format.JSON, Entries.entry("/a?b=c", null, "curl/8"));
        assertThat(line)
                .isEqualTo("{\"time\":\"2026-01-02T03:04:05.067Z\",\"listener\":\"ingress\",\"client\":\"10.1.2.3\","
                        + "\"identity\":\"spiffe://mesh/ns/a/sa/b\",\"method\":\"GET\",\"target\":\"/a?b=c\",\"version\":\"HTTP/1.1\",\"host\":\"example.org\","
                        + "\"status\":200,\"failure\":null,\"reason\":null,\"request_bytes\":12,\"response_bytes\":3456,"
                        + "\"total_us\":1234,\"backend_us\":1100,\"proxy_us\":134,\"route\":\"app\","
                        + "\"endpoint\":\"127.0.0.1:8081\",\"request_id\":\"01JAB\",\"referer\":null,"
                        + "\"user_agent\":\"curl/8\",\"cluster\":\"app\","
                        + "\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\",\"attempts\":2,"
                        + "\"attempt_failure\":\"connect-failed\",\"tls_version\":\"TLSv1.3\","
                        + "\"tls_cipher\":\"TLS_AES_128_GCM_SHA256\",\"backend_version\":\"HTTP/2\","
                        + "\"grpc_status\":\"ok\"}\n");
    }

    @Test
    void jsonOfAFailureBeforeTheRequestWasUnderstood() throws IOException {
        AccessEntry entry = new AccessEntry(
                0,
                "in",
                "::1",
                null,
                "-",
                "-",
                "-",
                null,
                400,
                "bad-request",
                "bare-lf",
                0,
                0,
                90,
                0,
                90,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                0,
                null,
                null,
                null,
                null,
                null);
        Map<String, Object> json = StrictJson.object(line(Format.JSON, entry).strip());
        assertThat(json)
                .containsEntry("failure", "bad-request")
                .containsEntry("status", 400L)
                .containsEntry("route", null)
                .containsEntry("time", "1970-01-01T00:00:00.000Z")
                .containsEntry("reason", "bare-lf")
                .hasSize(29);
    }

    @Test
    void everyCharacterSurvivesJson() throws IOException {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 0x180; c++) {
            all.append(c);
        }
        all.append("\u2028\u2029\uffff\ud800");
        String line = line(Format.JSON, Entries.entry(all.toString(), all.toString(), null));
        assertThat(line.indexOf('\n')).isEqualTo(line.length() - 1);
        Map<String, Object> json = StrictJson.object(line.substring(0, line.length() - 1));
        assertThat(json).containsEntry("target", all.toString()).containsEntry("referer", all.toString());
    }

    @Test
    void combinedHasThreeTimesAndTheFailureBehindIt() throws IOException {
        assertThat(line(Format.COMBINED, Entries.entry("/a", "http://r/", "curl/8")))
                .isEqualTo(
                        "10.1.2.3 - spiffe://mesh/ns/a/sa/b [02/Jan/2026:03:04:05 +0000] \"GET /a HTTP/1.1\" 200 3456 \"http://r/\""
                                + " \"curl/8\" 1234 1100 134 -\n");
        assertThat(line(Format.COMBINED, Entries.entry("/a", null, ""))).contains(" 3456 \"-\" \"-\" 1234 ");
    }

    @Test
    void combinedCannotBeForged() throws IOException {
        String evil = "x\" 200 0 \"-\" \"-\"\r\n6.6.6.6 - - \\ \u00e9 \u0100 \0";
        String line = line(Format.COMBINED, Entries.entry("/a", evil, evil));
        assertThat(line).contains("\"x\\\" 200 0 \\\"-\\\" \\\"-\\\"\\x0d\\x0a6.6.6.6 - - \\\\ \\xe9 \\u0100 \\x00\"");
        assertThat(line.indexOf('\n')).isEqualTo(line.length() - 1);
    }

    @Test
    void aSecondsTextIsReusedOnlyWithinTheSecond() throws IOException {
        AccessFormatter formatter = new AccessFormatter(Format.JSON);
        LineBuffer lines = new LineBuffer();
        for (long timeMs : new long[] {999, 1_000, 1_999, 2_000, 500}) {
            formatter.append(
                    lines,
                    new AccessEntry(
                            timeMs, "l", "c", null, "m", "t", "v", null, 0, null, null, 0, 0, 0, 0, 0, null, null, null,
                            null, null, null, null, 0, null, null, null, null, null));
        }
        assertThat(text(lines).lines().map(line -> StrictJson.object(line).get("time")))
                .containsExactly(
                        "1970-01-01T00:00:00.999Z",
                        "1970-01-01T00:00:01.000Z",
                        "1970-01-01T00:00:01.999Z",
                        "1970-01-01T00:00:02.000Z",
                        "1970-01-01T00:00:00.500Z");
    }

    @Test
    void numbers() throws IOException {
        LineBuffer lines = new LineBuffer();
        for (long value : new long[] {0, 9, 10, 99, 100, Long.MAX_VALUE, -1}) {
            lines.append(value);
            lines.append(' ');
        }
        assertThat(text(lines)).isEqualTo("0 9 10 99 100 9223372036854775807 0 ");
    }

    static String line(Format format, AccessEntry entry) throws IOException {
        LineBuffer lines = new LineBuffer();
        new AccessFormatter(format).append(lines, entry);
        return text(lines);
    }

    private static String text(LineBuffer lines) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        lines.writeTo(out);
        return out.toString(StandardCharsets.US_ASCII);
    }
}
