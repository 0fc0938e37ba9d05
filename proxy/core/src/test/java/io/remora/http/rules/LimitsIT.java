package io.remora.http.rules;

import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.post;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits other than the defaults, each met exactly and passed by one. */
@Contract
final class LimitsIT {
    private static final int REQUEST_LINE_BYTES = 1024;
    private static final int FIELDS = 5;

    @RegisterExtension
    static final Bench BENCH =
            new Bench("limits: { request-line: 1KiB, header-block: 2KiB, header-fields: 5, body: 10B }", "");

    @Test
    @DisplayName("Section 3: the request line's limit is ours to set")
    void gap_requestLineLimit() {
        String target = "/" + "a".repeat(REQUEST_LINE_BYTES - "GET / HTTP/1.1".length());
        assertThat(BENCH.forwarded(request("GET " + target + " HTTP/1.1")).target())
                .isEqualTo(target);
        BENCH.mark();
        BENCH.refused(request("GET " + target + "a HTTP/1.1"), 414);
        BENCH.refused(request("GET / HTTP/1.1" + " ".repeat(REQUEST_LINE_BYTES)), 400, 414);
        BENCH.refused("X".repeat(REQUEST_LINE_BYTES + 1) + " / HTTP/1.1\r\nHost: app\r\n\r\n", 400, 414);
    }

    @Test
    @DisplayName("Section 3: the header block's limit is ours to set")
    void gap_headerBlockLimit() {
        assertThat(BENCH.forwarded(get("X: " + "y".repeat(1900))).field("X")).hasSize(1900);
        BENCH.mark();
        BENCH.refused(get("X: " + "y".repeat(2048)), 431);
        BENCH.refused(get("X: " + "y".repeat(1000), "Y: " + "y".repeat(1100)), 431);
    }

    @Test
    @DisplayName("Section 3: the limit of field lines is ours to set")
    void gap_fieldLinesLimit() {
        assertThat(BENCH.forwarded(get("A: 1", "A: 2", "A: 3", "A: 4")).fields().all("A"))
                .hasSize(FIELDS - 1);
        BENCH.mark();
        BENCH.refused(get("A: 1", "A: 2", "A: 3", "A: 4", "A: 5"), 431);
    }

    @Test
    @DisplayName("A body over the limit is 413, before a byte of it is read where its length is told")
    void bodyLimit() {
        assertThat(BENCH.forwarded(post("0123456789", "Content-Length: 10")).bodyText())
                .hasSize(10);
        BENCH.mark();
        BENCH.refused(post("", "Content-Length: 11"), 413);
        BENCH.refused(post("", "Content-Length: 11", "Expect: 100-continue"), 413, 417);
        BENCH.cut(post("6\r\n012345\r\n5\r\n01234\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 413);
    }
}
