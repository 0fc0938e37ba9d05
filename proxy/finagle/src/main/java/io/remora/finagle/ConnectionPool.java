package io.remora.finagle;

import com.twitter.finagle.Address;
import com.twitter.finagle.ClientConnection;
import com.twitter.finagle.Service;
import com.twitter.finagle.ServiceFactory;
import com.twitter.finagle.ServiceFactoryProxy;
import com.twitter.finagle.Stack;
import com.twitter.finagle.TooManyWaitersException;
import com.twitter.finagle.client.DefaultPool;
import com.twitter.finagle.client.Transporter;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.pool.CachingPool;
import com.twitter.finagle.pool.WatermarkPool;
import com.twitter.finagle.stats.StatsReceiver;
import com.twitter.util.Duration;
import com.twitter.util.Future;
import io.remora.config.model.ClusterConfig;
import io.remora.metrics.EndpointMetric;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Seq;
import scala.runtime.BoxedUnit;

/**
 * Finagle's pools, as its default puts them together, with two differences. They have a bound on idle connections, and
 * repetitions get a new connection.
 *
 * <p>Bounds: connections and idle ones, as configured; no request waits for one.
 */
final class ConnectionPool extends Stack.ModuleParams<ServiceFactory<Request, Response>> {
    private final ClusterConfig config;

    private final EndpointCounts counts;
    private final BooleanSupplier repeats;

    /**
     * @param repeats whether the request that asks for a connection has lost another one
     */
    ConnectionPool(ClusterConfig config, EndpointCounts counts, BooleanSupplier repeats) {
        this.config = config;
        this.counts = counts;
        this.repeats = repeats;
    }

    @Override
    public Stack.Role role() {
        return DefaultPool.Role();
    }

    @Override
    public String description() {
        return "keeps connections, within bounds";
    }

    @Override
    public Seq<Stack.Param<?>> parameters() {
        return ClientStack.NO_PARAMETERS;
    }

    @Override
    public ServiceFactory<Request, Response> make(Stack.Params params, ServiceFactory<Request, Response> below) {
        StatsReceiver receiver =
                params.apply(com.twitter.finagle.param.Stats.param()).statsReceiver();
        InetSocketAddress address =
                params.apply(Transporter.EndpointAddr$.MODULE$.param()).addr() instanceof Address.Inet inet
                        ? inet.addr()
                        : null;
        ServiceFactory<Request, Response> kept = config.maxIdleConnections() == 0
                ? below
                : new Cache(
                        new CachingPool<>(
                                below,
                                config.maxIdleConnections(),
                                Duration.fromNanoseconds(config.idleNs()),
                                params.apply(com.twitter.finagle.param.Timer.param())
                                        .timer(),
                                receiver),
                        address);
        return new Bound(new WatermarkPool<>(kept, 0, config.maxConnections(), receiver, 0), address);
    }

    /** A pool of one endpoint's connections. */
    private abstract class OfEndpoint extends ServiceFactoryProxy<Request, Response> {
        private final @Nullable InetSocketAddress address;

        OfEndpoint(ServiceFactory<Request, Response> pool, @Nullable InetSocketAddress address) {
            super(pool);
            this.address = address;
        }

        /** Returns the endpoint's counts; null for an address that is no endpoint of the cluster, or no longer one. */
        final EndpointCounts.@Nullable Entry entry() {
            return address == null ? null : counts.known(address);
        }
    }

    /**
     * A cache of idle connections that gives a request whose last connection was lost a new one: the idle ones may all
     * have been closed at once.
     */
    private final class Cache extends OfEndpoint {
        Cache(ServiceFactory<Request, Response> kept, @Nullable InetSocketAddress address) {
            super(kept, address);
        }

        @Override
        public Future<Service<Request, Response>> apply(ClientConnection forWhom) {
            EndpointCounts.Entry entry = repeats.getAsBoolean() ? entry() : null;
            if (entry != null) {
                entry.closeIdle();
            }
            return super.apply(forWhom);
        }
    }

    /** A bound that counts requests without room. */
    private final class Bound extends OfEndpoint {
        Bound(ServiceFactory<Request, Response> pool, @Nullable InetSocketAddress address) {
            super(pool, address);
        }

        @Override
        public Future<Service<Request, Response>> apply(ClientConnection forWhom) {
            return super.apply(forWhom).onFailure(cause -> {
                EndpointCounts.Entry entry = entry();
                if (cause instanceof TooManyWaitersException && entry != null) {
                    entry.counts.increment(EndpointMetric.POOL_EXHAUSTED);
                }
                return BoxedUnit.UNIT;
            });
        }
    }
}
