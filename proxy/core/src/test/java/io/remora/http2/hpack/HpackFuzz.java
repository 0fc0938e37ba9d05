package io.remora.http2.hpack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Any octets as the blocks of a connection: our decoder and Netty's agree on each, and on what they leave in the table; what they
 * are encoded to by our encoder, Netty's decoder reads alike. With {@link #NGHTTP2} nghttp2 is asked as well. A fuzzer calls
 * {@link #fuzzerTestOneInput}; that of {@code scripts/fuzz-hpack} is Jazzer, that of {@link HpackFuzzTest} our own.
 *
 * <p>The first octet of an input is the size of the list, the second one that of the encoder's table; then each block
 * has an octet with its length before it.
 */
public final class HpackFuzz {
    private static final int TABLE_OCTETS = 4_096;
    private static final int UNIT = 64;
    /** System property with the program of nghttp2's HPACK. */
    private static final String NGHTTP2 = "remora.test.nghttp2";

    private static final @Nullable Nghttp2 OTHER = nghttp2();

    private final HpackDecoder decoder;
    private final DefaultHttp2HeadersDecoder netty;
    private final FieldSection section = new FieldSection();
    private final HpackEncoder encoder;
    private final DefaultHttp2HeadersDecoder reader = new DefaultHttp2HeadersDecoder(false, Integer.MAX_VALUE);
    private int taken;

    private HpackFuzz(int listOctets, int tableOctets) {
        decoder = new HpackDecoder(TABLE_OCTETS, listOctets);
        netty = new DefaultHttp2HeadersDecoder(false, listOctets);
        encoder = new HpackEncoder(tableOctets);
    }

    private static @Nullable Nghttp2 nghttp2() {
        String program = System.getProperty(NGHTTP2);
        try {
            return program == null ? null : new Nghttp2(program);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void fuzzerTestOneInput(byte[] input) {
        judge(input);
    }

    /** Returns how many blocks were taken. */
    static int judge(byte[] input) {
        if (input.length < 2) {
            return 0;
        }
        HpackFuzz fuzz = new HpackFuzz((1 + (input[0] & 0xff)) * UNIT + 1, (input[1] & 0xff) * UNIT);
        if (OTHER != null) {
            connect(OTHER);
        }
        boolean goesOn = true;
        for (int at = 2; goesOn && at < input.length; ) {
            int length = Math.min(input[at] & 0xff, input.length - at - 1);
            goesOn = fuzz.block(Unpooled.wrappedBuffer(input, at + 1, length));
            at += 1 + length;
        }
        return fuzz.taken;
    }

    // false behind the end of the connection
    private boolean block(ByteBuf block) {
        HpackDecoder.Fault fault = Lines.decode(decoder, block, section);
        List<String> lines = fault == null ? lines(false) : List.of();
        boolean odd = Oddities.in(block);
        String verdict;
        List<String> read = List.of();
        try {
            read = Lines.of(netty.decodeHeaders(1, block.duplicate()));
            verdict = "null";
        } catch (Http2Exception.HeaderListSizeException e) {
            verdict = "TOO_LARGE";
        } catch (Http2Exception e) {
            verdict = "COMPRESSION";
        }
        if (odd && fault == HpackDecoder.Fault.COMPRESSION) {
            // stricter than Netty
            return false;
        }
        require(verdict.equals(String.valueOf(fault)), fault + ", but Netty " + verdict);
        require(lines.equals(read), lines + ", but Netty " + read);
        if (OTHER != null && fault != HpackDecoder.Fault.EXCESSIVE) {
            ask(OTHER, block, fault);
        }
        if (fault == null) {
            taken++;
            encode();
        }
        return fault == null || fault == HpackDecoder.Fault.TOO_LARGE;
    }

    private static void connect(Nghttp2 nghttp2) {
        try {
            nghttp2.connect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // it has no bound on a list
    private void ask(Nghttp2 nghttp2, ByteBuf block, HpackDecoder.@Nullable Fault fault) {
        try {
            String answer = nghttp2.decode(block);
            boolean agrees = fault == null
                    ? answer.equals(Nghttp2.decoded(section))
                    : answer.equals(Nghttp2.ERROR) == (fault == HpackDecoder.Fault.COMPRESSION);
            require(agrees, (fault == null ? Nghttp2.decoded(section) : fault) + ", but nghttp2 " + answer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the lines as Netty keeps them, pseudo-fields first. */
    private List<String> lines(boolean lower) {
        List<String> lines = Lines.of(section);
        List<String> sorted = new ArrayList<>();
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < lines.size(); i++) {
                int length = section.nameEnd(i) - section.nameStart(i);
                boolean pseudo = length > 0 && section.array()[section.nameStart(i)] == ':';
                if (pseudo == (pass == 0)) {
                    String name = lines.get(i).substring(0, length);
                    sorted.add((lower ? lower(name) : name) + lines.get(i).substring(length));
                }
            }
        }
        return sorted;
    }

    private void encode() {
        HeaderBlock out = Lines.toWrite();
        encoder.begin(out);
        for (int i = 0; i < section.count(); i++) {
            encoder.line(
                    out,
                    section.array(),
                    section.nameStart(i),
                    section.nameEnd(i),
                    section.array(),
                    section.valueStart(i),
                    section.valueEnd(i),
                    false);
        }
        try {
            Http2Headers read = reader.decodeHeaders(1, Lines.octets(out));
            require(lines(true).equals(Lines.of(read)), lines(true) + ", but Netty read " + Lines.of(read));
        } catch (Http2Exception e) {
            throw new AssertionError("our block of " + lines(true), e);
        }
    }

    private static String lower(String name) {
        StringBuilder lower = new StringBuilder(name);
        for (int i = 0; i < name.length(); i++) {
            char character = name.charAt(i);
            lower.setCharAt(i, character >= 'A' && character <= 'Z' ? (char) (character | 0x20) : character);
        }
        return lower.toString();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
