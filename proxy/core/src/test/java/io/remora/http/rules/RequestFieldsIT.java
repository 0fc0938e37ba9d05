package io.remora.http.rules;

import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.post;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a request's fields: those that pass, those that stop here, and those that the sidecar adds. */
@Contract
final class RequestFieldsIT {
    @RegisterExtension
    static final Bench BENCH = new Bench();

    @Test
    @DisplayName("Row 17: the sidecar never folds a line")
    void row17_neverFolds() {
        String words = "word ".repeat(4000).strip();
        assertThat(BENCH.forwarded(get("X-Long: " + words)).field("X-Long")).isEqualTo(words);
        assertThat(Wire.text(BENCH.atBackend())).doesNotContain("\r\n ", "\r\n\t");
    }

    @Test
    @DisplayName("Row 41: fields nobody knows pass, with their letter case and their order")
    void row41_unknownFieldsPass() {
        RawRequest request =
                BENCH.forwarded(get("X-Unknown: 1", "x-lower: 2", "WeIrD_Name: 3", "!#$%&'*+-.^_`|~: 4", "X-Empty:"));
        assertThat(request.fields().names())
                .containsSubsequence("X-Unknown", "x-lower", "WeIrD_Name", "!#$%&'*+-.^_`|~", "X-Empty");
        assertThat(request.field("X-Empty")).isEmpty();
    }

    @Test
    @DisplayName("Row 42: lines of one name keep their order")
    void row42_orderOfSameName() {
        RawRequest request = BENCH.forwarded(get("X-A: 1", "X-B: 2", "x-a: 3", "X-A: 1", "X-A: 0"));
        assertThat(request.fields().all("X-A")).containsExactly("1", "3", "1", "0");
    }

    @Test
    @DisplayName("Row 43: fields larger than the limit are 431")
    void row43_fieldsTooLarge() {
        assertThat(BENCH.forwarded(get("X: " + "y".repeat(9 * 1024))).field("X"))
                .hasSize(9 * 1024);
        BENCH.mark();
        BENCH.refused(get("X: " + "y".repeat(40 * 1024)), 431);
        BENCH.refused(get("X".repeat(40 * 1024) + ": y"), 431);
        BENCH.refused(get(("X: " + "y".repeat(1000) + "\r\n").repeat(40).strip()), 431);
        BENCH.refused(get("X: " + "y".repeat(1 << 20)), 431);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "a\0b",
                "\0",
                "a\rb",
                "a\nb",
                "a\n",
                "a\u0001b",
                "a\u000bb",
                "a\fb",
                "a\u001fb",
                "a\u007fb",
                "a\bb",
                "a\u001b[0m"
            })
    @DisplayName("Row 44: control characters in a value")
    void row44_controlCharactersInValue(String value) {
        BENCH.refused(get("X: " + value), 400);
        BENCH.refused(bare("GET / HTTP/1.1", "Host: app" + value), 400);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"OPTIONS", "TRACE"})
    @DisplayName("Row 50: Max-Forwards of OPTIONS and TRACE ends at 0 and counts down before")
    void row50_maxForwards(String method) throws IOException {
        RawClient client = BENCH.client();
        RawResponse own = client.send(request(method + " / HTTP/1.1", "Max-Forwards: 0", "X-Secret: s"))
                .response();
        assertThat(own.status()).isIn(200, 204, 405, 501);
        assertThat(own.toString()).doesNotContain("X-Secret");
        assertThat(BENCH.atBackend()).isEmpty();
        assertThat(BENCH.forwarded(request(method + " / HTTP/1.1", "Max-Forwards: 1"))
                        .field("Max-Forwards"))
                .isEqualTo("0");
        BENCH.mark();
        assertThat(BENCH.forwarded(request(method + " / HTTP/1.1", "max-forwards: 10"))
                        .field("Max-Forwards"))
                .isEqualTo("9");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {"a", "-1", "+1", "1.0", "0x1", "1 1", "1,1", "1\r\nMax-Forwards: 2", "99999999999999999999999"})
    @DisplayName("Row 50: Max-Forwards that is no number")
    void row50_maxForwardsInvalid(String value) {
        BENCH.refused(request("OPTIONS / HTTP/1.1", "Max-Forwards: " + value), 400);
        BENCH.refused(request("TRACE / HTTP/1.1", "Max-Forwards: " + value), 400);
    }

    @Test
    @DisplayName("Row 51: Max-Forwards is never invented, nor counted for other methods")
    void row51_maxForwardsNotInvented() {
        assertThat(BENCH.forwarded(request("OPTIONS / HTTP/1.1")).fields().has("Max-Forwards"))
                .isFalse();
        BENCH.mark();
        assertThat(BENCH.forwarded(get("Max-Forwards: 0")).field("Max-Forwards"))
                .isEqualTo("0");
    }

    @Test
    @DisplayName("Row 52: Via names the version received and this hop, behind those before it")
    void row52_via() {
        assertThat(BENCH.forwarded(get()).fields().all("Via"))
                .singleElement()
                .asString()
                .matches("1\\.1 [^ ,]+");
        BENCH.mark();
        RawRequest request =
                BENCH.forwarded(bare("GET / HTTP/1.0", "Host: app", "Via: 1.1 one", "Via: 2.0 two (c, d)"));
        assertThat(String.join(", ", request.fields().all("Via")))
                .matches("1\\.1 one, 2\\.0 two \\(c, d\\), 1\\.0 [^ ,]+");
    }

    @Test
    @DisplayName("Row 54: content passes untouched, coded or not, no-transform or not")
    void row54_noTransformation() {
        String octets = "\u001f\u008b\0\r\n\u00ff\r\n0\r\n\r\n";
        RawRequest request = BENCH.forwarded(post(
                octets,
                "Content-Length: " + octets.length(),
                "Content-Encoding: gzip",
                "Content-Type: text/plain",
                "Accept-Encoding: br;q=0.1",
                "Cache-Control: no-transform"));
        assertThat(request.bodyText()).isEqualTo(octets);
        assertThat(request.field("Content-Encoding")).isEqualTo("gzip");
        assertThat(request.field("Accept-Encoding")).isEqualTo("br;q=0.1");
        assertThat(request.field("Cache-Control")).isEqualTo("no-transform");
    }

    @Test
    @DisplayName("Row 62: Authorization passes unchanged")
    void row62_authorization() {
        String value = "Digest username=\"a\",  realm=\"b, c\" , x=\"\\\"\"";
        assertThat(BENCH.forwarded(get("authorization: " + value)).fields().all("Authorization"))
                .containsExactly(value);
    }

    @Test
    @DisplayName("Row 63: conditions are for the origin server")
    void row63_conditionalsPass() {
        RawRequest request = BENCH.forwarded(get(
                "If-None-Match: W/\"a\", \"b\"",
                "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
                "If-Match: *",
                "If-Range: \"a\"",
                "Range: bytes=0-0"));
        assertThat(request.field("If-None-Match")).isEqualTo("W/\"a\", \"b\"");
        assertThat(request.field("If-Modified-Since")).isEqualTo("Thu, 01 Jan 1970 00:00:00 GMT");
        assertThat(request.field("If-Match")).isEqualTo("*");
        assertThat(request.field("If-Range")).isEqualTo("\"a\"");
        assertThat(request.field("Range")).isEqualTo("bytes=0-0");
    }

    @Test
    @DisplayName("Section 3: more field lines than the limit are 431")
    void gap_fieldCount() {
        String[] most = new String[99];
        Arrays.fill(most, "X: y");
        assertThat(BENCH.forwarded(get(most)).fields().all("X")).hasSize(99);
        BENCH.mark();
        String[] tooMany = new String[100];
        Arrays.fill(tooMany, "X: y");
        BENCH.refused(get(tooMany), 431);
    }
}
