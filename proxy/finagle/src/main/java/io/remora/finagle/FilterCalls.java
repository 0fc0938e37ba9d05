package io.remora.finagle;

import com.twitter.finagle.Service;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.util.Future;
import com.twitter.util.Return;
import com.twitter.util.Throw;
import com.twitter.util.Try;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.runtime.BoxedUnit;

/**
 * The calls of users' filters to the cluster for one exchange. A filter may drop a response, or answer while one is
 * due. A response that the client does not get ends with the exchange, so that it keeps no connection.
 *
 * <p>Owner: the exchange's event loop. Bounds: as often as filters send the request.
 */
final class FilterCalls {
    private final FinagleStream stream;
    private final List<Future<Response>> calls = new ArrayList<>(1);

    FilterCalls(FinagleStream stream) {
        this.stream = stream;
    }

    Future<Response> begin(ExchangeRequest request, Service<Request, Response> client) {
        if (stream.isGone()) {
            return Future.exception(new IllegalStateException("the exchange has ended"));
        }
        if (request.isBodyUsed(!calls.isEmpty())) {
            return Future.exception(new IllegalStateException("the body has been read, or sent before"));
        }
        try {
            request.settle();
        } catch (IllegalArgumentException e) {
            return Future.exception(e);
        }
        Future<Response> call = client.apply(request);
        calls.add(call);
        return call.respond(this::dropIfGone);
    }

    private BoxedUnit dropIfGone(Try<Response> answer) {
        if (stream.isGone() && answer instanceof Return<Response> response) {
            response.r().chunkReader().discard();
        }
        return BoxedUnit.UNIT;
    }

    /** Returns whether the cluster failed, and not a filter. */
    boolean hasFailed() {
        for (Future<Response> call : calls) {
            if (call.poll() instanceof scala.Some<Try<Response>> done && done.value() instanceof Throw) {
                return true;
            }
        }
        return false;
    }

    /**
     * The exchange has ended.
     *
     * @param given response that the client got, whose stream ends it; null for none
     */
    void end(Throwable why, @Nullable Response given) {
        for (Future<Response> call : calls) {
            Option<Try<Response>> done = call.poll();
            if (done.isEmpty()) {
                call.raise(why);
            } else if (done.get() instanceof Return<Response> answer && answer.r() != given) {
                answer.r().chunkReader().discard();
            }
        }
    }
}
