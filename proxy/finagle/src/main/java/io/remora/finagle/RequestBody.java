package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.io.Reader;
import com.twitter.io.ReaderDiscardedException;
import com.twitter.io.StreamTermination;
import com.twitter.util.Future;
import com.twitter.util.Promise;
import com.twitter.util.Return;
import com.twitter.util.Throw;
import io.remora.http.Fields;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Some;

/**
 * A request's body, which the exchange fills and Finagle's stack reads.
 *
 * <p>Owner: the exchange's event loop. Bounds: what waits in it, which the frontend is told of by its stream.
 */
final class RequestBody implements Reader<Chunk> {
    private final FinagleStream stream;
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>(2);
    private final Promise<StreamTermination> closed = new Promise<>();
    private @Nullable Promise<Option<Chunk>> waiting;
    private @Nullable Throwable failure;
    private boolean ended;
    private int octets;

    RequestBody(FinagleStream stream) {
        this.stream = stream;
    }

    /** Octets that nobody has read. */
    int octets() {
        return octets;
    }

    boolean isEnded() {
        return ended;
    }

    /** Takes the content of a body that is whole and short, so that it can be sent as one; null where there is more to it. */
    byte @Nullable [] takeWhole() {
        if (!ended || chunks.size() > 1) {
            return null;
        }
        Chunk only = chunks.peek();
        if (only == null) {
            return new byte[0];
        }
        if (only.isLast()) {
            return null;
        }
        chunks.clear();
        octets = 0;
        return Bytes.in(only.content());
    }

    void add(byte[] content) {
        if (failure == null && !ended && content.length > 0) {
            octets += content.length;
            put(Chunk.fromByteArray(content));
        }
    }

    /**
     * @param trailers null for none
     */
    void end(@Nullable Fields trailers) {
        if (failure != null || ended) {
            return;
        }
        if (trailers != null && !trailers.isEmpty()) {
            put(new Trailing(trailers));
        }
        ended = true;
        Promise<Option<Chunk>> reader = waiting;
        if (reader != null) {
            waiting = null;
            reader.setValue(Option.empty());
            closed.updateIfEmpty(new Return<>(StreamTermination.FullyRead$.MODULE$));
        }
    }

    private void put(Chunk chunk) {
        Promise<Option<Chunk>> reader = waiting;
        if (reader == null) {
            chunks.add(chunk);
        } else {
            waiting = null;
            octets -= chunk.content().length();
            reader.setValue(new Some<>(chunk));
        }
    }

    @Override
    public Future<Option<Chunk>> read() {
        if (failure != null) {
            return Future.exception(failure);
        }
        Chunk next = chunks.poll();
        if (next != null) {
            octets -= next.content().length();
            stream.bodyRead();
            return Future.value(new Some<>(next));
        }
        if (ended) {
            closed.updateIfEmpty(new Return<>(StreamTermination.FullyRead$.MODULE$));
            return Future.value(Option.empty());
        }
        if (waiting != null) {
            return Future.exception(new IllegalStateException("somebody reads already"));
        }
        waiting = new Promise<>();
        return waiting;
    }

    /** Nobody reads it any more. */
    @Override
    public void discard() {
        fail(new ReaderDiscardedException(), true);
    }

    /** Its exchange has ended before it was whole. */
    void fail(Throwable why) {
        fail(why, false);
    }

    private void fail(Throwable why, boolean discarded) {
        if (failure != null || closed.isDefined()) {
            return;
        }
        failure = why;
        chunks.clear();
        octets = 0;
        Promise<Option<Chunk>> reader = waiting;
        waiting = null;
        if (reader != null) {
            reader.setException(why);
        }
        closed.updateIfEmpty(discarded ? new Return<>(StreamTermination.Discarded$.MODULE$) : new Throw<>(why));
    }

    @Override
    public Future<StreamTermination> onClose() {
        return closed;
    }
}
