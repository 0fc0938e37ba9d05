package io.remora.http.rules;

import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Wire;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Request targets, Host and versions. */
@Contract
final class TargetIT {
    @RegisterExtension
    static final Bench BENCH = new Bench();

    @Test
    @DisplayName("Row 5: the sidecar's own version in both directions")
    void row05_ownVersion() throws IOException {
        BENCH.forwarded(bare("GET / HTTP/1.0", "Host: app"));
        BENCH.mark();
        RawResponse response = BENCH.answered("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
        assertThat(response.version()).isEqualTo("HTTP/1.1");
        BENCH.backend.replyOk();
        String toOld = Wire.text(
                BENCH.client().send(bare("GET / HTTP/1.0", "Host: app")).readToEnd());
        assertThat(toOld).startsWith("HTTP/1.1 200 ");
    }

    @Test
    @DisplayName("Row 6: a request target longer than the limit is 414")
    void row06_targetTooLong() {
        String longest = "/" + "a".repeat(5 * 1024);
        assertThat(BENCH.forwarded(request("GET " + longest + " HTTP/1.1")).target())
                .isEqualTo(longest);
        BENCH.mark();
        BENCH.refused(request("GET /" + "a".repeat(9 * 1024) + " HTTP/1.1"), 414);
        BENCH.refused(request("GET /" + "a".repeat(70 * 1024) + " HTTP/1.1"), 414);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "X: y",
                "Host: app\r\nHost: app",
                "Host: app\r\nHost: evil",
                "Host: app\r\nX: y\r\nhost: app",
                "Host: a,b",
                "Host: a, b",
                "Host: a b",
                "Host: u@h",
                "Host: u:p@h",
                "Host: h/",
                "Host: h/p",
                "Host: h?q",
                "Host: h#f",
                "Host: http://h",
                "Host: h:port",
                "Host: h:80:80",
                "Host: h:-1",
                "Host: h:+80",
                "Host: h:65536",
                "Host: h:99999999999999999999",
                "Host: [::1",
                "Host: ::1",
                "Host: [::1]x",
                "Host: [::g]",
                "Host: []",
                "Host: [h]",
                "Host: :80",
                "Host: h\\p",
                "Host: h\tp",
                "Host: h%",
                "Host: h%zz",
                "Host: h\u00e9",
                "Host: <h>",
                "Host: \"h\"",
                "Host: h^",
            })
    @DisplayName("Row 8: Host missing, repeated or invalid")
    void row08_hostMissingRepeatedOrInvalid(String lines) {
        BENCH.refused(bare("GET / HTTP/1.1", lines), 400);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {"h", "h:8080", "127.0.0.1:80", "[::1]", "[2001:db8::1]:80", "a-b.c_d", "xn--bcher-kva.example"})
    @DisplayName("Row 8: a valid Host passes unchanged")
    void row08_hostValid(String host) {
        assertThat(BENCH.forwarded(bare("GET / HTTP/1.1", "Host: " + host)).field("Host"))
                .isEqualTo(host);
    }

    @Test
    @DisplayName("Row 8: HTTP/1.0 needs no Host, HTTP/1.1 towards the backend does")
    void row08_hostMadeForOldClients() {
        assertThat(BENCH.forwarded(bare("GET /a HTTP/1.0")).target()).isEqualTo("/a");
        BENCH.mark();
        BENCH.refused(bare("GET / HTTP/1.0", "Host: a", "Host: b"), 400);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "http://h/p, /p, h",
        "http://h:81/p?q=1, /p?q=1, h:81",
        "HTTP://h/p, /p, h",
        "http://h, /, h",
        "http://h?q, /?q, h",
        "http://[::1]:80/, /, [::1]:80",
    })
    @DisplayName("Row 9: absolute-form is accepted")
    void row09_absoluteForm(String target, String forwardedTarget, String forwardedHost) {
        RawRequest request = BENCH.forwarded(bare("GET " + target + " HTTP/1.1", "Host: " + forwardedHost));
        assertThat(request.target()).isEqualTo(forwardedTarget);
        assertThat(request.field("Host")).isEqualTo(forwardedHost);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "http://",
                "http:///p",
                "http://u@h/p",
                "http://h:x/p",
                "http://a,b/p",
                "http:/h/p",
                "http:h/p",
                "://h/p",
                "ftp://h/p",
                "h/p",
                "http://h\\@evil/p",
                "http://h/#f",
                "urn:x"
            })
    @DisplayName("Row 9: absolute-form that is none")
    void row09_absoluteFormInvalid(String target) {
        BENCH.refused(request("GET " + target + " HTTP/1.1"), 400);
    }

    @Test
    @DisplayName("Row 10: absolute-form decides over Host")
    void row10_absoluteFormReplacesHost() {
        RawRequest request = BENCH.forwarded(bare("GET http://real/p HTTP/1.1", "Host: other"));
        assertThat(request.fields().all("Host")).containsExactly("real");
        BENCH.mark();
        BENCH.refused(bare("GET http://real/p HTTP/1.1"), 400);
        BENCH.refused(bare("GET http://real/p HTTP/1.1", "Host: real", "Host: real"), 400);
        BENCH.refused(bare("GET http://real/p HTTP/1.1", "Host: u@real"), 400);
    }

    @Test
    @DisplayName("Row 11: OPTIONS in absolute-form without a path becomes *")
    void row11_optionsWithoutPath() {
        RawRequest request = BENCH.forwarded(bare("OPTIONS http://h HTTP/1.1", "Host: h"));
        assertThat(request.target()).isEqualTo("*");
        assertThat(request.field("Host")).isEqualTo("h");
        BENCH.mark();
        assertThat(BENCH.forwarded(request("OPTIONS * HTTP/1.1")).target()).isEqualTo("*");
        BENCH.mark();
        assertThat(BENCH.forwarded(bare("OPTIONS http://h/ HTTP/1.1", "Host: h"))
                        .target())
                .isEqualTo("/");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "//a/../b%2f?x=%00;y",
                "/a/./b/",
                "/%c0%af",
                "/a;b=c",
                "/?",
                "/??",
                "/a?b?c=/../",
                "///",
                "/%2e%2e/",
                "/~a!$&'()*+,=:@",
                "/a?b=c&d=%0d%0aX:%20y",
                "/%41"
            })
    @DisplayName("Row 53: path and query pass as they are")
    void row53_targetUnchanged(String target) {
        assertThat(BENCH.forwarded(request("GET " + target + " HTTP/1.1")).target())
                .isEqualTo(target);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "GET /\0 HTTP/1.1",
                "GET /\u0001 HTTP/1.1",
                "GET /\u001f HTTP/1.1",
                "GET /\u007f HTTP/1.1",
                "GET /\u0080 HTTP/1.1",
                "GET /\u00e2\u0080\u00a8 HTTP/1.1",
                "GET /\u00ff HTTP/1.1",
                "GET /#f HTTP/1.1",
                "GET /a?b#c HTTP/1.1",
                "GET * HTTP/1.1",
                "POST * HTTP/1.1",
                "OPTIONS ** HTTP/1.1",
                "GET h:80 HTTP/1.1",
                "GET app HTTP/1.1",
                "OPTIONS h:80 HTTP/1.1",
                "GET ?a HTTP/1.1",
                "GET http://h/\u0001 HTTP/1.1",
                "GET http://h/\u0080 HTTP/1.1",
            })
    @DisplayName("Section 3: request targets that the codec lets pass")
    void gap_requestTarget(String requestLine) {
        BENCH.refused(request(requestLine), 400);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"HTTP/1.7", "HTTP/1.2", "HTTP/9.9", "HTTP/2.0", "HTTP/0.9", "HTTP/0.0", "HTTP/3.0"})
    @DisplayName("Section 3: versions other than 1.0 and 1.1")
    void gap_versions(String version) {
        BENCH.refused(request("GET / " + version), 505);
    }

    @Test
    @DisplayName("Section 3: Host is checked, and reconciled with an absolute-form target")
    void gap_hostAgainstTarget() {
        BENCH.refused(bare("GET / HTTP/1.1"), 400);
        BENCH.refused(bare("GET / HTTP/1.1", "Host: app", "Host: evil"), 400);
        BENCH.refused(bare("GET http://app/ HTTP/1.1", "Host: a,b"), 400);
        RawRequest request = BENCH.forwarded(bare("GET http://app:81/ HTTP/1.1", "X-A: 1", "host: evil", "X-B: 2"));
        assertThat(request.fields().all("Host")).containsExactly("app:81");
    }
}
