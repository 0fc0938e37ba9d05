package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Fields;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Fields that mean nothing to the sidecar pass as they are: their order, their letters, their octets. */
@Contract
final class FieldsIT {
    private static final List<String> STRANGE = List.of(
            "x-lower: 1",
            "X-UPPER: 2",
            "x-MiXeD: 3",
            "x-lower: 4",
            "X-Lower: 5",
            "!#$%&'*+-.^_`|~09: token",
            "X-Empty:",
            "X-Latin: \u00e4\u00f6\u00fc\u00df\u00ff\u0080",
            "X-Utf8: \u00e2\u0082\u00ac",
            "X-Punctuation: \"a, b\"; c=\\\"; (d) <e> {f} [g] @ = /?",
            "X-Inner:  a  \t b",
            "Cookie: a=b; c=d",
            "Cookie: e=f",
            "Date: not a date",
            "Server: app",
            "Age: 5",
            "Accept: */*",
            "Pragma: no-cache");

    @RegisterExtension
    final Stand stand = new Stand();

    /** Lines without the white space around their values, which is no part of them. */
    private static List<String> expected(List<String> lines) {
        List<String> expected = new ArrayList<>();
        for (String line : lines) {
            int colon = line.indexOf(':');
            expected.add(
                    line.substring(0, colon) + ": " + line.substring(colon + 1).strip());
        }
        return expected;
    }

    private static List<String> lines(Fields fields) {
        return fields.lines().stream().map(Fields.Line::toString).toList();
    }

    private static String block(List<String> lines) {
        return String.join("\r\n", lines) + "\r\n";
    }

    @Test
    void towardsTheBackend() throws IOException {
        stand.start(
                "headers: { x-forwarded-for: off, x-forwarded-proto: off, x-forwarded-host: off, x-request-id: off }",
                "");
        RawClient client = stand.client();
        client.send("GET /\u007e?a=%00&b=+ HTTP/1.1\r\nhOST: App\r\n" + block(STRANGE) + "\r\n")
                .response();
        RawRequest request = stand.backend.requests().get(0);
        List<String> expected = new ArrayList<>(List.of("hOST: App"));
        expected.addAll(expected(STRANGE));
        expected.add("Via: 1.1 remora");
        assertThat(lines(request.fields())).isEqualTo(expected);
        assertThat(request.target()).isEqualTo("/~?a=%00&b=+");
    }

    @Test
    void towardsTheClient() throws IOException {
        stand.backend.reply("HTTP/1.1 299 Own R\u00e4ason\r\n" + block(STRANGE) + "content-LENGTH: 2\r\n\r\nok");
        RawClient client = stand.client();
        RawResponse response = client.send(Stand.GET).response();
        List<String> expected = expected(STRANGE);
        expected.add("content-LENGTH: 2");
        expected.add("Via: 1.1 remora");
        assertThat(lines(response.fields())).isEqualTo(expected);
        assertThat(response.status()).isEqualTo(299);
        assertThat(response.reason()).isEqualTo("Own R\u00e4ason");
    }

    @Test
    void fromAnOldClient() throws IOException {
        RawClient client = stand.client();
        client.send("GET / HTTP/1.0\r\nX-Lower: 1\r\n\r\n").readToEnd();
        RawRequest request = stand.backend.requests().get(0);
        assertThat(request.version()).isEqualTo("HTTP/1.1");
        assertThat(request.field("Via")).isEqualTo("1.0 remora");
        assertThat(request.field("Host")).isNotBlank();
    }

    /** Bodies are octets: none is changed, whatever it looks like. */
    @Test
    void bodiesAreOctets() throws IOException {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        String body = Wire.text(all) + "\r\n\r\n0\r\n\r\n";
        stand.backend.onRequest(connection -> {
            RawRequest request = connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + request.body().length
                    + "\r\n\r\n");
            connection.write(request.body());
        });
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Encoding: br\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body);
        RawResponse response = client.response();
        assertThat(response.bodyText()).isEqualTo(body);
        assertThat(response.field("Content-Encoding")).isEqualTo("gzip");
        assertThat(stand.backend.requests().get(0).field("Content-Encoding")).isEqualTo("br");
    }
}
