package io.remora.http2.hpack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random sections, and connections with blocks of them; its main writes some into a directory, for fuzzers to begin with. */
public final class HpackSeeds {
    private static final int SEEDS = 64;

    private static final String[] NAMES = {
        "accept",
        "authorization",
        "cookie",
        "content-type",
        "date",
        "etag",
        "host",
        "set-cookie",
        "server",
        "via",
        "x-request-id",
        "traceparent",
        "grpc-status",
        "grpc-timeout",
        "te",
        "a",
        "x_b",
        "x-long-name-of-no-meaning"
    };
    private static final String[] PSEUDO = {":method", ":path", ":scheme", ":authority", ":status", ":protocol"};
    private static final String[] VALUES = {
        "", "GET", "/", "200", "gzip, deflate", "text/html", "application/grpc", "trailers", "a", "1.1 remora", "*/*"
    };

    private final Random random;

    HpackSeeds(Random random) {
        this.random = random;
    }

    private String pick(String... from) {
        return from[random.nextInt(from.length)];
    }

    private String value() {
        int kind = random.nextInt(8);
        if (kind < 4) {
            return pick(VALUES);
        }
        // text, or any octets
        int least = kind < 7 ? ' ' : 0;
        int most = kind < 7 ? 0x7f : 0x100;
        StringBuilder value = new StringBuilder();
        for (int left = random.nextInt(kind == 6 ? 400 : 40); left > 0; left--) {
            value.append((char) (least + random.nextInt(most - least)));
        }
        return value.toString();
    }

    /** Returns names and values. */
    List<String[]> section() {
        List<String[]> section = new ArrayList<>();
        for (int left = random.nextInt(5); left > 0; left--) {
            section.add(new String[] {pick(PSEUDO), value()});
        }
        for (int left = random.nextInt(12); left > 0; left--) {
            section.add(new String[] {pick(NAMES), value()});
        }
        return section;
    }

    ByteBuf block(HpackEncoder encoder, List<String[]> section) {
        HeaderBlock block = Lines.toWrite();
        encoder.begin(block);
        for (String[] line : section) {
            encoder.line(block, Lines.octets(line[0]), Lines.octets(line[1]), random.nextInt(8) == 0);
        }
        return Lines.octets(block);
    }

    /** A connection of our blocks, as {@link HpackFuzz} reads it. */
    byte[] connection() {
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        made.write(random.nextInt(256));
        made.write(random.nextInt(256));
        HpackEncoder encoder = new HpackEncoder(random.nextInt(4_097));
        for (int left = 1 + random.nextInt(6); left > 0; left--) {
            List<String[]> section = section();
            byte[] block = ByteBufUtil.getBytes(block(encoder, section.subList(0, Math.min(4, section.size()))));
            if (block.length > 255) {
                break;
            }
            made.write(block.length);
            made.write(block, 0, block.length);
        }
        return made.toByteArray();
    }

    public static void main(String[] arguments) throws IOException {
        HpackSeeds seeds = new HpackSeeds(new Random(SEEDS));
        for (int i = 0; i < SEEDS; i++) {
            Files.write(Path.of(arguments[0], Integer.toString(i)), seeds.connection());
        }
    }
}
