package io.remora.http2.hpack;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random sections between our encoder and decoder and Netty's, in either direction, and damaged blocks, of which both decoders make
 * the same. {@code scripts/fuzz-hpack} has Jazzer look for what this does not find.
 */
final class HpackFuzzTest {
    private static final int CONNECTIONS = 200;
    private static final int SECTIONS = 40;
    private static final int DAMAGED = 20_000;

    private final long seed = Long.getLong("remora.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final HpackSeeds seeds = new HpackSeeds(random);

    private static List<String> lines(List<String[]> section) {
        List<String> lines = new ArrayList<>();
        for (String[] line : section) {
            lines.add(line[0] + ": " + line[1]);
        }
        return lines;
    }

    private static ByteBuf nettys(DefaultHttp2HeadersEncoder encoder, List<String[]> section) throws Http2Exception {
        Http2Headers headers = new DefaultHttp2Headers(false);
        for (String[] line : section) {
            headers.add(Lines.octets(line[0]), Lines.octets(line[1]));
        }
        ByteBuf block = Unpooled.buffer();
        encoder.encodeHeaders(1, headers, block);
        return block;
    }

    @Test
    void ourDecoderReadsWhatNettyWrites() throws Http2Exception {
        int octets = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            int most = random.nextInt(3) == 0 ? random.nextInt(200) : random.nextInt(20_000);
            HpackDecoder decoder = new HpackDecoder(Math.max(4_096, most), Integer.MAX_VALUE);
            DefaultHttp2HeadersEncoder encoder =
                    new DefaultHttp2HeadersEncoder((name, value) -> false, true, 16, random.nextInt(600));
            FieldSection read = new FieldSection();
            for (int j = 0; j < SECTIONS; j++) {
                if (random.nextInt(6) == 0) {
                    encoder.maxHeaderTableSize(random.nextInt(most + 1));
                }
                List<String[]> section = seeds.section();
                ByteBuf block = nettys(encoder, section);
                octets += block.readableBytes();
                assertThat(Lines.decode(decoder, block, read))
                        .as("-Dremora.test.seed=" + seed)
                        .isNull();
                assertThat(Lines.of(read)).as("-Dremora.test.seed=" + seed).isEqualTo(lines(section));
            }
        }
        assertThat(octets).isGreaterThan(CONNECTIONS * SECTIONS * 50);
    }

    @Test
    void nettyReadsWhatOurEncoderWrites() throws Http2Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            int most = random.nextInt(3) == 0 ? random.nextInt(200) : random.nextInt(10_000);
            DefaultHttp2HeadersDecoder netty = new DefaultHttp2HeadersDecoder(false, Integer.MAX_VALUE);
            HpackDecoder own = new HpackDecoder(Math.max(most, 4_096), Integer.MAX_VALUE);
            HpackEncoder encoder = new HpackEncoder(most);
            FieldSection read = new FieldSection();
            for (int j = 0; j < SECTIONS; j++) {
                for (int changes = random.nextInt(12); changes > 8; changes--) {
                    int octets = random.nextInt(12_000);
                    netty.maxHeaderTableSize(octets);
                    encoder.peerTableOctets(octets);
                }
                List<String[]> section = seeds.section();
                ByteBuf block = seeds.block(encoder, section);
                assertThat(Lines.decode(own, block, read))
                        .as("-Dremora.test.seed=" + seed)
                        .isNull();
                assertThat(Lines.of(read)).as("-Dremora.test.seed=" + seed).isEqualTo(lines(section));
                assertThat(Lines.of(netty.decodeHeaders(1, block)))
                        .as("-Dremora.test.seed=" + seed)
                        .isEqualTo(lines(section));
            }
        }
    }

    @Test
    void damagedBlocksAreJudgedAlike() {
        int taken = 0;
        for (int i = 0; i < DAMAGED; i++) {
            byte[] input = seeds.connection();
            for (int times = random.nextInt(4); times > 0; times--) {
                input[random.nextInt(input.length)] = (byte) (random.nextInt(3) == 0 ? 0xff : random.nextInt(256));
            }
            if (random.nextInt(4) == 0) {
                input = Arrays.copyOf(input, random.nextInt(input.length));
            }
            try {
                taken += HpackFuzz.judge(input);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("-Dremora.test.seed=" + seed + ", " + Arrays.toString(input), e);
            }
        }
        assertThat(taken).isGreaterThan(DAMAGED / 2);
    }
}
