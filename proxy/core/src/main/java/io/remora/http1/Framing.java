package io.remora.http1;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;

/**
 * Reads the two fields that say where a body ends.
 *
 * <p>Spec: RFC 9112 sections 6.1 to 6.3, RFC 9110 section 8.6.
 */
final class Framing {
    private static final byte[] CHUNKED = Octets.of("chunked").array;

    /** State of the codings that have been looked at. */
    private static final int SEEN_CHUNKED = 1;

    private static final int LAST = 2;
    private static final int TWICE = 4;
    private static final int LAST_CHUNKED = SEEN_CHUNKED | LAST;

    private Framing() {}

    /** The one Content-Length, of a message that has one; -1 where it is repeated or no number. */
    static long contentLength(Fields fields) {
        int line = fields.indexOf(FieldName.CONTENT_LENGTH, 0);
        return fields.isRepeated(FieldName.CONTENT_LENGTH)
                ? -1
                : Octets.decimal(fields.array(), fields.valueStart(line), fields.valueEnd(line));
    }

    /** Returns whether no zero leads a Content-Length, where there is one; some readers take it for octal. */
    static boolean isLengthPlain(Fields fields) {
        int line = fields.indexOf(FieldName.CONTENT_LENGTH, 0);
        return line < 0
                || fields.valueEnd(line) - fields.valueStart(line) == 1
                || fields.array()[fields.valueStart(line)] != '0';
    }

    /** Returns whether there is one line of Transfer-Encoding, and it says chunked and nothing else. */
    static boolean isChunked(Fields fields) {
        int line = fields.indexOf(FieldName.TRANSFER_ENCODING, 0);
        return !fields.isRepeated(FieldName.TRANSFER_ENCODING)
                && Octets.equalsIgnoreCase(fields.array(), fields.valueStart(line), fields.valueEnd(line), CHUNKED);
    }

    /** Returns whether every line of Transfer-Encoding, where there is one, says chunked and nothing else. */
    static boolean hasOnlyChunked(Fields fields) {
        for (int line = fields.indexOf(FieldName.TRANSFER_ENCODING, 0);
                line >= 0;
                line = fields.indexOf(FieldName.TRANSFER_ENCODING, line + 1)) {
            if (!Octets.equalsIgnoreCase(fields.array(), fields.valueStart(line), fields.valueEnd(line), CHUNKED)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether chunked is the last of all codings, and stands nowhere before. */
    static boolean endsChunked(Fields fields) {
        int codings = 0;
        for (int line = fields.indexOf(FieldName.TRANSFER_ENCODING, 0);
                line >= 0;
                line = fields.indexOf(FieldName.TRANSFER_ENCODING, line + 1)) {
            codings = codings(codings, fields.array(), fields.valueStart(line), fields.valueEnd(line));
        }
        return codings == LAST_CHUNKED;
    }

    private static int codings(int before, byte[] octets, int from, int to) {
        int codings = before;
        int start = from;
        while (start < to) {
            int end = Octets.endOfElement(octets, start, to);
            int first = Octets.endOfBlanks(octets, start, end);
            int last = Octets.startOfBlanks(octets, first, end);
            if (first < last) {
                boolean chunked = Octets.equalsIgnoreCase(octets, first, last, CHUNKED);
                boolean again = (codings & SEEN_CHUNKED) != 0;
                codings = chunked ? again ? SEEN_CHUNKED | TWICE : LAST_CHUNKED : codings & ~LAST;
            }
            start = end + 1;
        }
        return codings;
    }
}
