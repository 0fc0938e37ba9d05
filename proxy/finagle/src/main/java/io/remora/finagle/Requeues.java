package io.remora.finagle;

import com.twitter.finagle.Backoff;
import com.twitter.finagle.Filter;
import com.twitter.finagle.Service;
import com.twitter.finagle.ServiceFactory;
import com.twitter.finagle.ServiceProxy;
import com.twitter.finagle.Stack;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.param.HighResTimer;
import com.twitter.finagle.param.ResponseClassifier;
import com.twitter.finagle.service.RequeueFilter;
import com.twitter.finagle.service.Retries$;
import com.twitter.finagle.service.RetryBudget$;
import com.twitter.util.Duration;
import com.twitter.util.Future;
import scala.collection.immutable.Seq;

/**
 * Finagle's requeues, bounded to one a request. By default they would try twenty times more for a connection that
 * cannot be had, and each try may take the connect timeout.
 *
 * <p>Bounds: one for each request, within Finagle's retry budget.
 */
final class Requeues extends Stack.ModuleParams<ServiceFactory<Request, Response>> {
    /** The share of the budget that one request may use; rounded up to one. */
    private static final double SHARE_OF_BUDGET = 1e-9;

    /** True if the request that goes to the balancer now has lost its last connection. */
    private boolean repeating;

    boolean isRepeating() {
        return repeating;
    }

    /** Tells an exchange each time that its request goes to the balancer. */
    private final class Tries extends ServiceProxy<Request, Response> {
        Tries(Service<Request, Response> below) {
            super(below);
        }

        @Override
        public Future<Response> apply(Request request) {
            // a connection is asked for within this call
            repeating = request instanceof ExchangeRequest own && own.tried();
            try {
                return super.apply(request);
            } finally {
                repeating = false;
            }
        }
    }

    @Override
    public Stack.Role role() {
        return Retries$.MODULE$.Role();
    }

    @Override
    public String description() {
        return "sends again what no endpoint has seen";
    }

    @Override
    public Seq<Stack.Param<?>> parameters() {
        return ClientStack.NO_PARAMETERS;
    }

    @Override
    public ServiceFactory<Request, Response> make(Stack.Params params, ServiceFactory<Request, Response> below) {
        Filter<Request, Response, Request, Response> requeues = new RequeueFilter<>(
                RetryBudget$.MODULE$.apply(),
                Backoff.constant(Duration.Zero()),
                SHARE_OF_BUDGET,
                params.apply(ResponseClassifier.param()).responseClassifier(),
                params.apply(com.twitter.finagle.param.Stats.param())
                        .statsReceiver()
                        .scope("retries"),
                params.apply(HighResTimer.param()).timer());
        return below.map(service -> requeues.andThen(new Tries(service)));
    }
}
