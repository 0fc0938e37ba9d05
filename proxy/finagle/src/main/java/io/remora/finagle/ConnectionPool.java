package io.remora.finagle;

import com.twitter.finagle.ServiceFactory;
import com.twitter.finagle.Stack;
import com.twitter.finagle.client.DefaultPool;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.pool.CachingPool;
import com.twitter.finagle.pool.WatermarkPool;
import com.twitter.finagle.stats.NullStatsReceiver;
import com.twitter.finagle.stats.StatsReceiver;
import com.twitter.util.Duration;
import io.remora.config.ClusterConfig;
import java.util.List;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Finagle's pools, as its default puts them together, but for the bound on idle connections, which its default does not have.
 *
 * <p>Bounds: connections and idle ones, as configured; nobody waits for one.
 */
final class ConnectionPool extends Stack.ModuleParams<ServiceFactory<Request, Response>> {
    private final ClusterConfig config;

    ConnectionPool(ClusterConfig config) {
        this.config = config;
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
        return CollectionConverters.asScala(List.<Stack.Param<?>>of()).toList();
    }

    @Override
    public ServiceFactory<Request, Response> make(Stack.Params params, ServiceFactory<Request, Response> below) {
        StatsReceiver nobody = NullStatsReceiver.get();
        ServiceFactory<Request, Response> kept = config.maxIdleConnections() == 0
                ? below
                : new CachingPool<>(
                        below,
                        config.maxIdleConnections(),
                        Duration.fromNanoseconds(config.idleNs()),
                        params.apply(com.twitter.finagle.param.Timer.param()).timer(),
                        nobody);
        return new WatermarkPool<>(kept, 0, config.maxConnections(), nobody, 0);
    }
}
