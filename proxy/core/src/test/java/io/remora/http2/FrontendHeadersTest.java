package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.ResponseHead;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.HpackEncoder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sections of responses. */
final class FrontendHeadersTest {
    /** Names and values as they come out of the decoder. */
    private static List<String> of(String... lines) {
        Fields fields = new Fields();
        for (int i = 0; i < lines.length; i += 2) {
            fields.add(FieldName.of(lines[i]), lines[i + 1]);
        }
        FrontendHeaders headers = FrontendHeaders.of(new ResponseHead(200, null, fields, BodyLength.NONE, "1.1"));
        HeaderBlock written = HeaderBlock.begin(1 << 16);
        headers.writeTo(new HpackEncoder(0), written);
        assertThat(written.length()).isLessThanOrEqualTo(headers.mostOctets());
        ByteBuf block = Unpooled.buffer();
        written.copyTo(block, 0, written.length());
        FieldSection section = new FieldSection();
        assertThat(new HpackDecoder(0, 1_000).decode(block, 0, block.writerIndex(), section))
                .isNull();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < section.count(); i++) {
            texts.add(Octets.text(section.array(), section.nameStart(i), section.nameEnd(i)));
            texts.add(Octets.text(section.array(), section.valueStart(i), section.valueEnd(i)));
        }
        return texts;
    }

    /** RFC 9113 8.2.2: TE is a request's only. */
    @Test
    void nothingAboutAConnection() {
        assertThat(of("Connection", "a", "Upgrade", "b", "TE", "trailers", "Tex", "c"))
                .containsExactly(":status", "200", "tex", "c");
    }

    @Test
    void namesInLowerCase() {
        assertThat(of("Set-Cookie", "A", "x-b", "C")).containsExactly(":status", "200", "set-cookie", "A", "x-b", "C");
    }
}
