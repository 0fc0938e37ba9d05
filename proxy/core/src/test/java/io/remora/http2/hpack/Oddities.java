package io.remora.http2.hpack;

import io.netty.buffer.ByteBuf;

/**
 * The blocks on which our decoder is stricter than Netty's, as RFC 7541 has it: a third change of the table's size (4.2), and an
 * integer of more than five octets beyond the first (5.1).
 */
public final class Oddities {
    private static final int MOST_UPDATES = 2;
    private static final int MOST_OCTETS = 5;

    private final ByteBuf in;
    private boolean odd;

    private Oddities(ByteBuf in) {
        this.in = in;
    }

    /** Returns whether a block has one of them, no matter what else is wrong with it. */
    public static boolean in(ByteBuf block) {
        Oddities oddities = new Oddities(block.duplicate());
        oddities.read();
        return oddities.odd;
    }

    private void read() {
        int updates = 0;
        while (in.isReadable()) {
            int first = in.readUnsignedByte();
            if (first >= 0x80) {
                integer(first, 0x7f);
            } else if ((first & 0xe0) == 0x20) {
                odd |= ++updates > MOST_UPDATES;
                integer(first, 0x1f);
            } else {
                if (integer(first, first >= 0x40 ? 0x3f : 0x0f) == 0) {
                    string();
                }
                string();
            }
        }
    }

    private void string() {
        if (in.isReadable()) {
            long length = integer(in.readUnsignedByte(), 0x7f);
            in.skipBytes((int) Math.min(length, in.readableBytes()));
        }
    }

    private long integer(int first, int prefix) {
        long value = first & prefix;
        if (value < prefix) {
            return value;
        }
        int octets = 0;
        int octet = 0x80;
        while (octet >= 0x80 && in.isReadable()) {
            octet = in.readUnsignedByte();
            value += octets < MOST_OCTETS ? (octet & 0x7fL) << 7 * octets : 0;
            octets++;
        }
        odd |= octets > MOST_OCTETS;
        return value;
    }
}
