package io.remora.http2;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.ResponseHead;

/**
 * Makes header sections of a response's head and of its trailers.
 *
 * <p>Spec: RFC 9113 sections 8.2 and 8.3.2. Cost: names and values are copied, for what compresses them keeps some.
 */
final class FrontendHeaders {
    private static final AsciiString OK = AsciiString.cached("200");

    private FrontendHeaders() {}

    static Http2Headers of(ResponseHead head) {
        Http2Headers headers = new DefaultHttp2Headers(false, head.fields.size() + 1);
        headers.status(new AsciiString(Integer.toString(head.status)));
        return add(headers, head.fields);
    }

    /** Of a head that says 101 in HTTP/1.1: the stream is a tunnel from here on (RFC 8441 5). */
    static Http2Headers ofSwitch(ResponseHead head) {
        Http2Headers headers = new DefaultHttp2Headers(false, head.fields.size() + 1);
        headers.status(OK);
        return add(headers, head.fields);
    }

    static Http2Headers of(Fields trailers) {
        return add(new DefaultHttp2Headers(false, trailers.size()), trailers);
    }

    private static Http2Headers add(Http2Headers headers, Fields fields) {
        byte[] array = fields.array();
        for (int i = 0; i < fields.size(); i++) {
            AsciiString name = lower(array, fields.nameStart(i), fields.nameEnd(i));
            if (!FieldRules.isConnections(name)) {
                int from = fields.valueStart(i);
                headers.add(name, new AsciiString(array, from, fields.valueEnd(i) - from, true));
            }
        }
        return headers;
    }

    private static AsciiString lower(byte[] array, int from, int to) {
        byte[] name = new byte[to - from];
        for (int i = 0; i < name.length; i++) {
            name[i] = Octets.toLower(array[from + i]);
        }
        return new AsciiString(name, false);
    }
}
