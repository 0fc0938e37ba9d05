package io.remora.http.rules;

import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.chunked;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.ok;
import static io.remora.http.rules.Messages.post;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What once went through a Netty HTTP/1 codec, sent again. */
@Contract
final class AdvisoriesIT {
    private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: app\r\n\r\n";

    @RegisterExtension
    static final Bench BENCH = new Bench();

    @Test
    @DisplayName("CVE-2019-16869: white space before the colon of Transfer-Encoding")
    void advisory_CVE_2019_16869() {
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Transfer-Encoding : chunked"), 400);
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Content-Length: 5", "Transfer-Encoding\t: chunked"), 400);
    }

    @Test
    @DisplayName("CVE-2019-20444: a field line without a colon")
    void advisory_CVE_2019_20444() {
        BENCH.refused(get("Foo"), 400);
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Transfer-Encoding chunked"), 400);
    }

    @Test
    @DisplayName("CVE-2019-20445: Content-Length beside another one or Transfer-Encoding")
    void advisory_CVE_2019_20445() {
        BENCH.refused(post("a" + SMUGGLED, "Content-Length: 1", "Content-Length: 44"), 400);
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Content-Length: 5", "Transfer-Encoding: chunked"), 400);
    }

    @Test
    @DisplayName("CVE-2020-7238: white space before Transfer-Encoding, Content-Length behind it")
    void advisory_CVE_2020_7238() {
        String lines = " Transfer-Encoding:chunked\r\nHost: app\r\nContent-Length: 5";
        BENCH.refused(bare("POST / HTTP/1.1", lines) + "0\r\n\r\n" + SMUGGLED, 400);
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, " Transfer-Encoding:chunked", "Content-Length: 5"), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "\u001cFoo: x",
                "Foo\f: x",
                "Foo\u001c: x",
                "\0Foo: x",
                "Foo\0: x",
                "\u000bTransfer-Encoding: chunked",
                "Transfer-Encoding\u001f: chunked"
            })
    @DisplayName("CVE-2021-43797: control characters at the edges of field names")
    void advisory_CVE_2021_43797(String line) {
        BENCH.refused(get(line), 400);
    }

    @Test
    @DisplayName("CVE-2022-41915: copied values are checked values, in both directions")
    void advisory_CVE_2022_41915() {
        BENCH.refused(get("X: a\nY: b"), 400);
        BENCH.refused(get("X: a\rY: b", "X: c"), 400);
        assertThat(BENCH.answered(ok("", "X: a\nY: b", "Content-Length: 0")).status())
                .isEqualTo(502);
    }

    @Test
    @DisplayName("CVE-2025-58056: LF does not end a chunk extension")
    void advisory_CVE_2025_58056() {
        BENCH.cut(chunked("2;\nxx\r\n47\r\n0\r\n\r\n" + SMUGGLED + "0\r\n\r\n"), 400);
        BENCH.mark();
        BENCH.cut(chunked("2;a=\nxx\r\n0\r\n\r\n" + SMUGGLED), 400);
    }

    @Test
    @DisplayName("CVE-2025-67735 and CVE-2026-41417: no CR, LF or SP gets into a target that is written anew")
    void advisory_CVE_2025_67735() {
        BENCH.refused(request("GET http://h/a\rb HTTP/1.1"), 400);
        BENCH.refused(request("GET http://h/a\nb HTTP/1.1"), 400);
        BENCH.refused(request("GET http://h/a b HTTP/1.1"), 400);
        assertThat(BENCH.forwarded(bare("GET http://h/a%0d%0ab HTTP/1.1", "Host: h"))
                        .target())
                .isEqualTo("/a%0d%0ab");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "1;a=\"\r\nX\r\n0\r\n\r\n",
                "1;a=\"\r\n\r\nX\r\n0\r\n\r\n",
                "1;\"\r\nX\"\r\n0\r\n\r\n",
            })
    @DisplayName("CVE-2026-33870: a quoted string does not hide the end of a chunk's line")
    void advisory_CVE_2026_33870(String framed) throws IOException {
        RawClient client = BENCH.client();
        client.trySend(io.remora.testkit.Wire.bytes(chunked(framed) + SMUGGLED));
        RawResponse response = client.response();
        if (response.status() == 200) {
            assertThat(framed).startsWith("1;a=\"\r\nX\r\n");
            assertThat(BENCH.requestsAtBackend().get(0).bodyText()).isEqualTo("X");
        } else {
            assertThat(response.status()).isEqualTo(400);
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    @Test
    @DisplayName("CVE-2026-42580: a chunk size beyond 32 bits")
    void advisory_CVE_2026_42580() {
        BENCH.cut(chunked("100000004\r\ntest\r\n0\r\n\r\n" + SMUGGLED), 400);
    }

    @Test
    @DisplayName("CVE-2026-42581: both framings in HTTP/1.0")
    void advisory_CVE_2026_42581() {
        String lines = "Host: app\r\nTransfer-Encoding: chunked\r\nContent-Length: 5";
        BENCH.refused(bare("POST / HTTP/1.0", lines) + "0\r\n\r\n" + SMUGGLED, 400);
    }

    @Test
    @DisplayName("CVE-2026-42584: 1xx before the responses to a pipelined GET and HEAD")
    void advisory_CVE_2026_42584() throws IOException {
        BENCH.backend.onRequest(connection -> {
            RawRequest request = connection.readRequest();
            String body = request.method().equals("HEAD") ? "" : "body";
            connection.write(
                    "HTTP/1.1 103 Early Hints\r\n\r\n" + ok(body, "X: " + request.method(), "Content-Length: 4"));
        });
        RawClient client = BENCH.client();
        client.send(request("GET /a HTTP/1.1") + request("HEAD /b HTTP/1.1") + request("GET /c HTTP/1.1"));
        assertThat(client.response("GET").bodyText()).isEqualTo("body");
        assertThat(client.response("HEAD").field("X")).isEqualTo("HEAD");
        assertThat(client.response("GET").bodyText()).isEqualTo("body");
    }

    @Test
    @DisplayName("CVE-2026-42585: chunked, identity")
    void advisory_CVE_2026_42585() {
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Transfer-Encoding: chunked, identity"), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"\0\1", "\0", "\u001f", "\0\r\n", "\r\n\0"})
    @DisplayName("CVE-2026-50020: control characters before the request line")
    void advisory_CVE_2026_50020(String before) {
        BENCH.refused(before + Messages.GET, 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Transfer-Encoding: chunked, xchunked",
                "Transfer-Encoding: xchunked, chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: xchunked",
                "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
            })
    @DisplayName("CVE-2026-89044: the final coding is a whole member of the list, over all lines")
    void advisory_CVE_2026_89044(String lines) {
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, lines), 400, 501);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "HTTP/1.99999999999",
                "HTTP/99999999999.1",
                "HTTP/1.2147483648",
                "HTTP/4294967297.1",
                "HTTP/1.4294967297"
            })
    @DisplayName("GHSA-42mp-m8rq-6rgj: versions of more digits than there are")
    void advisory_GHSA_42mp_m8rq_6rgj(String version) {
        BENCH.refused(request("GET / " + version), 400, 505);
    }
}
