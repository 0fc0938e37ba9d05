package io.remora.http2.hpack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Our HPACK and nghttp2's: each reads what the other writes, and both make the same of damaged blocks. {@code
 * scripts/test-hpack} starts it with the program of {@code src/test/c/hpack.c} and a number of connections.
 */
public final class Nghttp2Program {
    private static final int SECTIONS = 20;

    private final long seed = Long.getLong("remora.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final HpackSeeds seeds = new HpackSeeds(random);
    private final Nghttp2 nghttp2;
    private int blocks;
    private int refused;

    private Nghttp2Program(Nghttp2 nghttp2) {
        this.nghttp2 = nghttp2;
    }

    public static void main(String[] arguments) throws IOException {
        try (Nghttp2 nghttp2 = new Nghttp2(arguments[0])) {
            Nghttp2Program program = new Nghttp2Program(nghttp2);
            for (int left = Integer.parseInt(arguments[1]); left > 0; left--) {
                program.valid();
                program.damaged();
            }
            System.out.println(program.blocks + " blocks agree with nghttp2, of which it refused " + program.refused);
            if (program.refused == 0) {
                throw new AssertionError("no damage was refused");
            }
        }
    }

    private void valid() throws IOException {
        nghttp2.connect();
        HpackEncoder encoder = new HpackEncoder(random.nextInt(4_097));
        HpackDecoder decoder = new HpackDecoder(4_096, Integer.MAX_VALUE);
        FieldSection read = new FieldSection();
        for (int i = 0; i < SECTIONS; i++) {
            if (random.nextInt(4) == 0) {
                encoder.peerTableOctets(random.nextInt(4_097));
            }
            List<String[]> section = seeds.section();
            String meant = hex(section);
            String answer = nghttp2.decode(seeds.block(encoder, section));
            require(answer.equals("ok" + meant), "nghttp2 reads our block as " + answer + ", not as " + meant);
            String written = nghttp2.ask("encode" + meant);
            ByteBuf block = Lines.block(written.equals(" -") ? "" : written);
            require(Lines.decode(decoder, block, read) == null, "nghttp2's block is refused: " + Nghttp2.hex(block));
            String own = Nghttp2.decoded(read);
            require(own.equals("ok" + meant), "nghttp2's block is read as " + own + ", not as " + meant);
            blocks += 2;
        }
    }

    private void damaged() throws IOException {
        nghttp2.connect();
        HpackEncoder encoder = new HpackEncoder(4_096);
        HpackDecoder decoder = new HpackDecoder(4_096, Integer.MAX_VALUE);
        FieldSection read = new FieldSection();
        for (int i = 0; i < SECTIONS; i++) {
            byte[] octets = ByteBufUtil.getBytes(seeds.block(encoder, seeds.section()));
            for (int times = random.nextInt(3); times > 0 && octets.length > 0; times--) {
                octets[random.nextInt(octets.length)] = (byte) (random.nextBoolean() ? 0xff : random.nextInt(256));
            }
            ByteBuf block = Unpooled.wrappedBuffer(octets);
            boolean taken = Lines.decode(decoder, block, read) == null;
            if (!taken && Oddities.in(block)) {
                // nghttp2 takes a third change of the table's size
                return;
            }
            String answer = nghttp2.decode(block);
            String ours = taken ? Nghttp2.decoded(read) : Nghttp2.ERROR;
            require(ours.equals(answer), Nghttp2.hex(block) + " is " + ours + ", but nghttp2 has " + answer);
            blocks++;
            if (!taken) {
                refused++;
                return;
            }
        }
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("-Dremora.test.seed=" + seed + ": " + what);
        }
    }

    private static String hex(List<String[]> section) {
        StringBuilder all = new StringBuilder();
        for (String[] line : section) {
            for (String text : new String[] {line[0].toLowerCase(Locale.ROOT), line[1]}) {
                byte[] octets = text.getBytes(StandardCharsets.ISO_8859_1);
                Nghttp2.append(all, octets, 0, octets.length);
            }
        }
        return all.toString();
    }
}
