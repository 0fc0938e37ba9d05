package io.remora.http2.hpack;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The edges of the decoder: what it refuses, and what a fault leaves in step. */
final class HpackDecoderTest {
    private final FieldSection section = new FieldSection();
    private HpackDecoder decoder = new HpackDecoder(4_096, 1_000);

    private HpackDecoder.@Nullable Fault decode(String hex) {
        return Lines.decode(decoder, Lines.block(hex), section);
    }

    /** RFC 7541 6.2.3: a hop behind this one has to know. */
    @Test
    void aLiteralThatIsNeverIndexedIsMarked() {
        // x: a by each kind of literal, with its name and by that of the table; then the line of the table
        assertThat(decode("1001780161 0001780161 4001780161 1f2f0161 0f2f0161 7e0161 be"))
                .isNull();
        for (int i = 0; i < section.count(); i++) {
            assertThat((section.facts(i) & LineFacts.NEVER_INDEXED) != 0).isEqualTo(i == 0 || i == 3);
        }
        assertThat(section.count()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // the index 0, and those behind the last line
                "80",
                "be",
                "ff80808000",
                "7e0161",
                "0f2f0161",
                // integers that are cut, too long, too large
                "ff",
                "ffff",
                "3f",
                "ff808080808000",
                "ffffffffff7f",
                "ffffffffff0f",
                "007fffffffff0f61",
                // strings that are cut, or not there
                "00",
                "0001",
                "000161",
                "00016101",
                "0401",
                "40820000",
                // changes of the table's size: too large, behind a line, a third one
                "3fe21f",
                "8220",
                "202020",
                "2a2a2a82",
                // Huffman's code: its end, more than seven bits of ones, zeros, ones that are cut
                "0084ffffffff00",
                "0485ffffffffff",
                "048207ff",
                "048118",
                "0481fe",
                "0481ff"
            })
    void refuses(String hex) {
        assertThat(decode(hex)).isEqualTo(HpackDecoder.Fault.COMPRESSION);
    }

    @ParameterizedTest
    @CsvSource({
        "82, 1",
        "20, 0",
        "3fe11f, 0",
        "203fe11f82, 1",
        // integers that are longer than they must be
        "0f80808080000161, 1",
        "3fe19f808000, 0",
        // empty strings in either form
        "0480, 1",
        "0400, 1",
        "000000, 1",
        // no padding, and three bits of it
        "04854210842108, 1",
        "048107, 1"
    })
    void takes(String hex, int lines) {
        assertThat(decode(hex)).isNull();
        assertThat(section.count()).isEqualTo(lines);
    }

    /** Each symbol as Netty encodes it, which writes a string in this code where that is shorter. */
    @Test
    void everySymbolInHuffmansCode() throws Http2Exception {
        DefaultHttp2HeadersEncoder netty = new DefaultHttp2HeadersEncoder((name, value) -> true, true, 16, 0);
        for (int symbol = 0; symbol < 256; symbol++) {
            String text = "a".repeat(40) + (char) symbol + "/e";
            ByteBuf block = Unpooled.buffer();
            netty.encodeHeaders(1, new DefaultHttp2Headers(false).add(new AsciiString("x"), Lines.octets(text)), block);
            assertThat(Lines.decode(decoder, block, section)).isNull();
            assertThat(Lines.of(section)).containsExactly("x: " + text);
            byte[] octets = Lines.octets(text).array();
            HeaderBlock written = Lines.toWrite();
            Huffman.encode(written, octets, 0, octets.length, false);
            ByteBuf code = Lines.octets(written);
            int length = code.readableBytes();
            assertThat(length).isEqualTo(Huffman.length(octets, 0, octets.length, false));
            assertThat(block.slice(block.writerIndex() - length, length)).isEqualTo(code);
        }
    }

    /** A list that is too large is read to its end, and what it put into the table is there. */
    @Test
    void aLargeListLeavesTheTableInStep() {
        // 532 octets each
        ByteBuf block = Unpooled.buffer();
        for (String name : new String[] {"x", "y", "z"}) {
            block.writeByte(0x40);
            Lines.string(block, name);
            Lines.string(block, name.repeat(499));
        }
        assertThat(Lines.decode(decoder, block, section)).isEqualTo(HpackDecoder.Fault.TOO_LARGE);
        assertThat(decode("be")).isNull();
        assertThat(Lines.of(section)).containsExactly("z: " + "z".repeat(499));
        assertThat(decode("c0")).isNull();
        assertThat(Lines.of(section)).containsExactly("x: " + "x".repeat(499));
        // 1,064 octets out of two
        assertThat(decode("bebf")).isEqualTo(HpackDecoder.Fault.TOO_LARGE);
        // exactly as many as allowed
        decoder = new HpackDecoder(4_096, 2 * 42);
        assertThat(decode("8282")).isNull();
        decoder = new HpackDecoder(4_096, 2 * 42 - 1);
        assertThat(decode("8282")).isEqualTo(HpackDecoder.Fault.TOO_LARGE);
        // what is no block is none, however large
        assertThat(decode("828280")).isEqualTo(HpackDecoder.Fault.COMPRESSION);
    }

    /** Literals of two octets that each copy a name of the whole table, once the list is too large. */
    @Test
    void copiesBeyondTheListHaveABound() {
        String name = "n".repeat(4_000);
        ByteBuf block = Unpooled.buffer().writeByte(0x40);
        Lines.string(block, name);
        Lines.string(block, "");
        int allowed = HpackDecoder.MOST_EXCESS / name.length();
        ByteBuf more = block.copy();
        for (int i = 0; i < allowed; i++) {
            block.writeShort(0x7e00);
        }
        assertThat(Lines.decode(decoder, block, section)).isEqualTo(HpackDecoder.Fault.TOO_LARGE);
        assertThat(decode("be")).isEqualTo(HpackDecoder.Fault.TOO_LARGE);
        decoder = new HpackDecoder(4_096, 1_000);
        for (int i = 0; i <= allowed; i++) {
            more.writeShort(0x7e00);
        }
        assertThat(Lines.decode(decoder, more, section)).isEqualTo(HpackDecoder.Fault.EXCESSIVE);
    }

    /** A name from a line that its own line evicts (RFC 7541 4.4). */
    @Test
    void aNameIsReadBeforeItsLineGoes() {
        decoder = new HpackDecoder(60, 1_000);
        assertThat(decode("40 0361 6263 0578 7878 7878")).isNull();
        // 60 octets with the name of the only line
        assertThat(decode("7e 19" + "79".repeat(25))).isNull();
        assertThat(Lines.of(section)).containsExactly("abc: " + "y".repeat(25));
        assertThat(decode("be")).isNull();
        assertThat(Lines.of(section)).containsExactly("abc: " + "y".repeat(25));
        // one more than the table empties it
        assertThat(decode("7e 1a" + "7a".repeat(26))).isNull();
        assertThat(decode("be")).isEqualTo(HpackDecoder.Fault.COMPRESSION);
    }

    @Test
    void aSmallerTableEvicts() {
        assertThat(decode("40 0161 0162 40 0163 0164")).isNull();
        // one of two lines of 34 octets
        assertThat(decode("3f0f be")).isNull();
        assertThat(Lines.of(section)).containsExactly("c: d");
        assertThat(decode("3fe11f bf")).isEqualTo(HpackDecoder.Fault.COMPRESSION);
        assertThat(decode("203fe11f be")).isEqualTo(HpackDecoder.Fault.COMPRESSION);
    }

    @Test
    void aBlockInsideOfABufferWithoutAnArray() {
        ByteBuf direct = UnpooledByteBufAllocator.DEFAULT.directBuffer();
        try {
            direct.writeBytes(Lines.block("ffff 8286 84 ffff"));
            assertThat(decoder.decode(direct, 2, 5, section)).isNull();
            assertThat(Lines.of(section)).containsExactly(":method: GET", ":scheme: http", ":path: /");
            assertThat(direct.readerIndex()).isZero();
        } finally {
            direct.release();
        }
    }

    /** The facts of a line stay with it in the table. */
    @ParameterizedTest
    @CsvSource({
        "host, a, 8",
        "cookie, a, 9",
        "content-length, 1, 10",
        "te, trailers, 11",
        "upgrade, x, 12",
        "keep-alive, x, 12",
        "sec-websocket-key1, x, 13",
        "sec-websocket-key2, x, 14",
        ":protocol, x, 5",
        ":status, x, 6",
        ":status2, x, 7",
        "Host, a, 32",
        "a b, a, 32",
        "a_b, a, 64",
        "A_b, a, 96",
        "a, ' b', 128",
        "a, 'b ', 128",
        "a, 'b\u0001c', 128",
        "a, 'b\u007f', 128",
        "a, 'b\tc\u00e9', 0",
        "'', b, 32"
    })
    void factsOfALine(String name, String value, int facts) {
        ByteBuf block = Unpooled.buffer().writeByte(0x40);
        Lines.string(block, name);
        Lines.string(block, value);
        assertThat(Lines.decode(decoder, block, section)).isNull();
        assertThat(section.facts(0)).isEqualTo(facts);
        assertThat(decode("be")).isNull();
        assertThat(section.facts(0)).isEqualTo(facts);
        // another value with the same name
        assertThat(decode("0f2f 00")).isNull();
        assertThat(section.facts(0)).isEqualTo(facts & ~LineFacts.BAD_VALUE);
    }

    @Test
    void factsOfTheStaticTable() {
        for (int i = 1; i <= StaticTable.LENGTH; i++) {
            assertThat(Lines.decode(decoder, Unpooled.buffer().writeByte(0x80 | i), section))
                    .isNull();
            int end = section.nameEnd(0);
            assertThat(section.facts(0)).isEqualTo(LineFacts.ofName(section.array(), section.nameStart(0), end));
        }
    }
}
