package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.transport.Transport;
import com.twitter.io.Reader;
import com.twitter.io.ReaderDiscardedException;
import com.twitter.io.StreamTermination;
import com.twitter.util.Future;
import com.twitter.util.Promise;
import com.twitter.util.Return;
import com.twitter.util.Throw;
import com.twitter.util.Try;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Some;
import scala.runtime.BoxedUnit;

/**
 * A response's body, read from the connection on demand, so that an endpoint is read no faster than the client.
 *
 * <p>Owner: the exchange's event loop.
 */
final class ResponseBody implements Reader<Chunk> {
    private final Transport<Object, Object> transport;
    private final Loop loop;
    private final Promise<BoxedUnit> whole = new Promise<>();
    private final Promise<StreamTermination> closed = new Promise<>();
    private @Nullable Throwable failure;
    private boolean ended;

    ResponseBody(Transport<Object, Object> transport, Loop loop) {
        this.loop = loop;
        this.transport = transport;
    }

    /** Done once nothing of it is left in the connection. */
    Future<BoxedUnit> whole() {
        return whole;
    }

    @Override
    public Future<Option<Chunk>> read() {
        return OnLoop.call(loop, this::readHere);
    }

    private Future<Option<Chunk>> readHere() {
        if (failure != null) {
            return Future.exception(failure);
        }
        if (ended) {
            return atEnd();
        }
        return transport.read().transform(this::message);
    }

    private Future<Option<Chunk>> message(Try<Object> read) {
        if (read instanceof Throw<Object> thrown) {
            fail(thrown.e());
            return Future.exception(thrown.e());
        }
        Object message = read.get();
        if (message instanceof Piece content) {
            return Future.value(new Some<>(content));
        }
        ended = true;
        // before its reader learns of the end, so that the connection can be used again
        whole.updateIfEmpty(new Return<>(BoxedUnit.UNIT));
        if (message instanceof MessageEnd end && end.trailers() != null) {
            return Future.value(new Some<>(new Trailing(end.trailers())));
        }
        return atEnd();
    }

    private Future<Option<Chunk>> atEnd() {
        closed.updateIfEmpty(new Return<>(StreamTermination.FullyRead$.MODULE$));
        return Future.value(Option.empty());
    }

    private void fail(Throwable why) {
        failure = why;
        whole.updateIfEmpty(new Throw<>(why));
        closed.updateIfEmpty(new Throw<>(why));
    }

    /** Ends the connection, which stands in the middle of the body. */
    @Override
    public void discard() {
        loop.execute(this::discardHere);
    }

    private void discardHere() {
        if (!ended && failure == null) {
            failure = new ReaderDiscardedException();
            whole.updateIfEmpty(new Throw<>(failure));
        }
        closed.updateIfEmpty(new Return<>(StreamTermination.Discarded$.MODULE$));
    }

    @Override
    public Future<StreamTermination> onClose() {
        return closed;
    }
}
