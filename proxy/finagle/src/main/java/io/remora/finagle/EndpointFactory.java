package io.remora.finagle;

import com.twitter.concurrent.AsyncQueue;
import com.twitter.finagle.ClientConnection;
import com.twitter.finagle.Service;
import com.twitter.finagle.ServiceFactory;
import com.twitter.finagle.Status;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.http.codec.HttpClientDispatcher;
import com.twitter.finagle.netty4.transport.ChannelTransport;
import com.twitter.finagle.stats.NullStatsReceiver;
import com.twitter.util.Future;
import com.twitter.util.Promise;
import com.twitter.util.Time;
import io.netty.channel.Channel;
import io.remora.config.ClusterConfig;
import io.remora.http.Failure;
import io.remora.http1.HeadWriter;
import io.remora.http1.SectionRules;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.Stats;
import io.remora.transport.ConnectFailure;
import io.remora.transport.Connector;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import scala.runtime.BoxedUnit;

/**
 * The bottom of Finagle's stack: makes the connections to one endpoint, on the event loop of its client.
 *
 * <p>Owner: the event loop.
 */
final class EndpointFactory extends ServiceFactory<Request, Response> {
    private final InetSocketAddress address;
    private final Loop loop;
    private final Connector connector;
    private final HeadWriter heads;
    private final SectionRules rules;
    private final Stats stats;
    private final BooleanSupplier lastsToTheEnd;
    private final EndpointStats counts;
    private final Picked picked;
    /** Connections that have not closed. */
    private int open;

    private boolean removed;

    EndpointFactory(
            InetSocketAddress address,
            ClusterConfig config,
            Loop loop,
            Connector connector,
            HeadWriter heads,
            Stats stats,
            BooleanSupplier lastsToTheEnd) {
        this.lastsToTheEnd = lastsToTheEnd;
        this.address = address;
        this.loop = loop;
        this.connector = connector;
        this.heads = heads;
        this.rules = SectionRules.ofResponse(config.headerBlockBytes());
        this.stats = stats;
        String name = address.getHostString() + ':' + address.getPort();
        this.counts = stats.add(new EndpointStats(config.name(), name));
        this.picked = new Picked(name, counts);
    }

    @Override
    public Future<Service<Request, Response>> apply(ClientConnection forWhom) {
        Promise<Service<Request, Response>> connected = new Promise<>();
        counts.increment(EndpointMetric.CONNECTS);
        connector.connect(address, new Connector.Waiter() {
            @Override
            public void ready(Link link) {
                connected.setValue(serve(link));
            }

            @Override
            public void failed(ConnectFailure failure) {
                counts.increment(EndpointMetric.CONNECT_FAILURES);
                connected.setException(
                        com.twitter.finagle.Failure.rejected(new EndpointFailure(failureOf(failure), picked)));
            }
        });
        return connected;
    }

    private Service<Request, Response> serve(Link link) {
        Channel channel = link.channel();
        // Finagle's transport reads as it is asked to
        channel.config().setAutoRead(false);
        HttpCodec codec = new HttpCodec(loop, link, heads, rules, counts, picked, this::connectionClosed);
        channel.pipeline().addLast(codec);
        counts.increment(EndpointMetric.OPENED);
        open++;
        ChannelTransport transport = new ChannelTransport(channel, new AsyncQueue<>(), true);
        return new HttpClientDispatcher(new CodecTransport(transport, codec), NullStatsReceiver.get());
    }

    private static Failure failureOf(ConnectFailure failure) {
        return switch (failure) {
            case TIMEOUT -> Failure.CONNECT_TIMEOUT;
            case HANDSHAKE -> Failure.HANDSHAKE_FAILED;
            case OUT_OF_DESCRIPTORS -> Failure.OUT_OF_DESCRIPTORS;
            case REFUSED -> Failure.CONNECT_FAILED;
        };
    }

    @Override
    public Future<BoxedUnit> close(Time deadline) {
        loop.execute(() -> {
            removed = true;
            endStats();
        });
        return Future.Done();
    }

    private void connectionClosed() {
        counts.increment(EndpointMetric.CLOSED);
        open--;
        endStats();
    }

    // what is open is counted until it closes; at the end of the process all of it stays for who asks last
    private void endStats() {
        if (removed && open == 0 && !lastsToTheEnd.getAsBoolean()) {
            stats.remove(counts);
        }
    }

    @Override
    public Status status() {
        return Status.Open$.MODULE$;
    }
}
