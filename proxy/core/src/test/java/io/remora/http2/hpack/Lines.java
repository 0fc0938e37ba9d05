package io.remora.http2.hpack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sections as texts: a line is {@code name: value}, one character an octet. */
public final class Lines {
    private Lines() {}

    /** Returns the lines of a section. */
    static List<String> of(FieldSection section) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < section.count(); i++) {
            lines.add(text(section.array(), section.nameStart(i), section.nameEnd(i)) + ": "
                    + text(section.array(), section.valueStart(i), section.valueEnd(i)));
        }
        return lines;
    }

    static List<String> of(Http2Headers headers) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<CharSequence, CharSequence> line : headers) {
            lines.add(line.getKey() + ": " + line.getValue());
        }
        return lines;
    }

    private static String text(byte[] octets, int from, int to) {
        return new String(octets, from, to - from, StandardCharsets.ISO_8859_1);
    }

    static AsciiString octets(String text) {
        return new AsciiString(text.getBytes(StandardCharsets.ISO_8859_1), false);
    }

    /** Returns a block in hexadecimal digits, spaces aside. */
    static ByteBuf block(String hex) {
        String digits = hex.replace(" ", "");
        ByteBuf block = Unpooled.buffer(digits.length() / 2);
        for (int i = 0; i < digits.length(); i += 2) {
            block.writeByte(Integer.parseInt(digits.substring(i, i + 2), 16));
        }
        return block;
    }

    /** Returns a block that has room for any section of the tests. */
    static HeaderBlock toWrite() {
        HeaderBlock block = new HeaderBlock();
        block.clear(1 << 16);
        return block;
    }

    static ByteBuf octets(HeaderBlock block) {
        ByteBuf octets = Unpooled.buffer(block.length());
        block.copyTo(octets, 0, block.length());
        return octets;
    }

    static HpackDecoder.@Nullable Fault decode(HpackDecoder decoder, ByteBuf block, FieldSection into) {
        return decoder.decode(block, block.readerIndex(), block.writerIndex(), into);
    }

    /** Returns the section of names and values, each after the other, as a decoder makes it of our encoder's block. */
    public static FieldSection section(String... namesAndValues) {
        ByteBuf block = Unpooled.buffer();
        // values as they are, and names too: no letter case is lost in a name that is not in a table
        for (int i = 0; i < namesAndValues.length; i += 2) {
            block.writeByte(0);
            string(block, namesAndValues[i]);
            string(block, namesAndValues[i + 1]);
        }
        FieldSection section = new FieldSection();
        if (decode(new HpackDecoder(0, Integer.MAX_VALUE), block, section) != null) {
            throw new AssertionError("not a block");
        }
        return section;
    }

    /** Writes a string without Huffman's code. */
    static void string(ByteBuf block, String text) {
        int length = text.length();
        if (length < 0x7f) {
            block.writeByte(length);
        } else {
            block.writeByte(0x7f);
            int left = length - 0x7f;
            while (left > 0x7f) {
                block.writeByte(left & 0x7f | 0x80);
                left >>>= 7;
            }
            block.writeByte(left);
        }
        block.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    }
}
