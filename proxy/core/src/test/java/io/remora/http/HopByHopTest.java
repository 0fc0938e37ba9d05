package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class HopByHopTest {
    private static List<String> stripped(String... lines) {
        RequestHead head = Heads.request("POST", "/", lines);
        HopByHop.stripRequest(head);
        return Heads.lines(head.fields);
    }

    @Test
    void keepsWhatIsForBothEnds() {
        String[] lines = {"Host: a", "X: y", "content-LENGTH: 1", "x: z", "Trailer: X-Sum", "Cookie: a"};
        assertThat(stripped(lines)).containsExactly(lines);
    }

    @Test
    void takesOutWhatConnectionNominates() {
        assertThat(stripped("X-A: 1", "Connection: x-a, close", "Connection: ,X-B,", "X-b: 2", "X-C: 3", "x-B: 4"))
                .containsExactly("X-C: 3");
    }

    @Test
    void takesOutWhatNobodyNominates() {
        assertThat(stripped(
                        "Keep-Alive: 1",
                        "proxy-connection: x",
                        "TE: gzip",
                        "Transfer-Encoding: chunked",
                        "Upgrade: h2c",
                        "X: y"))
                .containsExactly("X: y");
    }

    /** Framing and routing are not the sender's to switch off. */
    @Test
    void keepsHostAndLengthThoughNominated() {
        assertThat(stripped("Host: a", "Content-Length: 1", "Connection: host, content-length"))
                .containsExactly("Host: a", "Content-Length: 1");
    }

    @Test
    void keepsTheWishForTrailers() {
        assertThat(stripped("TE: gzip, Trailers")).containsExactlyInAnyOrder("TE: trailers", "Connection: TE");
        assertThat(stripped("TE: gzip", "te: trailers", "Connection: TE"))
                .containsExactlyInAnyOrder("TE: trailers", "Connection: TE");
        assertThat(stripped("TE: xtrailers")).isEmpty();
    }

    @Test
    void tellsWhatAResponseNominated() {
        var fields = Heads.fields("X-A: 1", "Connection: X-A, X-B", "Keep-Alive: x", "Upgrade: h2c", "X-C: 3");
        assertThat(HopByHop.stripResponse(fields)).containsExactly("X-A", "X-B");
        assertThat(Heads.lines(fields)).containsExactly("X-C: 3");
    }

    @Test
    void strippingAResponseWithoutConnectionNominatesNothing() {
        var fields = Heads.fields("Keep-Alive: x", "X: y");
        assertThat(HopByHop.stripResponse(fields)).isEmpty();
        assertThat(Heads.lines(fields)).containsExactly("X: y");
    }
}
