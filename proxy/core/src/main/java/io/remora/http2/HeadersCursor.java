package io.remora.http2;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A section as Netty's decoder has collected it, one after the other. Owner: one connection. */
final class HeadersCursor implements SectionCursor {
    private int size;
    private @Nullable Iterator<Map.Entry<CharSequence, CharSequence>> lines;
    private Map.@Nullable Entry<CharSequence, CharSequence> line;

    /** Starts before the first line of {@code headers}. */
    SectionCursor of(Http2Headers headers) {
        size = headers.size();
        lines = headers.iterator();
        return this;
    }

    /** Drops the section. */
    void clear() {
        lines = null;
        line = null;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean next() {
        Iterator<Map.Entry<CharSequence, CharSequence>> left = lines;
        line = left != null && left.hasNext() ? left.next() : null;
        return line != null;
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
