package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import java.util.Arrays;

/**
 * Makes header sections from a response's head and from its trailers.
 *
 * <p>Spec: RFC 9113 sections 8.2 and 8.3.2. Cost: one array of pieces, and a copy of each that is not usual, as the
 * compressor keeps some.
 */
final class FrontendHeaders {
    private static final AsciiString STATUS = AsciiString.cached(":status");
    private static final AsciiString OK = AsciiString.cached("200");
    private static final AsciiString SET_COOKIE = AsciiString.cached("set-cookie");

    private FrontendHeaders() {}

    static AsciiString[] of(ResponseHead head) {
        return of(head.fields, head.status == 200 ? OK : new AsciiString(Integer.toString(head.status)));
    }

    /** Returns the fields of a head that says 101 in HTTP/1.1: the stream is a tunnel from here on (RFC 8441 5). */
    static AsciiString[] ofSwitch(ResponseHead head) {
        return of(head.fields, OK);
    }

    private static AsciiString[] of(Fields fields, AsciiString status) {
        AsciiString[] pieces = new AsciiString[2 + 2 * fields.size()];
        pieces[0] = STATUS;
        pieces[1] = status;
        return section(pieces, put(fields, pieces, 2));
    }

    static AsciiString[] of(Fields trailers) {
        AsciiString[] pieces = new AsciiString[2 * trailers.size()];
        return section(pieces, put(trailers, pieces, 0));
    }

    private static AsciiString[] section(AsciiString[] pieces, int count) {
        return count == pieces.length ? pieces : Arrays.copyOf(pieces, count);
    }

    private static int put(Fields fields, AsciiString[] pieces, int from) {
        UsualPieces usual = UsualPieces.ofThread();
        byte[] array = fields.array();
        int at = from;
        for (int i = 0; i < fields.size(); i++) {
            if (!ConnectionFields.contain(array, fields.nameStart(i), fields.nameEnd(i))) {
                AsciiString name = usual.lower(array, fields.nameStart(i), fields.nameEnd(i));
                pieces[at++] = name;
                int start = fields.valueStart(i);
                int end = fields.valueEnd(i);
                // a secret does not outlive its message
                pieces[at++] = name.equals(SET_COOKIE)
                        ? new AsciiString(array, start, end - start, true)
                        : usual.value(array, start, end);
            }
        }
        return at;
    }
}
