package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.HpackEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a request's fields. */
final class BackendFieldsTest {
    /** Reads back what the section writes, whose size has to be as it says. */
    private static List<String> lines(BackendFields section) {
        HeaderBlock written = HeaderBlock.begin(1 << 16);
        HpackEncoder encoder = new HpackEncoder(0);
        encoder.begin(written);
        int begun = written.length();
        section.writeTo(encoder, written);
        assertThat(written.length() - begun).isLessThanOrEqualTo(section.mostOctets());
        ByteBuf block = Unpooled.buffer();
        written.copyTo(block, 0, written.length());
        FieldSection read = new FieldSection();
        HpackDecoder decoder = new HpackDecoder(Frames.FIRST_TABLE, Integer.MAX_VALUE);
        assertThat(decoder.decode(block, 0, block.writerIndex(), read)).isNull();
        List<String> lines = new ArrayList<>();
        int octets = 0;
        for (int i = 0; i < read.count(); i++) {
            String name = text(read, read.nameStart(i), read.nameEnd(i));
            String value = text(read, read.valueStart(i), read.valueEnd(i));
            lines.add(name + ": " + value);
            octets += name.length() + value.length() + 32;
        }
        assertThat(section.listOctets()).isEqualTo(octets);
        return lines;
    }

    private static String text(FieldSection section, int from, int to) {
        return new String(section.array(), from, to - from, StandardCharsets.ISO_8859_1);
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
    void aTunnelNamesItsProtocolAndKeepsItsKey() {
        Fields fields = fields("Host", "h", "Upgrade", "websocket", "Sec-WebSocket-Key", "k");
        RequestHead head = new RequestHead("GET", Octets.of("/a"), Octets.of("h"), "1.1", fields, BodyLength.NONE);
        assertThat(lines(BackendFields.connect(head, AsciiString.of("http"))))
                .containsExactly(
                        ":method: CONNECT",
                        ":scheme: http",
                        ":authority: h",
                        ":path: /a",
                        ":protocol: websocket",
                        "sec-websocket-key: k");
    }

    @Test
    void trailersAreFieldsInLowerCase() {
        assertThat(lines(BackendFields.trailers(fields("X-Sum", "A")))).containsExactly("x-sum: A");
    }

    /** RFC 7541 6.2.3: no hop behind this one is to keep them either. */
    @ParameterizedTest
    @ValueSource(strings = {"authorization", "cookie", "proxy-authorization"})
    void secretsAreNeverKept(String name) {
        assertThat(firstOctet(name) & 0xf0).isEqualTo(0x10);
        assertThat(firstOctet("accept") & 0xf0).isZero();
    }

    private static int firstOctet(String name) {
        HeaderBlock block = HeaderBlock.begin(100);
        HpackEncoder encoder = new HpackEncoder(0);
        encoder.begin(block);
        // the table's size, which is announced once
        int begun = block.length();
        encoder.line(block, AsciiString.of(name), AsciiString.of("a"), false);
        ByteBuf first = Unpooled.buffer();
        block.copyTo(first, begun, 1);
        return first.getUnsignedByte(0);
    }
}
