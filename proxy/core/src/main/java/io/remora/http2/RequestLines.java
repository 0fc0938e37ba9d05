package io.remora.http2;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;

/**
 * The field lines of a header or trailer section in the order in which they came, before anybody has judged them.
 *
 * <p>Owner: one event loop. Cost: two arrays. Netty itself looks at Content-Length only, of which it has a copy. Bounds: the
 * decoder's on the section.
 */
@SuppressWarnings("serial") // nobody serialises it
final class RequestLines extends DefaultHttp2Headers implements SectionLines {
    private static final int EXPECTED = 16;
    private static final int KNOWN_TO_NETTY = 2;

    private AsciiString[] names = new AsciiString[EXPECTED];
    private AsciiString[] values = new AsciiString[EXPECTED];
    private int count;

    RequestLines() {
        super(false, KNOWN_TO_NETTY);
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        if (count == names.length) {
            names = larger(names);
            values = larger(values);
        }
        names[count] = AsciiString.of(name);
        values[count++] = AsciiString.of(value);
        return HttpHeaderNames.CONTENT_LENGTH.contentEquals(name) ? super.add(name, value) : this;
    }

    private static AsciiString[] larger(AsciiString[] before) {
        AsciiString[] after = new AsciiString[before.length * 2];
        System.arraycopy(before, 0, after, 0, before.length);
        return after;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public AsciiString name(int index) {
        return names[index];
    }

    @Override
    public AsciiString value(int index) {
        return values[index];
    }
}
