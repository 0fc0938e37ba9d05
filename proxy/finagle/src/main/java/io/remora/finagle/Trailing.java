package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.HeaderMap;
import com.twitter.io.Buf;
import io.remora.http.Fields;

/** A body's trailers as Finagle's stack sees them: the last of its chunks, without content. Owner: the exchange's event loop. */
final class Trailing extends Chunk {
    private final HeaderView lines;

    Trailing(Fields trailers) {
        this.lines = new HeaderView(trailers);
    }

    /** The trailers of a last chunk, ours or not. */
    static Fields of(Chunk last) {
        return last instanceof Trailing own ? own.lines.fields() : HeaderView.of(last.trailers());
    }

    @Override
    public Buf content() {
        return Buf.Empty();
    }

    @Override
    public HeaderMap trailers() {
        return lines.map();
    }

    @Override
    public boolean isLast() {
        return true;
    }
}
