package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.remora.http.Octets;
import io.remora.http.Rule;

/**
 * Reads the octets before each chunk of one body: the end of the chunk before it, and the line with its size, whose
 * extensions are judged and then ignored. After the last chunk it reads the empty line, where there are no trailers.
 *
 * <p>Owner: one body. Cost: a few octets are copied for each chunk, as one octet of a buffer costs as much as many of
 * an array. Bounds: the line's length.
 *
 * <p>Spec: RFC 9112 sections 7.1 and 7.1.1.
 */
final class ChunkLine {
    private static final int STEP_OCTETS = 32;
    private static final int RADIX = 16;

    // what the next octet belongs to
    private static final int SIZE_START = 0;
    private static final int SIZE = 1;
    private static final int BEHIND_SIZE = 2;
    private static final int NAME = 3;
    private static final int VALUE_START = 4;
    private static final int VALUE = 5;
    private static final int QUOTED = 6;
    private static final int ESCAPED = 7;
    private static final int BEHIND_QUOTED = 8;
    private static final int LINE_FEED = 9;
    private static final int CHUNK_END = 10;
    private static final int CHUNK_LINE_FEED = 11;
    private static final int LAST_LINE = 12;
    private static final int LAST_LINE_FEED = 13;
    // nothing more
    private static final int WRONG = 14;
    private static final int CHUNK = 15;
    private static final int TRAILERS = 16;
    private static final int ENDED = 17;

    private static final boolean[] EXTENSION = new boolean[256];

    static {
        for (int i = '!'; i <= '~'; i++) {
            EXTENSION[i] = "(),/:<=>?@[\\]{}".indexOf(i) < 0;
        }
    }

    private final int maxOctets;
    private final boolean padded;
    private final byte[] step = new byte[STEP_OCTETS];
    private int place = SIZE_START;
    /** Place of the octet before which nothing was wrong. */
    private int last = SIZE_START;

    private int octets;
    private long size;

    /**
     * @param padded whether spaces may stand between a size and the end of its line, as some old servers fill up a fixed width
     */
    ChunkLine(int maxOctets, boolean padded) {
        this.maxOctets = maxOctets;
        this.padded = padded;
    }

    /** Octets of the chunk that comes next; 0 after the last one. */
    int size() {
        return (int) size;
    }

    /** Returns whether trailers follow the last chunk. */
    boolean hasTrailers() {
        return place == TRAILERS;
    }

    /** The rule that is broken, where {@link #read} has refused. */
    Rule rule() {
        if (octets > maxOctets) {
            return Rule.LINE_TOO_LONG;
        }
        return switch (last) {
            case SIZE_START, SIZE, BEHIND_SIZE -> Rule.CHUNK_SIZE;
            case LINE_FEED -> Rule.BARE_CR;
            case CHUNK_END, CHUNK_LINE_FEED, LAST_LINE, LAST_LINE_FEED -> Rule.CHUNK_END;
            default -> Rule.CHUNK_EXTENSION;
        };
    }

    /** Takes octets out of {@code in}, up to the next chunk or what follows the last one. */
    Progress read(ByteBuf in) {
        if (place == CHUNK) {
            place = CHUNK_END;
            size = 0;
        }
        while (place < WRONG && in.isReadable()) {
            int count = Math.min(in.readableBytes(), STEP_OCTETS);
            in.getBytes(in.readerIndex(), step, 0, count);
            in.skipBytes(read(count));
        }
        if (place == WRONG) {
            return Progress.REFUSED;
        }
        return place > WRONG ? Progress.DONE : Progress.MORE;
    }

    private int read(int count) {
        int used = 0;
        while (used < count && place < WRONG) {
            int next = behind(place, step[used]);
            last = next == WRONG ? place : last;
            place = next;
            if (place == TRAILERS) {
                // the octet is the first one of a field line
                return used;
            }
            used++;
        }
        return used;
    }

    private int behind(int at, byte octet) {
        if (at <= BEHIND_QUOTED && octet != '\r' && ++octets > maxOctets) {
            return WRONG;
        }
        return switch (at) {
            case SIZE_START, SIZE -> behindSize(at, octet);
            case LINE_FEED -> octet == '\n' ? behindLine() : WRONG;
            case BEHIND_SIZE -> behindSpaces(octet);
            case CHUNK_END -> octet == '\r' ? CHUNK_LINE_FEED : WRONG;
            case CHUNK_LINE_FEED -> octet == '\n' ? SIZE_START : WRONG;
            case LAST_LINE -> octet == '\r' ? LAST_LINE_FEED : TRAILERS;
            case LAST_LINE_FEED -> octet == '\n' ? ENDED : WRONG;
            default -> behindExtension(at, octet);
        };
    }

    private int behindLine() {
        octets = 0;
        return size == 0 ? LAST_LINE : CHUNK;
    }

    private int behindSize(int at, byte octet) {
        int digit = digit(octet);
        if (digit < 0) {
            boolean blank = Octets.isBlank(octet);
            return at == SIZE_START
                    ? WRONG
                    : octet == '\r' ? LINE_FEED : blank ? BEHIND_SIZE : octet == ';' ? NAME : WRONG;
        }
        size = size * RADIX + digit;
        return size > Integer.MAX_VALUE ? WRONG : SIZE;
    }

    private int behindSpaces(byte octet) {
        if (octet == '\r') {
            return padded ? LINE_FEED : WRONG;
        }
        return octet == ';' ? NAME : Octets.isBlank(octet) ? BEHIND_SIZE : WRONG;
    }

    // RFC 9112 7.1.1, with more than tokens for names and values, as they are dropped; a line end is never part of them
    private static int behindExtension(int at, byte octet) {
        boolean blank = Octets.isBlank(octet);
        boolean extension = EXTENSION[octet & 0xff];
        return switch (at) {
            case NAME -> octet == '\r' ? LINE_FEED : octet == '=' ? VALUE_START : extension || blank ? NAME : WRONG;
            case VALUE_START -> blank ? VALUE_START : octet == '"' ? QUOTED : extension ? VALUE : WRONG;
            case VALUE -> octet == '\r' ? LINE_FEED : octet == ';' ? NAME : extension ? VALUE : WRONG;
            case QUOTED -> octet == '"' ? BEHIND_QUOTED : octet == '\\' ? ESCAPED : isText(octet) ? QUOTED : WRONG;
            case ESCAPED -> isText(octet) ? QUOTED : WRONG;
            case BEHIND_QUOTED -> octet == '\r' ? LINE_FEED : octet == ';' ? NAME : blank ? BEHIND_QUOTED : WRONG;
            default -> WRONG;
        };
    }

    private static boolean isText(byte octet) {
        return octet >= ' ' && octet < 0x7f || octet == '\t';
    }

    private static int digit(byte octet) {
        int lower = octet | 0x20;
        if (octet >= '0' && octet <= '9') {
            return octet - '0';
        }
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }
}
