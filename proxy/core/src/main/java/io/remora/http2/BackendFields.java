package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import java.util.Arrays;

/**
 * Writes a request's head and trailers for an endpoint: pseudo-fields, and names in lower case.
 *
 * <p>Cost: one array of pieces, and a copy of each name that is not usual. Spec: RFC 9113 sections 8.2 and 8.3.1.
 */
final class BackendFields {
    private static final AsciiString METHOD = AsciiString.of(":method");
    private static final AsciiString SCHEME = AsciiString.of(":scheme");
    private static final AsciiString AUTHORITY = AsciiString.of(":authority");
    private static final AsciiString PATH = AsciiString.of(":path");
    private static final AsciiString TE = AsciiString.of("te");
    private static final AsciiString TRAILERS = AsciiString.of("trailers");
    private static final AsciiString GET = AsciiString.of("GET");
    private static final AsciiString CONNECT = AsciiString.of("CONNECT");
    private static final AsciiString PROTOCOL = AsciiString.of(":protocol");
    private static final AsciiString WEBSOCKET = AsciiString.of("websocket");
    /** Pieces of four pseudo-fields: a name and a value each. */
    private static final int OWN = 8;

    private BackendFields() {}

    static AsciiString[] of(RequestHead head, AsciiString scheme) {
        int own = head.takesTrailers() ? OWN + 2 : OWN;
        AsciiString[] pieces = new AsciiString[own + 2 * lines(head.fields)];
        int at = begin(pieces, head, head.method.equals("GET") ? GET : AsciiString.of(head.method), scheme);
        at = put(head.fields, pieces, at);
        if (head.takesTrailers()) {
            pieces[at++] = TE;
            pieces[at++] = TRAILERS;
        }
        return section(pieces, at);
    }

    /**
     * Returns the fields of a request that opens a WebSocket. It needs no key (RFC 8441 5), but keeps it: a proxy that
     * goes on in HTTP/1.1 may have none of its own to send.
     */
    static AsciiString[] connect(RequestHead head, AsciiString scheme) {
        AsciiString[] pieces = new AsciiString[OWN + 2 + 2 * lines(head.fields)];
        int at = begin(pieces, head, CONNECT, scheme);
        pieces[at++] = PROTOCOL;
        pieces[at++] = WEBSOCKET;
        return section(pieces, put(head.fields, pieces, at));
    }

    private static int begin(AsciiString[] pieces, RequestHead head, AsciiString method, AsciiString scheme) {
        int at = 0;
        pieces[at++] = METHOD;
        pieces[at++] = method;
        pieces[at++] = SCHEME;
        pieces[at++] = scheme;
        if (head.sentAuthority().length() > 0) {
            pieces[at++] = AUTHORITY;
            pieces[at++] = piece(head.sentAuthority());
        }
        pieces[at++] = PATH;
        pieces[at++] = piece(head.sentTarget());
        return at;
    }

    static AsciiString[] trailers(Fields trailers) {
        AsciiString[] pieces = new AsciiString[2 * trailers.size()];
        return section(pieces, put(trailers, pieces, 0));
    }

    private static AsciiString[] section(AsciiString[] pieces, int count) {
        return count == pieces.length ? pieces : Arrays.copyOf(pieces, count);
    }

    private static AsciiString piece(Octets octets) {
        return new AsciiString(octets.array, octets.start, octets.length(), false);
    }

    // all but Host, in whose place :authority stands, and what would be about the connection
    private static int put(Fields fields, AsciiString[] pieces, int from) {
        UsualPieces usual = UsualPieces.ofThread();
        byte[] array = fields.array();
        int at = from;
        for (int line = 0; line < fields.size(); line++) {
            int start = fields.nameStart(line);
            int end = fields.nameEnd(line);
            if (!fields.isNamed(line, FieldName.HOST) && !ConnectionFields.contain(array, start, end)) {
                int value = fields.valueStart(line);
                pieces[at++] = usual.lower(array, start, end);
                pieces[at++] = new AsciiString(array, value, fields.valueEnd(line) - value, false);
            }
        }
        return at;
    }

    // of which there is at most one line of Host in a head that was judged
    private static int lines(Fields fields) {
        return fields.contains(FieldName.HOST) ? fields.size() - 1 : fields.size();
    }
}
