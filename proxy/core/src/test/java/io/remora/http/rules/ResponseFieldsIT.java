package io.remora.http.rules;

import static io.remora.http.rules.Messages.GET;
import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.ok;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Wire;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of a response's fields, and of the responses that come before the final one. */
@Contract
final class ResponseFieldsIT {
    @RegisterExtension
    static final Bench BENCH = new Bench();

    @Test
    @DisplayName("Row 41: fields nobody knows pass, with their letter case and their order")
    void row41_unknownResponseFieldsPass() {
        RawResponse response =
                BENCH.answered(ok("ok", "X-Unknown: 1", "x-lower: 2", "WeIrD: 3", "Content-Length: 2", "X-Empty:"));
        assertThat(response.fields().names()).containsSubsequence("X-Unknown", "x-lower", "WeIrD", "X-Empty");
        assertThat(response.field("X-Unknown")).isEqualTo("1");
    }

    @Test
    @DisplayName("Row 42: lines of one name keep their order")
    void row42_orderOfSameNameInResponse() {
        RawResponse response = BENCH.answered(ok(
                "ok",
                "Set-Cookie: a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
                "X: 1",
                "set-cookie: b=2",
                "Content-Length: 2",
                "Set-Cookie: a=0"));
        assertThat(response.fields().all("Set-Cookie"))
                .containsExactly("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=2", "a=0");
    }

    @Test
    @DisplayName("Row 46: the backend's Connection is for the sidecar alone")
    void row46_backendConnectionStopsHere() throws IOException {
        RawClient client = BENCH.client();
        BENCH.backend.reply(ok("ok", "Connection: close", "Content-Length: 2"));
        RawResponse response = client.send(GET).response();
        assertThat(response.fields().tokens("Connection")).doesNotContain("close");
        BENCH.backend.replyOk();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
    }

    @Test
    @DisplayName("Row 47: what a response's Connection nominates is removed, trailers too")
    void row47_nominatedResponseFieldsRemoved() {
        String trailers = "X-A: 1\r\nX-T: 2\r\nX-U: 3\r\n";
        RawResponse response = BENCH.answered(
                get("TE: trailers", "Connection: TE"),
                "GET",
                ok(
                        "0\r\n" + trailers + "\r\n",
                        "X-A: 1",
                        "Transfer-Encoding: chunked",
                        "Connection: x-a, X-T",
                        "X-B: 2"));
        assertThat(response.fields().names()).contains("X-B").doesNotContain("X-A");
        assertThat(response.fields().tokens("Connection")).doesNotContain("x-a", "x-t");
        assertThat(response.trailers().names()).containsExactly("X-U");
    }

    @Test
    @DisplayName("Row 48: hop-by-hop fields of a response are removed without being nominated")
    void row48_hopByHopResponseFieldsRemoved() {
        RawResponse response = BENCH.answered(ok(
                "ok",
                "Keep-Alive: timeout=5",
                "Proxy-Connection: keep-alive",
                "Upgrade: h2c",
                "TE: trailers",
                "Content-Length: 2"));
        assertThat(response.fields().names()).doesNotContain("Keep-Alive", "Proxy-Connection", "Upgrade", "TE");
    }

    @Test
    @DisplayName("Row 54: content of a response passes untouched")
    void row54_noTransformationOfResponse() {
        String octets = "\u001f\u008b\0\r\n\u00ff";
        RawResponse response = BENCH.answered(
                get("Accept-Encoding: gzip"),
                "GET",
                ok(
                        octets,
                        "Content-Encoding: gzip",
                        "Cache-Control: no-transform",
                        "Content-Type: text/html",
                        "Content-Length: 6"));
        assertThat(response.bodyText()).isEqualTo(octets);
        assertThat(response.field("Content-Encoding")).isEqualTo("gzip");
        assertThat(response.field("Content-Type")).isEqualTo("text/html");
    }

    @Test
    @DisplayName("Row 62: WWW-Authenticate passes unchanged")
    void row62_wwwAuthenticate() {
        String value = "Basic realm=\"a, b\",  Digest realm=\"c\" , nonce=\"\\\"\"";
        RawResponse response = BENCH.answered(
                "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: " + value + "\r\nContent-Length: 0\r\n\r\n");
        assertThat(response.fields().all("WWW-Authenticate")).containsExactly(value);
        assertThat(response.status()).isEqualTo(401);
    }

    @Test
    @DisplayName("Row 63: a 304 passes")
    void row63_notModifiedPasses() {
        String octets = "HTTP/1.1 304 Not Modified\r\nETag: W/\"a\"\r\n\r\n";
        RawResponse response = BENCH.answered(get("If-None-Match: W/\"a\""), "GET", octets);
        assertThat(response.status()).isEqualTo(304);
        assertThat(response.field("ETag")).isEqualTo("W/\"a\"");
    }

    @Test
    @DisplayName("Row 64: interim responses pass in order, and the final one behind them")
    void row64_interimResponsesPass() {
        String octets = "HTTP/1.1 102 Processing\r\n\r\n"
                + "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: X-A\r\nX-A: 1\r\n\r\n"
                + "HTTP/1.1 103 Early Hints\r\nLink: </b>\r\n\r\n"
                + "HTTP/1.1 199 What\r\n\r\n";
        RawResponse response = BENCH.answered(octets + ok("ok", "Content-Length: 2"));
        assertThat(response.interim()).extracting(RawResponse::status).containsExactly(102, 103, 103, 199);
        assertThat(response.interim().get(1).field("Link")).isEqualTo("</a>");
        assertThat(response.interim().get(1).fields().has("X-A")).isFalse();
        assertThat(response.interim().get(2).field("Link")).isEqualTo("</b>");
        assertThat(response.bodyText()).isEqualTo("ok");
    }

    @Test
    @DisplayName("Row 64: never towards an HTTP/1.0 client")
    void row64_noInterimForOldClient() throws IOException {
        BENCH.backend.reply(
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + ok("ok", "Content-Length: 2"));
        String raw = Wire.text(
                BENCH.client().send(bare("GET / HTTP/1.0", "Host: app")).readToEnd());
        assertThat(raw).startsWith("HTTP/1.1 200 ").doesNotContain("HTTP/1.1 1");
    }

    @Test
    @DisplayName("Row 66: 421 is the backend's to say")
    void row66_misdirected() {
        RawResponse response = BENCH.answered("HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n");
        assertThat(response.status()).isEqualTo(421);
        BENCH.backend.replyOk();
        BENCH.mark();
        BENCH.forwarded(bare("GET http://elsewhere.example/ HTTP/1.1", "Host: elsewhere.example"));
    }
}
