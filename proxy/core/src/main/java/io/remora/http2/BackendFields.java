package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackEncoder;
import io.remora.http2.hpack.LineFacts;
import org.jspecify.annotations.Nullable;

/**
 * The header section of a request's head for an endpoint, or of its trailers, written from its fields: pseudo-fields, and
 * names in lower case.
 *
 * <p>Spec: RFC 9113 sections 8.2 and 8.3.1.
 */
final class BackendFields implements SentSection {
    private static final AsciiString METHOD = AsciiString.cached(":method");
    private static final AsciiString SCHEME = AsciiString.cached(":scheme");
    private static final AsciiString AUTHORITY = AsciiString.cached(":authority");
    private static final AsciiString PATH = AsciiString.cached(":path");
    private static final AsciiString TE = AsciiString.cached("te");
    private static final AsciiString TRAILERS = AsciiString.cached("trailers");
    private static final AsciiString GET = AsciiString.cached("GET");
    private static final AsciiString CONNECT = AsciiString.cached("CONNECT");
    private static final AsciiString PROTOCOL = AsciiString.cached(":protocol");
    private static final AsciiString WEBSOCKET = AsciiString.cached("websocket");
    /** Octets that a line of a list counts for beyond its text (RFC 9113 6.5.2). */
    private static final int LINE_OCTETS = 32;
    /** Lines of our own: five pseudo-fields, or four and TE. */
    private static final int OWN_LINES = 5;
    /** Octets of the names of our own lines, and of those values that are known. */
    private static final int OWN_OCTETS = 64;

    /** Null for trailers. */
    private final @Nullable RequestHead head;

    private final Fields fields;
    private final AsciiString scheme;
    private final AsciiString method;
    /** True where it opens a WebSocket. */
    private final boolean isTunnel;

    private BackendFields(
            @Nullable RequestHead head, Fields fields, AsciiString scheme, AsciiString method, boolean isTunnel) {
        this.head = head;
        this.fields = fields;
        this.scheme = scheme;
        this.method = method;
        this.isTunnel = isTunnel;
    }

    static BackendFields of(RequestHead head, AsciiString scheme) {
        AsciiString method = head.method.equals("GET") ? GET : AsciiString.of(head.method);
        return new BackendFields(head, head.fields, scheme, method, false);
    }

    /**
     * Returns the fields of a request that opens a WebSocket. It needs no key (RFC 8441 5), but keeps it: a proxy that
     * goes on in HTTP/1.1 may have none of its own to send.
     */
    static BackendFields connect(RequestHead head, AsciiString scheme) {
        return new BackendFields(head, head.fields, scheme, CONNECT, true);
    }

    static BackendFields trailers(Fields trailers) {
        return new BackendFields(null, trailers, AsciiString.EMPTY_STRING, AsciiString.EMPTY_STRING, false);
    }

    boolean isHead() {
        return head != null;
    }

    @Override
    public int mostOctets() {
        int own = head == null
                ? 0
                : OWN_OCTETS
                        + OWN_LINES * PREFIXES
                        + method.length()
                        + scheme.length()
                        + head.sentAuthority().length()
                        + head.sentTarget().length();
        return own + fields.length() + PREFIXES * fields.size();
    }

    @Override
    public void writeTo(HpackEncoder encoder, HeaderBlock out) {
        RequestHead own = head;
        if (own != null) {
            encoder.line(out, METHOD, method, own.isNeverIndexed(LineFacts.METHOD));
            encoder.line(out, SCHEME, scheme, false);
            if (own.sentAuthority().length() > 0) {
                int host = fields.indexOf(FieldName.HOST, 0);
                line(encoder, out, AUTHORITY, own.sentAuthority(), host >= 0 && fields.isNeverIndexed(host));
            }
            line(encoder, out, PATH, own.sentTarget(), own.isNeverIndexed(LineFacts.PATH));
            if (isTunnel) {
                encoder.line(out, PROTOCOL, WEBSOCKET, false);
            }
        }
        byte[] array = fields.array();
        for (int i = 0; i < fields.size(); i++) {
            if (isPassedOn(i)) {
                int start = fields.nameStart(i);
                int value = fields.valueStart(i);
                boolean never = fields.isNeverIndexed(i);
                encoder.line(out, array, start, fields.nameEnd(i), array, value, fields.valueEnd(i), never);
            }
        }
        if (takesTrailers()) {
            encoder.line(out, TE, TRAILERS, false);
        }
    }

    private static void line(HpackEncoder encoder, HeaderBlock out, AsciiString name, Octets value, boolean never) {
        encoder.line(out, name.array(), 0, name.length(), value.array, value.start, value.end, never);
    }

    private boolean takesTrailers() {
        return head != null && !isTunnel && head.takesTrailers();
    }

    // all but Host, in whose place :authority stands, and what would be about the connection
    private boolean isPassedOn(int line) {
        return !fields.isNamed(line, FieldName.HOST)
                && !ConnectionFields.contain(fields.array(), fields.nameStart(line), fields.nameEnd(line));
    }

    /** Returns its size as an endpoint bounds it. */
    long listOctets() {
        long octets = 0;
        RequestHead own = head;
        if (own != null) {
            octets += octets(METHOD, method.length()) + octets(SCHEME, scheme.length());
            int authority = own.sentAuthority().length();
            octets += authority == 0 ? 0 : octets(AUTHORITY, authority);
            octets += octets(PATH, own.sentTarget().length());
            octets += isTunnel ? octets(PROTOCOL, WEBSOCKET.length()) : 0;
        }
        for (int i = 0; i < fields.size(); i++) {
            if (isPassedOn(i)) {
                octets += fields.nameEnd(i)
                        - fields.nameStart(i)
                        + fields.valueEnd(i)
                        - fields.valueStart(i)
                        + LINE_OCTETS;
            }
        }
        return octets + (takesTrailers() ? octets(TE, TRAILERS.length()) : 0);
    }

    private static int octets(AsciiString name, int value) {
        return name.length() + value + LINE_OCTETS;
    }
}
