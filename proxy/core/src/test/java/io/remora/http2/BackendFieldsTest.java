package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a request's fields. */
final class BackendFieldsTest {
    private static List<String> lines(AsciiString[] section) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < section.length; i += 2) {
            lines.add(section[i] + ": " + section[i + 1]);
        }
        return lines;
    }

    private static List<String> of(String authority, Fields fields, boolean takesTrailers) {
        RequestHead head =
                new RequestHead("GET", Octets.of("/a?b"), Octets.of(authority), "1.1", fields, BodyLength.NONE) {
                    @Override
                    public void leaveConnection() {
                        if (takesTrailers) {
                            takeTrailers();
                        }
                    }
                };
        head.leaveConnection();
        return lines(BackendFields.of(head, AsciiString.of("https")));
    }

    private static Fields fields(String... lines) {
        Fields fields = new Fields();
        for (int i = 0; i < lines.length; i += 2) {
            fields.add(FieldName.of(lines[i]), lines[i + 1]);
        }
        return fields;
    }

    @Test
    void pseudoFieldsStandFirst() {
        assertThat(of("h:1", fields("X-A", "B", "Host", "other", "x-a", "c"), false))
                .containsExactly(
                        ":method: GET", ":scheme: https", ":authority: h:1", ":path: /a?b", "x-a: B", "x-a: c");
    }

    @Test
    void noAuthorityWhereThereIsNone() {
        assertThat(of("", fields(), true))
                .containsExactly(":method: GET", ":scheme: https", ":path: /a?b", "te: trailers");
    }

    @Test
    void nothingAboutAConnection() {
        Fields fields = fields(
                "Connection",
                "a",
                "Keep-Alive",
                "a",
                "Proxy-Connection",
                "a",
                "TE",
                "a",
                "Upgrade",
                "a",
                "Transfer-Encoding",
                "a",
                "Tex",
                "b");
        assertThat(of("h", fields, false)).last().isEqualTo("tex: b");
        assertThat(of("h", fields, false)).hasSize(5);
    }

    @Test
    void trailersAreFieldsInLowerCase() {
        assertThat(lines(BackendFields.trailers(fields("X-Sum", "A")))).containsExactly("x-sum: A");
    }
}
