package io.remora.proxyprotocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.proxyprotocol.ProxyHeader.Progress;
import io.remora.text.IpAddress;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** However the octets come, the same is read, up to the same octet: both versions, whole, wrong and damaged. */
final class ProxyHeaderTest {
    private static final int DAMAGED = 20_000;
    private static final String BEHIND = "GET / HTTP/1.1\r\n\r\n";
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final String V4 = "cb007107c0000201c8221f90";
    private static final String V6 =
            "20010db8000000000000000000000007" + "20010db8000000000000000000000001" + "c8221f90";

    /** Those that are whole, each with whom it names; null for nobody. */
    private static final List<Known> WHOLE = List.of(
            line("PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080", "203.0.113.7"),
            line("PROXY TCP4 0.0.0.0 255.255.255.255 0 65535", "0.0.0.0"),
            line("PROXY TCP6 2001:db8::7 2001:db8::1 1 2", "2001:db8:0:0:0:0:0:7"),
            line("PROXY TCP6 ::ffff:203.0.113.7 ::1 1 2", "203.0.113.7"),
            line("PROXY UNKNOWN", null),
            line("PROXY UNKNOWN ffff:f...f:ffff 65535 " + "x".repeat(60), null),
            octets(SIGNATURE + "2111000c" + V4, "203.0.113.7"),
            octets(SIGNATURE + "21110013" + V4 + "05000431323334", "203.0.113.7"),
            octets(SIGNATURE + "21210024" + V6, "2001:db8:0:0:0:0:0:7"),
            octets(SIGNATURE + "2121012f" + V6 + "040108" + "00".repeat(264), "2001:db8:0:0:0:0:0:7"),
            octets(SIGNATURE + "20000000", null),
            octets(SIGNATURE + "2011000c" + V4, null),
            octets(SIGNATURE + "21000003" + "040000", null),
            octets(SIGNATURE + "213100d8" + "2f61".repeat(108), null));

    /** Those that are broken, each at its last octet. */
    private static final List<byte[]> BROKEN = List.of(
            text("X"),
            text("PROXX"),
            text("PROXY TCP4 203.0.113.7 192.0.2.1 1 2\n"),
            text("PROXY TCP4 203.0.113.7 192.0.2.1 1\r\n"),
            text("PROXY TCP4 203.0.113.7 192.0.2.1 1 2 \r\n"),
            text("PROXY TCP4 203.0.113.7 192.0.2.1 1 65536\r\n"),
            text("PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n"),
            text("PROXY TCP6 203.0.113.7 192.0.2.1 1 2\r\n"),
            text("PROXY UNKNOWNS\r\n"),
            text("PROXY \r\n"),
            text("PROXY " + "x".repeat(101)),
            hex("0d0a0d0a000d0a515549540b"),
            hex(SIGNATURE + "1111000c"),
            hex(SIGNATURE + "2211000c"),
            hex(SIGNATURE + "2112000c"),
            hex(SIGNATURE + "2111000b"),
            hex(SIGNATURE + "2121000c"),
            hex(SIGNATURE + "213100d7"),
            hex(SIGNATURE + "21110ff1"),
            hex(SIGNATURE + "2000ffff"));

    private record Known(byte[] octets, @Nullable String source) {}

    /** What came of a reader, and of how many octets. */
    private record Read(Progress progress, @Nullable String source, int taken) {}

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private static Known line(String line, @Nullable String source) {
        return new Known(text(line + "\r\n"), source);
    }

    private static Known octets(String digits, @Nullable String source) {
        return new Known(hex(digits), source);
    }

    private static byte[] joined(byte[] first, byte[] second) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(first);
        all.writeBytes(second);
        return all.toByteArray();
    }

    /** Cut at these places; nothing is given to a reader that is done. */
    private static Read read(byte[] octets, int... cuts) {
        ProxyHeader header = new ProxyHeader();
        int from = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i < cuts.length ? cuts[i] : octets.length;
            ByteBuf wire = Unpooled.wrappedBuffer(octets, from, to - from);
            Progress progress = header.read(wire);
            int taken = to - wire.readableBytes();
            if (progress != Progress.MORE) {
                return new Read(progress, header.source(), taken);
            }
            assertThat(taken).as("all that came").isEqualTo(to);
            from = to;
        }
        return new Read(Progress.MORE, header.source(), from);
    }

    private static Read octetByOctet(byte[] octets) {
        int[] cuts = new int[octets.length];
        Arrays.setAll(cuts, i -> i);
        return read(octets, cuts);
    }

    private static void isReadAlikeAtEverySplit(byte[] octets, Read expected) {
        assertThat(read(octets)).as(HexFormat.of().formatHex(octets)).isEqualTo(expected);
        assertThat(octetByOctet(octets)).isEqualTo(expected);
        for (int at = 0; at <= octets.length; at++) {
            assertThat(read(octets, at)).as("split at %s", at).isEqualTo(expected);
        }
    }

    @Test
    void takesWhatIsWholeAndNothingBehindIt() {
        for (Known each : WHOLE) {
            Read expected = new Read(Progress.WHOLE, each.source, each.octets.length);
            isReadAlikeAtEverySplit(each.octets, expected);
            isReadAlikeAtEverySplit(joined(each.octets, text(BEHIND)), expected);
        }
    }

    @Test
    void waitsForTheLastOctet() {
        for (Known each : WHOLE) {
            for (int length = 0; length < each.octets.length; length++) {
                byte[] begun = Arrays.copyOf(each.octets, length);
                assertThat(octetByOctet(begun)).isEqualTo(new Read(Progress.MORE, null, length));
                assertThat(read(begun)).isEqualTo(new Read(Progress.MORE, null, length));
            }
        }
    }

    @Test
    void refusesAtTheOctetThatIsWrong() {
        for (byte[] each : BROKEN) {
            Read expected = new Read(Progress.BROKEN, null, each.length);
            isReadAlikeAtEverySplit(each, expected);
            isReadAlikeAtEverySplit(joined(each, text(BEHIND)), expected);
        }
    }

    /** Seeded; whatever it is, it is read, refused or waited for, within the bounds, and alike however it comes. */
    @Test
    void readsOrRefusesThemDamaged() {
        long number = Long.getLong("remora.test.seed", System.nanoTime());
        Random random = new Random(number);
        List<byte[]> seeds = new ArrayList<>(BROKEN);
        WHOLE.forEach(each -> seeds.add(each.octets));
        int[] times = new int[Progress.values().length];
        for (int i = 0; i < DAMAGED; i++) {
            byte[] damaged = joined(damaged(seeds.get(random.nextInt(seeds.size())), random), text(BEHIND));
            try {
                Read read = read(damaged);
                times[read.progress.ordinal()]++;
                int first = random.nextInt(damaged.length);
                assertThat(read(damaged, first, first + random.nextInt(damaged.length - first)))
                        .isEqualTo(read);
                assertThat(octetByOctet(damaged)).isEqualTo(read);
                holds(read, damaged);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "-Dremora.test.seed=" + number + ", " + HexFormat.of().formatHex(damaged), e);
            }
        }
        assertThat(times).as("each of them, so that it is not for nothing").doesNotContain(0);
    }

    private static void holds(Read read, byte[] octets) {
        assertThat(read.taken).isLessThanOrEqualTo(octets[0] == 'P' ? 107 : 4_096);
        if (read.progress != Progress.WHOLE) {
            assertThat(read.source).isNull();
        } else if (read.source != null) {
            assertThat(new IpAddress().parse(read.source)).as(read.source).isTrue();
        }
    }

    /** Flips, overwrites, drops, repeats or cuts, once or a few times. */
    private static byte[] damaged(byte[] octets, Random random) {
        byte[] now = octets.clone();
        for (int times = 1 + random.nextInt(3); times > 0 && now.length > 0; times--) {
            int at = random.nextInt(now.length);
            switch (random.nextInt(5)) {
                case 0 -> now[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> now[at] = (byte) random.nextInt();
                case 2 -> now = joined(Arrays.copyOf(now, at), Arrays.copyOfRange(now, at + 1, now.length));
                case 3 -> now = joined(Arrays.copyOf(now, at + 1), Arrays.copyOfRange(now, at, now.length));
                default -> now = Arrays.copyOf(now, at);
            }
        }
        return now;
    }
}
