package io.remora.http1.oracle;

import io.netty.buffer.ByteBuf;
import io.remora.http.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the raw lines of a request's header section for what Netty's decoder forgives: separators other than one
 * space, folded lines, lines ended by a bare LF, and any number of fields.
 *
 * <p>Owner: one decoder. Cost: one pass over a head that comes in one read; a line that comes in pieces is looked at
 * once a piece.
 *
 * <p>Spec: RFC 9112 sections 2.2, 3, 3.2 and 5.2.
 */
final class HeadScanner {
    private final int maxFields;
    private boolean requestLineSeen;
    private int fields;

    HeadScanner(int maxFields) {
        this.maxFields = maxFields;
    }

    void reset() {
        requestLineSeen = false;
        fields = 0;
    }

    /**
     * Scans the whole lines in {@code in}, whose reader index stands at the start of a line, and leaves its indices
     * alone.
     *
     * @return what is wrong, null for nothing so far
     */
    @Nullable
    Failure scan(ByteBuf in) {
        int start = in.readerIndex();
        int end = in.writerIndex();
        while (start < end) {
            int lineFeed = in.indexOf(start, end, (byte) '\n');
            if (lineFeed < 0) {
                return isFold(in, start) ? Failure.BAD_REQUEST : null;
            }
            if (lineFeed == start || in.getByte(lineFeed - 1) != '\r') {
                return Failure.BAD_REQUEST;
            }
            if (lineFeed == start + 1) {
                // the blank line: what is behind it is the body's
                return null;
            }
            Failure failure = scanLine(in, start, lineFeed - 1);
            if (failure != null) {
                return failure;
            }
            start = lineFeed + 1;
        }
        return null;
    }

    private @Nullable Failure scanLine(ByteBuf in, int start, int end) {
        if (!requestLineSeen) {
            requestLineSeen = true;
            return isRequestLine(in, start, end) ? null : Failure.BAD_REQUEST;
        }
        if (isFold(in, start)) {
            return Failure.BAD_REQUEST;
        }
        return ++fields > maxFields ? Failure.HEADERS_TOO_LARGE : null;
    }

    private static boolean isFold(ByteBuf in, int start) {
        byte first = in.getByte(start);
        return first == ' ' || first == '\t';
    }

    // method SP request-target SP HTTP-version: three words of visible characters and exactly one space between two
    private static boolean isRequestLine(ByteBuf in, int start, int end) {
        int spaces = 0;
        int version = end;
        byte before = ' ';
        for (int i = start; i < end; i++) {
            byte character = in.getByte(i);
            if (character == ' ') {
                if (before == ' ' || ++spaces > 2) {
                    return false;
                }
                version = i + 1;
            } else if (character < ' ' || character == 0x7f) {
                // bytes of 0x80 and above are negative
                return false;
            }
            before = character;
        }
        return spaces == 2 && before != ' ' && StatusLine.startsWithHttp(in, version, end);
    }
}
