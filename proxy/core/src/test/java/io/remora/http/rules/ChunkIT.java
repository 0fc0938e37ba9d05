package io.remora.http.rules;

import static io.remora.http.rules.Messages.chunked;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawRequest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunk sizes, chunk extensions and trailers of requests. */
@Contract
final class ChunkIT {
    private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: app\r\n\r\n";

    @RegisterExtension
    static final Bench BENCH = new Bench();

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "100000004\r\ntest\r\n0\r\n\r\n",
                "10000000000000004\r\ntest\r\n0\r\n\r\n",
                "fffffffffffffffff\r\ntest\r\n0\r\n\r\n",
                "ffffffffffffffff\r\ntest\r\n0\r\n\r\n",
                "80000000\r\ntest\r\n0\r\n\r\n",
                "ffffffff\r\ntest\r\n0\r\n\r\n",
            })
    @DisplayName("Row 31: chunk sizes that overflow")
    void row31_chunkSizeOverflow(String framedBody) {
        BENCH.cut(chunked(framedBody + SMUGGLED), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "-1\r\na\r\n0\r\n\r\n",
                "+1\r\na\r\n0\r\n\r\n",
                "0x1\r\na\r\n0\r\n\r\n",
                " 1\r\na\r\n0\r\n\r\n",
                "1 \r\na\r\n0\r\n\r\n",
                "\t1\r\na\r\n0\r\n\r\n",
                "1\u000b\r\na\r\n0\r\n\r\n",
                "\r\na\r\n0\r\n\r\n",
                "g\r\na\r\n0\r\n\r\n",
                "1g\r\na\r\n0\r\n\r\n",
                "1,2\r\na\r\n0\r\n\r\n",
                "1\0\r\na\r\n0\r\n\r\n",
                ";x\r\na\r\n0\r\n\r\n",
                "\u00b2\r\nab\r\n0\r\n\r\n",
                "1\na\r\n0\r\n\r\n",
                "1\ra\r\n0\r\n\r\n",
                "1\r\nab\r\n0\r\n\r\n",
                "1\r\na\n0\r\n\r\n",
                "1\r\na0\r\n\r\n",
                "1\r\na\rX0\r\n\r\n",
                "2\r\na\r\n0\r\n\r\n",
                "0\n\r\n",
                "0\r\n\n",
                "0 \r\n\r\n",
                "-0\r\n\r\n",
                "0_0\r\n\r\n",
            })
    @DisplayName("Row 31: chunk sizes that are no hexadecimal number, and chunks that end elsewhere")
    void row31_chunkSizeInvalid(String framedBody) {
        BENCH.cut(chunked(framedBody + SMUGGLED), 400);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"5;foo", "5;foo=bar", "5;foo=\"bar\"", "5;a=b;c=d", "05", "0000005;x"})
    @DisplayName("Row 32: unknown chunk extensions are ignored")
    void row32_chunkExtensionIgnored(String line) {
        RawRequest request = BENCH.forwarded(chunked(line + "\r\nhello\r\n0;last\r\n\r\n"));
        assertThat(request.bodyText()).isEqualTo("hello");
    }

    @Test
    @DisplayName("Row 32: the length of chunk extensions is limited")
    void row32_chunkExtensionTooLong() {
        BENCH.cut(chunked("5;a=" + "b".repeat(64 * 1024) + "\r\nhello\r\n0\r\n\r\n"), 400, 413, 431);
        BENCH.mark();
        BENCH.cut(chunked("0".repeat(64 * 1024) + "5\r\nhello\r\n0\r\n\r\n"), 400, 413, 431);
    }

    @Test
    @DisplayName("Row 33: trailers stay trailers, and dangerous ones are dropped")
    void row33_trailersNotMerged() {
        String trailers = "Content-Length: 5\r\nHost: evil\r\nAuthorization: x\r\nCookie: c\r\nX-Sum: 1\r\n";
        RawRequest request = BENCH.forwarded(chunked("2\r\nab\r\n0\r\n" + trailers + "\r\n"));
        assertThat(request.fields().all("Host")).containsExactly("app");
        assertThat(request.fields().has("Content-Length")).isFalse();
        assertThat(request.fields().has("Authorization")).isFalse();
        assertThat(request.fields().has("X-Sum")).isFalse();
        assertThat(request.trailers().names()).containsExactly("X-Sum");
    }

    @Test
    @DisplayName("Section 3: every trailer that would speak for the header section")
    void gap_trailers() {
        String dropped =
                "Transfer-Encoding: chunked\r\nTrailer: X\r\nSet-Cookie: a\r\nConnection: X-Named\r\nX-Named: a\r\n"
                        + "Forwarded: for=a\r\nX-Forwarded-For: a\r\nX-Forwarded-Proto: a\r\nX-Forwarded-Host: a\r\nX-Forwarded-Port: a\r\n"
                        + "Host: a\r\nAuthorization: a\r\nCookie: a\r\nContent-Length: 1\r\nKeep-Alive: a\r\nUpgrade: a\r\nTE: a\r\n";
        RawRequest request = BENCH.forwarded(chunked("0\r\n" + dropped + "X-Kept: 1\r\nx-kept: 2\r\n\r\n"));
        assertThat(request.trailers().names()).containsExactly("X-Kept", "x-kept");
        assertThat(request.trailers().all("X-Kept")).containsExactly("1", "2");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Foo",
                "Foo : a",
                " Foo: a",
                "F\0o: a",
                "Foo: a\rb",
                "Foo: a\nb",
                "Foo: \0",
                ": a",
            })
    @DisplayName("Section 3: trailer lines are as strict as field lines")
    void gap_trailerSyntax(String line) {
        BENCH.cut(chunked("2\r\nab\r\n0\r\n" + line + "\r\n\r\n" + SMUGGLED), 400);
    }

    @Test
    @DisplayName("Section 3: trailers count against the header limits")
    void gap_trailerLimits() {
        BENCH.cut(chunked("0\r\n" + "X: y\r\n".repeat(101) + "\r\n"), 400, 431);
        BENCH.mark();
        BENCH.cut(chunked("0\r\nX: " + "y".repeat(40 * 1024) + "\r\n\r\n"), 400, 431);
    }

    @Test
    @DisplayName("Row 15: a folded trailer line goes on as one line")
    void row15_foldedTrailer() {
        RawRequest request = BENCH.forwarded(chunked("2\r\nab\r\n0\r\nFoo: a\r\n \tb\r\nBar: c\r\n\r\n"));
        assertThat(request.trailers().all("Foo")).containsExactly("a b");
        assertThat(request.trailers().all("Bar")).containsExactly("c");
    }
}
