package io.remora.http2;

import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RawRequest;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The crumbs of a cookie, which are one field (RFC 9113 section 8.2.3). */
final class Http2CookieIT {
    @RegisterExtension
    static final Stand STAND = new Stand("protocol: http2\nlimits: { header-block: 8KiB }", "");

    /** A request with crumbs of three octets each, and other fields. */
    private static String[] head(int crumbs, int others) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < crumbs; i++) {
            lines.addAll(List.of("cookie", "a=" + i % 10));
        }
        for (int i = 0; i < others; i++) {
            lines.addAll(List.of("x", "y"));
        }
        return with(GET, lines.toArray(new String[0]));
    }

    private static int status(int crumbs, int others) throws IOException {
        try (FrameClient client = FrameClient.connect(STAND.sidecar().address())) {
            return client.headers(1, true, head(crumbs, others)).answer(1).status();
        }
    }

    @Test
    void manyCrumbsAreOneField() throws IOException {
        assertThat(status(120, 0)).isEqualTo(200);
        RawRequest request =
                STAND.backend.requests().get(STAND.backend.requests().size() - 1);
        assertThat(request.fields().all("cookie"))
                .containsExactly(
                        IntStream.range(0, 120).mapToObj(i -> "a=" + i % 10).collect(Collectors.joining("; ")));
    }

    /** With 32 octets beyond its own each, of the 8,192 that a section may have. */
    @Test
    void crumbsCostWhatLinesDo() throws IOException {
        assertThat(status(199, 0)).isEqualTo(200);
        assertThat(status(200, 0)).isEqualTo(431);
    }

    @Test
    void otherFieldsCountBesideThem() throws IOException {
        assertThat(status(20, 99)).isEqualTo(200);
        assertThat(status(20, 100)).isEqualTo(431);
    }
}
