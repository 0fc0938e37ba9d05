package io.remora.finagle;

import com.twitter.finagle.Name;
import com.twitter.finagle.ServiceFactory;
import com.twitter.finagle.Stack;
import com.twitter.finagle.Stack$;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.loadbalancer.LoadBalancerFactory;
import com.twitter.finagle.naming.BindingFactory;
import com.twitter.finagle.naming.BindingFactory$;
import com.twitter.finagle.stats.NullStatsReceiver;
import com.twitter.util.Duration;
import java.util.concurrent.TimeUnit;
import scala.collection.immutable.Seq;

/**
 * Finagle's binding of names with caches as large as a sidecar needs. Finagle's own keep four dtabs and eight names,
 * and any name beyond gets a balancer and connections for one request.
 *
 * <p>Bounds: {@value #DTABS} dtabs and as many names, each for ten minutes after its last request.
 */
final class NameBinding extends Stack.Module<ServiceFactory<Request, Response>> {
    private static final int DTABS = 256;
    private static final Duration UNUSED = Duration.fromTimeUnit(10, TimeUnit.MINUTES);

    private final LoopNames names;

    NameBinding(LoopNames names) {
        this.names = names;
    }

    @Override
    public Stack.Role role() {
        return BindingFactory$.MODULE$.role();
    }

    @Override
    public String description() {
        return "binds the name to endpoints";
    }

    @Override
    public Seq<Stack.Param<?>> parameters() {
        return ClientStack.NO_PARAMETERS;
    }

    @Override
    public Stack<ServiceFactory<Request, Response>> make(
            Stack.Params params, Stack<ServiceFactory<Request, Response>> below) {
        ServiceFactory<Request, Response> factory = new BindingFactory<>(
                names.name(),
                bound -> below.make(of(params, bound)),
                params.apply(com.twitter.finagle.param.Timer.param()).timer(),
                names::base,
                NullStatsReceiver.get(),
                DTABS,
                DTABS,
                DTABS,
                UNUSED);
        return Stack$.MODULE$.leaf(role(), factory);
    }

    private static Stack.Params of(Stack.Params params, Name.Bound bound) {
        return params.$plus(new BindingFactory.Dest(bound), BindingFactory.Dest$.MODULE$.param())
                .$plus(new LoadBalancerFactory.Dest(bound.addr()), LoadBalancerFactory.Dest$.MODULE$.param());
    }
}
