package io.remora.http1.oracle;

import io.netty.buffer.ByteBuf;

/**
 * Looks at the raw first line of a response for what Netty's decoder forgives: separators other than one space, a name
 * in lower case, and control characters in the reason.
 *
 * <p>Spec: RFC 9112 section 4. A missing space behind the status code is the one thing overlooked, for many servers
 * leave it out.
 */
final class StatusLine {
    private static final byte[] HTTP = {'H', 'T', 'T', 'P', '/'};
    /** Of {@code HTTP/1.1 200}. */
    private static final int SHORTEST = 12;

    private StatusLine() {}

    /**
     * @param end of the line, behind its LF
     */
    static boolean isValid(ByteBuf in, int start, int end) {
        int lineEnd = end - 2;
        if (lineEnd - start < SHORTEST || in.getByte(lineEnd) != '\r' || !startsWithHttp(in, start, lineEnd)) {
            return false;
        }
        return in.getByte(start + 8) == ' '
                && isDigit(in.getByte(start + 9))
                && isDigit(in.getByte(start + 10))
                && isDigit(in.getByte(start + 11))
                && isReason(in, start + SHORTEST, lineEnd);
    }

    static boolean startsWithHttp(ByteBuf in, int start, int end) {
        if (end - start < HTTP.length) {
            return false;
        }
        for (int i = 0; i < HTTP.length; i++) {
            if (in.getByte(start + i) != HTTP[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isReason(ByteBuf in, int start, int end) {
        if (start < end && in.getByte(start) != ' ') {
            return false;
        }
        for (int i = start; i < end; i++) {
            byte character = in.getByte(i);
            // bytes of 0x80 and above are negative
            if (character >= 0 && character < ' ' && character != '\t' || character == 0x7f) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(byte character) {
        return character >= '0' && character <= '9';
    }
}
