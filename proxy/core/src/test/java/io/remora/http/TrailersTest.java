package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TrailersTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length",
                "HOST",
                "Expect",
                "Max-Forwards",
                "Via",
                "Forwarded",
                "X-Forwarded-For",
                "x-forwarded-proto",
                "X-Forwarded-Anything",
                "X-Request-Id",
                "Authorization",
                "Cookie",
                "Set-Cookie",
                "Cache-Control",
                "Content-Type",
                "Content-Encoding",
                "Content-Range",
                "Proxy-Authorization",
                "Proxy-Authenticate",
                "WWW-Authenticate",
                "Trailer",
            })
    void sayNothingThatOnlyAHeadMay(String name) {
        var trailers = Heads.fields("X-Sum: 1", name + ": a", "x-sum: 2", name + ": b");
        Trailers.strip(trailers);
        assertThat(Heads.lines(trailers)).containsExactly("X-Sum: 1", "x-sum: 2");
    }

    @Test
    void keepEverythingElse() {
        String[] lines = {"grpc-status: 0", "ETag: x", "X-Forwarded: y", "Server-Timing: z"};
        var trailers = Heads.fields(lines);
        Trailers.strip(trailers);
        assertThat(Heads.lines(trailers)).containsExactly(lines);
    }

    @Test
    void mayBeNone() {
        var trailers = Heads.fields();
        Trailers.strip(trailers);
        assertThat(Heads.lines(trailers)).isEmpty();
    }
}
