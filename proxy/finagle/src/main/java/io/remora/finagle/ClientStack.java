package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Http;
import com.twitter.finagle.Name;
import com.twitter.finagle.Service;
import com.twitter.finagle.ServiceFactory;
import com.twitter.finagle.Stack;
import com.twitter.finagle.Stackable;
import com.twitter.finagle.client.EndpointerModule;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.param.HighResTimer;
import com.twitter.finagle.service.ExpiringService;
import com.twitter.finagle.stats.StatsReceiver;
import com.twitter.finagle.tracing.NullTracer$;
import com.twitter.util.Duration;
import com.twitter.util.Timer;
import com.twitter.util.Var;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.http1.HeadWriter;
import io.remora.metrics.EngineStats;
import io.remora.transport.Connector;
import io.remora.transport.Loop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Finagle's client stack for a cluster of the sidecar: naming, balancer, accrual, pool, requeues. Modules that would
 * write fields into requests, or trace them, are taken out of it by name.
 */
final class ClientStack {
    /** Roles of modules that have nothing to do here, or that change requests. */
    private static final List<String> WITHOUT = List.of(
            // X-B3-*, and what tells tracers
            "TraceInitializerFilter",
            "ClientTracingFilter",
            "protoTracing",
            "HttpTracing",
            "WireTracingFilter",
            "EndpointTracing",
            "ExceptionTracing",
            "ChildTraceContext",
            // Finagle-Ctx-*, Dtab-*, and a mark on requests that have a body
            "ClientContext",
            "DtabContext",
            "ClientNackFilter",
            "DtabStats",
            // refuse by chance once an endpoint refuses, in the core's place
            "NackAdmissionFilter",
            // sizes and durations that no metric of ours needs
            "HttpPayloadSize",
            "HttpStreamingStatsFilter",
            // protocols that are not spoken here
            "KerberosAuthentication",
            "HttpTlsHost",
            "ExportTlsUsage",
            // the connections live on the event loop
            "OffloadWorkFromIO");

    /** The parameters of a module that takes none. */
    static final Seq<Stack.Param<?>> NO_PARAMETERS =
            CollectionConverters.asScala(List.<Stack.Param<?>>of()).toSeq();

    private final ClusterConfig config;
    private final Loop loop;
    private final Connector connector;
    private final EndpointCounts counts;
    private final StatsReceiver receiver;

    /**
     * @param words by which Finagle counts
     */
    ClientStack(ClusterConfig config, Loop loop, Connector connector, EndpointCounts counts, EngineStats words) {
        this.config = config;
        this.loop = loop;
        this.connector = connector;
        this.counts = counts;
        this.receiver = new ClusterReceiver(config.name(), words);
    }

    /** Returns a client of the endpoints that a name is bound to. */
    Service<Request, Response> named(LoopNames names) {
        Http.Client client = client();
        NameBinding binding = new NameBinding(names);
        return new NamedService(
                client.withStack(client.stack().replace(binding.role(), binding))
                        .newService(new Name.Path(names.name()), config.name()),
                names);
    }

    Service<Request, Response> client(Var<Addr> endpoints) {
        return client().newService(Name.Bound$.MODULE$.apply(endpoints, config.name()), config.name());
    }

    private Http.Client client() {
        HeadWriter heads = new HeadWriter();
        Stackable<ServiceFactory<Request, Response>> bottom = new EndpointerModule<>(
                NO_PARAMETERS,
                (Stack.Params params, SocketAddress address) ->
                        new EndpointFactory((InetSocketAddress) address, config, loop, connector, heads, counts));
        Timer timer = new LoopTimer(loop.eventLoop());
        Http.Client client = Http.client()
                .withStack(lean(Http.client().stack()))
                .configured(new Tuple2<>(new Http.HttpImpl(bottom, null, null), Http.HttpImpl$.MODULE$.httpImplParam()))
                .configured(new Tuple2<>(
                        com.twitter.finagle.param.Timer.apply(timer), com.twitter.finagle.param.Timer.param()))
                .configured(new Tuple2<>(HighResTimer.apply(timer), HighResTimer.param()))
                .configured(new ExpiringService.Param(Duration.Top(), ageOf(config)).mk())
                .withStatsReceiver(receiver)
                .withTracer(NullTracer$.MODULE$);
        return Policies.apply(client, config);
    }

    private static Duration ageOf(ClusterConfig config) {
        return config.maxAgeNs() == Limits.UNLIMITED ? Duration.Top() : Duration.fromNanoseconds(config.maxAgeNs());
    }

    private Stack<ServiceFactory<Request, Response>> lean(Stack<ServiceFactory<Request, Response>> whole) {
        Stack<ServiceFactory<Request, Response>> left = whole;
        for (String role : WITHOUT) {
            left = left.remove(new Stack.Role(role));
        }
        Requeues requeues = new Requeues();
        ConnectionPool pool = new ConnectionPool(config, counts, requeues::isRepeating);
        return left.replace(requeues.role(), requeues)
                .replace(pool.role(), pool)
                .insertBefore(EndpointStatus.below(), new EndpointStatus(counts));
    }
}
