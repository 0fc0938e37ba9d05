package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import org.junit.jupiter.api.Test;

/** Sections of responses. */
final class FrontendHeadersTest {
    private static AsciiString[] of(String... lines) {
        Fields fields = new Fields();
        for (int i = 0; i < lines.length; i += 2) {
            fields.add(FieldName.of(lines[i]), lines[i + 1]);
        }
        return FrontendHeaders.of(new ResponseHead(200, null, fields, BodyLength.NONE, "1.1"));
    }

    private static AsciiString[] pieces(String... texts) {
        AsciiString[] pieces = new AsciiString[texts.length];
        for (int i = 0; i < texts.length; i++) {
            pieces[i] = AsciiString.of(texts[i]);
        }
        return pieces;
    }

    /** RFC 9113 8.2.2: TE is a request's only. */
    @Test
    void nothingAboutAConnection() {
        assertThat(of("Connection", "a", "Upgrade", "b", "TE", "trailers", "Tex", "c"))
                .isEqualTo(pieces(":status", "200", "tex", "c"));
    }

    @Test
    void namesInLowerCase() {
        assertThat(of("Set-Cookie", "A", "x-b", "C"))
                .isEqualTo(pieces(":status", "200", "set-cookie", "A", "x-b", "C"));
    }
}
