package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.io.Reader;
import com.twitter.io.ReaderDiscardedException;
import com.twitter.io.StreamTermination;
import com.twitter.util.Future;
import com.twitter.util.Promise;
import com.twitter.util.Return;
import com.twitter.util.Throw;
import io.netty.buffer.ByteBuf;
import io.remora.http.Fields;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Some;

/**
 * A request's body, which the exchange fills and Finagle's stack reads.
 *
 * <p>Owner: the exchange's event loop, which ends it by {@link #fail(Throwable)} in any case. Bounds: the octets that
 * wait in it, which its stream reports to the frontend.
 */
final class FinagleRequestBody implements Reader<Chunk> {
    private final FinagleStream stream;
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>(2);
    private final Promise<StreamTermination> closed = new Promise<>();
    private @Nullable Promise<Option<Chunk>> waiting;
    private @Nullable Throwable failure;
    private boolean ended;
    /** True once a part of it has been read. */
    private boolean begun;

    private int octets;
    /** The piece that was handed on last, which its reader may not have taken. */
    private @Nullable Piece given;

    FinagleRequestBody(FinagleStream stream) {
        this.stream = stream;
    }

    /** Returns the octets that have not been read. */
    int octets() {
        return octets;
    }

    boolean isEnded() {
        return ended;
    }

    boolean isBegun() {
        return begun;
    }

    /** Returns whether it is whole and short, so that it can be sent as one. */
    boolean isWhole() {
        Chunk only = chunks.peek();
        return ended && chunks.size() <= 1 && (only == null || !only.isLast());
    }

    /** The content of a body that is whole, null for none; it stays this body's to drop. */
    @Nullable
    Piece takeWhole() {
        if (chunks.poll() instanceof Piece only) {
            octets = 0;
            given = only;
        }
        return given;
    }

    /** Takes over {@code content}. */
    void add(ByteBuf content) {
        if (failure == null && !ended && content.isReadable()) {
            octets += content.readableBytes();
            put(new Piece(content));
        } else {
            content.release();
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
            handOn(chunk);
            reader.setValue(new Some<>(chunk));
        }
    }

    private void handOn(Chunk chunk) {
        given = chunk instanceof Piece piece ? piece : null;
        octets -= given == null ? 0 : given.length();
    }

    @Override
    public Future<Option<Chunk>> read() {
        return OnLoop.call(stream.loop(), this::readHere);
    }

    private Future<Option<Chunk>> readHere() {
        begun = true;
        if (failure != null) {
            return Future.exception(failure);
        }
        if (given != null) {
            given.keep();
        }
        Chunk next = chunks.poll();
        if (next != null) {
            handOn(next);
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

    /** Drops the body, which is not read any more. */
    @Override
    public void discard() {
        stream.loop().execute(() -> fail(new ReaderDiscardedException(), true));
    }

    /** Ends the body, since its exchange has ended before it was whole. */
    void fail(Throwable why) {
        fail(why, false);
    }

    private void fail(Throwable why, boolean discarded) {
        if (given != null) {
            given.drop();
        }
        if (failure != null || closed.isDefined()) {
            return;
        }
        failure = why;
        for (Chunk left = chunks.poll(); left != null; left = chunks.poll()) {
            if (left instanceof Piece piece) {
                piece.drop();
            }
        }
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
