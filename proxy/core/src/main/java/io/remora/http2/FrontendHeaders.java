package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackEncoder;
import org.jspecify.annotations.Nullable;

/**
 * The header section of a response's head, or of its trailers, written from its fields.
 *
 * <p>Spec: RFC 9113 sections 8.2 and 8.3.2.
 */
final class FrontendHeaders implements SentSection {
    private static final AsciiString STATUS = AsciiString.cached(":status");
    private static final AsciiString OK = AsciiString.cached("200");
    private static final int STATUS_OCTETS = 10;

    /** Null for trailers. */
    private final @Nullable AsciiString status;

    private final Fields fields;

    private FrontendHeaders(@Nullable AsciiString status, Fields fields) {
        this.status = status;
        this.fields = fields;
    }

    static FrontendHeaders of(ResponseHead head) {
        return new FrontendHeaders(
                head.status == 200 ? OK : new AsciiString(Integer.toString(head.status)), head.fields);
    }

    /** Returns the fields of a head that says 101 in HTTP/1.1: the stream is a tunnel from here on (RFC 8441 5). */
    static FrontendHeaders ofSwitch(ResponseHead head) {
        return new FrontendHeaders(OK, head.fields);
    }

    static FrontendHeaders of(Fields trailers) {
        return new FrontendHeaders(null, trailers);
    }

    @Override
    public int mostOctets() {
        return STATUS_OCTETS + PREFIXES + fields.length() + PREFIXES * fields.size();
    }

    @Override
    public void writeTo(HpackEncoder encoder, HeaderBlock out) {
        if (status != null) {
            encoder.line(out, STATUS, status, false);
        }
        byte[] array = fields.array();
        for (int i = 0; i < fields.size(); i++) {
            int start = fields.nameStart(i);
            int end = fields.nameEnd(i);
            if (!ConnectionFields.contain(array, start, end)) {
                int value = fields.valueStart(i);
                boolean never = fields.isNeverIndexed(i);
                encoder.line(out, array, start, end, array, value, fields.valueEnd(i), never);
            }
        }
    }
}
