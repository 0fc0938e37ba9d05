package io.remora.http1.oracle;

import io.netty.buffer.ByteBuf;

/**
 * Looks at the raw field lines of a response, trailers too, for what Netty's decoder forgives: a line without a colon,
 * and a name of several words, of which it keeps the first.
 *
 * <p>Spec: RFC 9112 section 5; white space before the colon is the one thing overlooked, for a proxy takes it out
 * (5.1), and so are folded lines, which become one (5.2).
 */
final class FieldLines {
    private FieldLines() {}

    /** Whether the whole lines from {@code start} on, up to the blank one that ends them, are field lines. */
    static boolean areValid(ByteBuf in, int start) {
        int end = in.writerIndex();
        int line = start;
        int lineFeed = in.indexOf(line, end, (byte) '\n');
        while (lineFeed >= 0 && !isBlank(in, line, lineFeed)) {
            if (!isFold(in.getByte(line)) && !isField(in, line, lineFeed)) {
                return false;
            }
            line = lineFeed + 1;
            lineFeed = in.indexOf(line, end, (byte) '\n');
        }
        return true;
    }

    /**
     * Whether the bytes that were read from {@code start} on are the size line of the last chunk, so that trailers come
     * next.
     */
    static boolean isLastChunk(ByteBuf in, int start) {
        int end = in.readerIndex();
        int digit = start;
        while (digit < end && in.getByte(digit) == '0') {
            digit++;
        }
        // what ends the size is no digit: the decoder has taken it
        return start < digit && digit < end && Character.digit(in.getByte(digit), 16) < 0;
    }

    private static boolean isBlank(ByteBuf in, int start, int lineFeed) {
        return lineFeed == start || lineFeed == start + 1 && in.getByte(start) == '\r';
    }

    private static boolean isFold(byte first) {
        return first == ' ' || first == '\t';
    }

    private static boolean isField(ByteBuf in, int start, int end) {
        boolean nameEnded = false;
        for (int i = start; i < end; i++) {
            byte character = in.getByte(i);
            if (character == ':') {
                return i > start;
            }
            if (isFold(character)) {
                nameEnded = true;
            } else if (nameEnded) {
                return false;
            }
        }
        return false;
    }
}
