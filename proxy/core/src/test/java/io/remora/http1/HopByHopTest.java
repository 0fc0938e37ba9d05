package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.BodyLength;
import io.remora.http.Fields;
import io.remora.http.Heads;
import io.remora.http.Octets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HopByHopTest {
    private static Http1Request left(String... lines) {
        Fields fields = Heads.fields(lines);
        Http1Request head = new Http1Request(
                "POST",
                Octets.of("/"),
                Octets.of("app.example"),
                true,
                fields,
                BodyLength.NONE,
                ConnectionOptions.of(fields));
        head.leaveConnection();
        return head;
    }

    private static List<String> stripped(String... lines) {
        return Heads.lines(left(lines).fields);
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
        assertThat(left("TE: gzip, Trailers").takesTrailers()).isTrue();
        assertThat(left("TE: gzip", "te: trailers", "Connection: TE").takesTrailers())
                .isTrue();
        assertThat(left("TE: xtrailers").takesTrailers()).isFalse();
        assertThat(stripped("TE: gzip", "te: trailers", "Connection: TE")).isEmpty();
    }

    /** It binds the trailers too. */
    @Test
    void remembersWhatARequestNominated() {
        assertThat(left("Connection: X-A, ,close", "connection: x-b").nominated())
                .containsExactly("X-A", "close", "x-b");
        assertThat(left("X: y").nominated()).isEmpty();
    }

    @Test
    void tellsWhatAResponseNominated() {
        var fields = Heads.fields("X-A: 1", "Connection: X-A, X-B", "Keep-Alive: x", "Upgrade: h2c", "X-C: 3");
        assertThat(stripped(fields)).containsExactly("X-A", "X-B");
        assertThat(Heads.lines(fields)).containsExactly("X-C: 3");
    }

    @Test
    void strippingAResponseWithoutConnectionNominatesNothing() {
        var fields = Heads.fields("Keep-Alive: x", "X: y");
        assertThat(stripped(fields)).isEmpty();
        assertThat(Heads.lines(fields)).containsExactly("X: y");
    }

    @ParameterizedTest
    @ValueSource(strings = {"transfer-encoding", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Upgrade"})
    void takesOutOfTrailersWhatIsAboutAConnection(String name) {
        var trailers = Heads.fields("X-Sum: 1", name + ": a", "x-sum: 2", name + ": b");
        HopByHop.stripTrailers(trailers, List.of());
        assertThat(Heads.lines(trailers)).containsExactly("X-Sum: 1", "x-sum: 2");
    }

    @Test
    void takesOutOfTrailersWhatTheHeadOrTheyThemselvesNominate() {
        var trailers = Heads.fields("X-A: 1", "X-B: 2", "X-C: 3", "Connection: x-b");
        HopByHop.stripTrailers(trailers, List.of("x-a", "X-None", "no token"));
        assertThat(Heads.lines(trailers)).containsExactly("X-C: 3");
        var none = Heads.fields();
        HopByHop.stripTrailers(none, List.of("x-a"));
        assertThat(Heads.lines(none)).isEmpty();
    }

    private static List<String> stripped(Fields fields) {
        List<String> nominated = HopByHop.nominated(fields, ConnectionOptions.of(fields));
        HopByHop.strip(fields, nominated);
        return nominated;
    }
}
