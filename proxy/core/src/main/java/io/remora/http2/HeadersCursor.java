package io.remora.http2;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A section as Netty's decoder has collected it. Owner: the reader of the section. */
final class HeadersCursor implements SectionCursor {
    private final int size;
    private final Iterator<Map.Entry<CharSequence, CharSequence>> lines;
    private Map.@Nullable Entry<CharSequence, CharSequence> line;

    HeadersCursor(Http2Headers headers) {
        this.size = headers.size();
        this.lines = headers.iterator();
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean next() {
        boolean more = lines.hasNext();
        line = more ? lines.next() : null;
        return more;
    }

    private Map.Entry<CharSequence, CharSequence> line() {
        Map.Entry<CharSequence, CharSequence> current = line;
        if (current == null) {
            throw new IllegalStateException("no line");
        }
        return current;
    }

    @Override
    public AsciiString name() {
        return AsciiString.of(line().getKey());
    }

    @Override
    public AsciiString value() {
        return AsciiString.of(line().getValue());
    }
}
