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
import io.remora.config.model.ClusterConfig;
import io.remora.http.Failure;
import io.remora.http1.HeadWriter;
import io.remora.http1.SectionRules;
import io.remora.metrics.EndpointStats;
import io.remora.transport.ConnectFailure;
import io.remora.transport.Connector;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.net.InetSocketAddress;
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
    private final EndpointCounts.Entry entry;
    private final EndpointStats counts;
    private final Picked picked;
    private boolean removed;

    EndpointFactory(
            InetSocketAddress address,
            ClusterConfig config,
            Loop loop,
            Connector connector,
            HeadWriter heads,
            EndpointCounts all) {
        this.address = address;
        this.loop = loop;
        this.connector = connector;
        this.heads = heads;
        this.rules = SectionRules.ofResponse(config.headerBlockBytes());
        this.entry = all.of(address);
        this.counts = entry.counts;
        this.picked = new Picked(entry.name, counts);
    }

    @Override
    public Future<Service<Request, Response>> apply(ClientConnection forWhom) {
        Promise<Service<Request, Response>> connected = new Promise<>();
        entry.connecting();
        connector.connect(address, new Connector.Waiter() {
            @Override
            public void ready(Link link) {
                connected.setValue(serve(link));
            }

            @Override
            public void failed(ConnectFailure failure) {
                // a sidecar without descriptors reaches no other one either
                entry.connectFailed(failure != ConnectFailure.OUT_OF_DESCRIPTORS);
                Throwable why = new EndpointFailure(failureOf(failure), picked);
                // Finagle would ask the same endpoint again where there is no other
                connected.setException(entry.hasOthers() ? com.twitter.finagle.Failure.rejected(why) : why);
            }
        });
        return connected;
    }

    private Service<Request, Response> serve(Link link) {
        Channel channel = link.channel();
        // Finagle's transport reads as it is asked to
        channel.config().setAutoRead(false);
        HttpCodec codec = new HttpCodec(loop, link, heads, rules, counts, picked, entry::closed);
        entry.connected(codec);
        channel.pipeline().addLast(codec);
        codec.rests();
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
            if (!removed) {
                removed = true;
                entry.poolEnded();
            }
        });
        return Future.Done();
    }

    /** Busy where a connect has just failed and there are others: it would otherwise be the least loaded one. */
    @Override
    public Status status() {
        return entry.hasOthers() && entry.isAvoided() ? Status.Busy$.MODULE$ : Status.Open$.MODULE$;
    }
}
