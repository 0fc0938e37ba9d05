package io.remora.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Clusters;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.memory.Plans;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.Stats;
import io.remora.naming.Endpoint;
import io.remora.seams.SilentStream;
import io.remora.stream.BackendStream;
import io.remora.stream.RequestAttributes;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.transport.Connector;
import io.remora.transport.Handshake;
import io.remora.transport.Link;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A pool on an event loop of its own, with connections that are real and speak nothing: a test says when one of them is
 * ready, how many streams it carries and when they end.
 */
final class EndpointPoolTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final Loops LOOPS = new Loops(1, NanoClock.SYSTEM, new Stats(), Plans.holding(1 << 20));
    private static ServerSocket endpoint;

    private final EndpointStats stats = new EndpointStats("app", "a:1");
    private final LinkedBlockingQueue<Handshaking> handshakes = new LinkedBlockingQueue<>();
    private final List<Channel> channels = new ArrayList<>();
    private final List<Carrier> carriers = new ArrayList<>();
    private final AtomicInteger drains = new AtomicInteger();
    /** Of the connections that are made from now on. */
    private int room = 1;

    private int expectedStreams = 1;
    private @Nullable Breakers breakers;
    private boolean byClient;
    private EndpointPool pool = pool(2, 2);

    private record Handshaking(Channel channel, Handshake.Outcome outcome) {}

    @BeforeAll
    static void listen() throws IOException {
        // the kernel completes a connect that nobody accepts
        endpoint = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    }

    @AfterAll
    static void end() throws IOException {
        LOOPS.shutdown().syncUninterruptibly();
        endpoint.close();
    }

    @AfterEach
    void closeChannels() {
        for (Handshaking pending : handshakes) {
            channels.add(pending.channel());
        }
        channels.forEach(channel -> channel.close().syncUninterruptibly());
    }

    private EndpointPool pool(int maxConnections, int maxIdle) {
        ClusterConfig config = Clusters.plain(maxConnections, maxIdle, TIMEOUT_NS, null, null);
        Connector connector = new Connector(
                config,
                LOOPS.all().get(0),
                UnpooledByteBufAllocator.DEFAULT,
                (channel, outcome) -> handshakes.add(new Handshaking(channel, outcome)));
        InetSocketAddress address = (InetSocketAddress) endpoint.getLocalSocketAddress();
        return new EndpointPool(
                Endpoint.of("a:1", address),
                stats,
                connector,
                new Silence(),
                maxConnections,
                maxIdle,
                breakers,
                byClient);
    }

    // ---- what a test does, each step on the loop

    private static void run(Runnable step) {
        LOOPS.all().get(0).eventLoop().submit(step).syncUninterruptibly();
    }

    private Client ask() {
        Client client = new Client();
        run(() -> pool.newStream(client));
        return client;
    }

    private Client askFor(String address) {
        Client client = new Client();
        client.address = address;
        run(() -> pool.newStream(client));
        return client;
    }

    private Client askFresh() {
        Client client = new Client();
        run(() -> pool.newStreamOnFresh(client));
        return client;
    }

    private Handshaking nextHandshake() {
        try {
            Handshaking next = handshakes.poll(TIMEOUT_NS, TimeUnit.NANOSECONDS);
            assertThat(next).as("a connection that is under way").isNotNull();
            channels.add(next.channel());
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The connection that has been under way for longest is ready. */
    private Carrier connected() {
        Handshaking next = nextHandshake();
        run(() -> next.outcome().ready(new Link(next.channel())));
        return carriers.get(carriers.size() - 1);
    }

    private void connectFails() {
        Handshaking next = nextHandshake();
        run(() -> next.outcome().failed(new IOException("no")));
    }

    /** A client with a stream of a connection that was made for it. */
    private Client served() {
        Client client = ask();
        connected();
        assertThat(client.stream).isNotNull();
        return client;
    }

    private void end(Client client) {
        run(() -> client.carrier().streamEnded(true));
    }

    private long count(EndpointMetric metric) {
        return stats.value(metric);
    }

    private static Carrier carrierOf(Client client) {
        return client.carrier();
    }

    // ---- waiting for a connection

    @Test
    void aStreamWaitsForAConnectionOfItsOwn() {
        Client client = ask();
        assertThat(client.isWaiting()).isTrue();
        assertThat(pool.load()).isOne();
        assertThat(count(EndpointMetric.CONNECTS)).isOne();
        connected();
        assertThat(client.stream.isReused()).isFalse();
        assertThat(pool.load()).isOne();
        assertThat(count(EndpointMetric.OPENED)).isOne();
        assertThat(count(EndpointMetric.EXCHANGES)).isOne();
        assertThat(count(EndpointMetric.IDLE)).isZero();
        end(client);
        assertThat(pool.load()).isZero();
        assertThat(count(EndpointMetric.EXCHANGES)).isZero();
        assertThat(count(EndpointMetric.IDLE)).isOne();
    }

    @Test
    void whoWaitsLongestIsServedFirst() {
        Client first = ask();
        Client second = ask();
        connected();
        assertThat(first.stream).isNotNull();
        assertThat(second.isWaiting()).isTrue();
        connected();
        assertThat(second.stream).isNotNull();
    }

    @Test
    void anIdleConnectionIsHandedOutAtOnce() {
        Client first = served();
        Carrier carrier = carrierOf(first);
        end(first);
        Client second = ask();
        assertThat(carrierOf(second)).isSameAs(carrier);
        assertThat(second.stream.isReused()).isTrue();
        assertThat(count(EndpointMetric.REUSED)).isOne();
        assertThat(count(EndpointMetric.IDLE)).isZero();
        assertThat(count(EndpointMetric.CONNECTS)).isOne();
    }

    /** So that those beyond the need grow old. */
    @Test
    void theConnectionUsedLastIsHandedOutFirst() {
        Client first = served();
        Client second = served();
        Carrier last = carrierOf(first);
        end(second);
        end(first);
        assertThat(carrierOf(ask())).isSameAs(last);
    }

    @Test
    void anIdleConnectionThatIsNoLongerFitIsClosedAndPassedOver() {
        Client first = served();
        Client second = served();
        end(first);
        end(second);
        carrierOf(second).fit = false;
        assertThat(carrierOf(ask())).isSameAs(carrierOf(first));
        assertThat(carrierOf(second).closing).isTrue();
    }

    // ---- release to who waits

    @Test
    void whoWaitsGetsAConnectionThatIsReleasedFirst() {
        Client first = served();
        Client second = ask();
        assertThat(second.isWaiting()).isTrue();
        Carrier released = carrierOf(first);
        end(first);
        assertThat(carrierOf(second)).isSameAs(released);
        assertThat(second.stream.isReused()).isTrue();
        // the one that was made for it is there for the next
        Carrier made = connected();
        assertThat(made).isNotSameAs(released);
        assertThat(count(EndpointMetric.IDLE)).isOne();
        assertThat(carrierOf(ask())).isSameAs(made);
    }

    @Test
    void aConnectionThatCannotBeUsedAgainIsOfNoUseToWhoWaits() {
        Client first = served();
        Client second = ask();
        run(() -> first.carrier().streamEnded(false));
        assertThat(first.carrier().closing).isTrue();
        assertThat(second.isWaiting()).isTrue();
        connected();
        assertThat(second.stream.isReused()).isFalse();
    }

    @Test
    void whoHasGoneIsNotServed() {
        Client gone = ask();
        Client other = ask();
        gone.gone = true;
        connected();
        assertThat(gone.isWaiting()).isTrue();
        assertThat(other.stream).isNotNull();
        connected();
        assertThat(count(EndpointMetric.IDLE)).isOne();
        assertThat(pool.load()).isOne();
    }

    // ---- connections that are not shared among clients

    @Test
    void aConnectionServesTheClientThatItWasMadeFor() {
        byClient = true;
        pool = pool(4, 4);
        Client first = askFor("192.0.2.1");
        Client second = askFor("192.0.2.2");
        Handshaking firsts = nextHandshake();
        Carrier seconds = connected();
        assertThat(first.isWaiting()).as("that of another will not do").isTrue();
        assertThat(carrierOf(second)).isSameAs(seconds);
        end(second);
        assertThat(first.isWaiting()).as("nor does it once it is free").isTrue();
        run(() -> firsts.outcome().ready(new Link(firsts.channel())));
        Carrier made = carrierOf(first);
        assertThat(made).isNotSameAs(seconds);
        end(first);
        assertThat(carrierOf(askFor("192.0.2.2"))).isSameAs(seconds);
        assertThat(carrierOf(askFor("192.0.2.1"))).isSameAs(made);
    }

    @Test
    void aFailedConnectFailsTheClientThatItWasFor() {
        byClient = true;
        pool = pool(4, 4);
        Client first = askFor("192.0.2.1");
        Client second = askFor("192.0.2.2");
        connectFails();
        assertThat(first.refusal).isEqualTo(Failure.HANDSHAKE_FAILED);
        assertThat(second.isWaiting()).isTrue();
        connected();
        assertThat(second.stream).isNotNull();
    }

    @Test
    void idleConnectionsOfClientsThatHaveGoneMakeRoom() {
        byClient = true;
        pool = pool(4, 1);
        Client first = askFor("192.0.2.1");
        Carrier gone = connected();
        end(first);
        Client second = askFor("192.0.2.2");
        Carrier kept = connected();
        end(second);
        assertThat(gone.closing).isTrue();
        assertThat(carrierOf(askFor("192.0.2.2"))).isSameAs(kept);
    }

    // ---- the cluster's bounds

    @Test
    void noMoreWaitThanTheClusterAllows() {
        breakers = new Breakers(9, 1, 9, null);
        pool = pool(4, 4);
        Client first = ask();
        assertThat(ask().refusal).isEqualTo(Failure.BREAKER_PENDING);
        connectFails();
        assertThat(first.refusal).isEqualTo(Failure.HANDSHAKE_FAILED);
        Client second = served();
        assertThat(ask().isWaiting()).as("who is served does not wait").isTrue();
        assertThat(ask().refusal).isEqualTo(Failure.BREAKER_PENDING);
        end(second);
    }

    @Test
    void noMoreConnectionsThanTheClusterAllows() {
        breakers = new Breakers(2, 9, 9, null);
        pool = pool(4, 4);
        Client first = served();
        ask();
        assertThat(ask().refusal).isEqualTo(Failure.BREAKER_CONNECTIONS);
        connectFails();
        Client second = served();
        assertThat(ask().refusal).isEqualTo(Failure.BREAKER_CONNECTIONS);
        end(first);
        assertThat(ask().stream).as("the one that is idle").isNotNull();
        end(second);
        assertThat(askFresh().isWaiting()).as("an idle one makes room").isTrue();
        assertThat(count(EndpointMetric.IDLE)).isZero();
    }

    // ---- refusal at the bound

    @Test
    void whoComesWhenAllAreBusyIsRefusedAtOnce() {
        Client first = served();
        served();
        Client refused = ask();
        assertThat(refused.refusal).isEqualTo(Failure.POOL_EXHAUSTED);
        assertThat(count(EndpointMetric.POOL_EXHAUSTED)).isOne();
        assertThat(pool.load()).isEqualTo(2);
        end(first);
        assertThat(ask().stream).isNotNull();
    }

    @Test
    void connectionsUnderWayCountToo() {
        ask();
        ask();
        assertThat(ask().refusal).isEqualTo(Failure.POOL_EXHAUSTED);
        assertThat(count(EndpointMetric.CONNECTS)).isEqualTo(2);
    }

    /** The place is free as soon as the connection is given up; the news of its close comes later. */
    @Test
    void aClosedConnectionLeavesItsPlace() {
        pool = pool(1, 1);
        Client first = served();
        run(() -> first.carrier().streamEnded(false));
        Client second = ask();
        assertThat(second.isWaiting()).isTrue();
        run(() -> pool.closed(first.carrier()));
        assertThat(ask().refusal).isEqualTo(Failure.POOL_EXHAUSTED);
        connected();
        assertThat(second.stream).isNotNull();
        assertThat(count(EndpointMetric.CLOSED)).isOne();
    }

    @Test
    void noMoreAreKeptIdleThanConfigured() {
        pool = pool(2, 1);
        Client first = served();
        Client second = served();
        end(first);
        end(second);
        assertThat(first.carrier().closing).isFalse();
        assertThat(second.carrier().closing).isTrue();
        assertThat(count(EndpointMetric.IDLE)).isOne();
    }

    // ---- a connection that has carried no stream

    @Test
    void whoWantsAFreshConnectionGetsNoReleasedOne() {
        Client first = served();
        Client fresh = askFresh();
        end(first);
        assertThat(fresh.isWaiting()).isTrue();
        assertThat(count(EndpointMetric.IDLE)).isOne();
        Carrier made = connected();
        assertThat(carrierOf(fresh)).isSameAs(made);
        assertThat(fresh.stream.isReused()).isFalse();
    }

    @Test
    void whoWaitsBehindOneThatWantsAFreshConnectionIsNotHeldUp() {
        pool = pool(3, 3);
        Client first = served();
        Client fresh = askFresh();
        Client behind = ask();
        end(first);
        assertThat(carrierOf(behind)).isSameAs(carrierOf(first));
        assertThat(fresh.isWaiting()).isTrue();
        connected();
        assertThat(fresh.stream.isReused()).isFalse();
    }

    @Test
    void anIdleConnectionMakesWayForAFreshOne() {
        pool = pool(1, 1);
        Client first = served();
        end(first);
        Client fresh = askFresh();
        assertThat(first.carrier().closing).isTrue();
        assertThat(fresh.isWaiting()).isTrue();
        assertThat(count(EndpointMetric.IDLE)).isZero();
        connected();
        assertThat(fresh.stream.isReused()).isFalse();
    }

    @Test
    void aBusyConnectionMakesWayForNobody() {
        pool = pool(1, 1);
        Client first = served();
        assertThat(askFresh().refusal).isEqualTo(Failure.POOL_EXHAUSTED);
        assertThat(first.carrier().closing).isFalse();
    }

    // ---- several streams on a connection

    @Test
    void aConnectionCarriesAsManyStreamsAsItHasRoomFor() {
        expectedStreams = 3;
        room = 3;
        Client first = ask();
        Client second = ask();
        assertThat(count(EndpointMetric.CONNECTS)).isOne();
        Carrier shared = connected();
        assertThat(carrierOf(first)).isSameAs(shared);
        assertThat(carrierOf(second)).isSameAs(shared);
        assertThat(carrierOf(ask())).isSameAs(shared);
        assertThat(count(EndpointMetric.CONNECTS)).isOne();
        assertThat(ask().isWaiting()).isTrue();
        assertThat(count(EndpointMetric.CONNECTS)).isEqualTo(2);
    }

    /** Those that were expected to share it would wait for ever otherwise. */
    @Test
    void whoFindsNoRoomOnASmallerConnectionGetsAnotherOne() {
        expectedStreams = 10;
        Client first = ask();
        Client second = ask();
        assertThat(count(EndpointMetric.CONNECTS)).isOne();
        connected();
        assertThat(first.stream).isNotNull();
        assertThat(second.isWaiting()).isTrue();
        assertThat(count(EndpointMetric.CONNECTS)).isEqualTo(2);
        connected();
        assertThat(second.stream).isNotNull();
    }

    @Test
    void whoFindsNoRoomAtTheBoundIsRefused() {
        expectedStreams = 10;
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            clients.add(ask());
        }
        connected();
        connected();
        assertThat(clients.subList(0, 2)).allMatch(client -> client.stream != null);
        assertThat(clients.subList(2, 5)).allMatch(client -> client.refusal == Failure.POOL_EXHAUSTED);
        assertThat(pool.load()).isEqualTo(2);
    }

    // ---- a connection that comes to nothing

    @Test
    void aFailedConnectFailsTheOneWhoHasWaitedLongest() {
        Client first = ask();
        Client second = ask();
        connectFails();
        assertThat(first.refusal).isEqualTo(Failure.HANDSHAKE_FAILED);
        assertThat(second.isWaiting()).isTrue();
        connected();
        assertThat(second.stream).isNotNull();
        assertThat(count(EndpointMetric.CONNECT_FAILURES)).isOne();
    }

    @Test
    void aFailedConnectFailsAllWhoExpectedToShareIt() {
        expectedStreams = 10;
        Client first = ask();
        Client second = ask();
        connectFails();
        assertThat(first.refusal).isEqualTo(Failure.HANDSHAKE_FAILED);
        assertThat(second.refusal).isEqualTo(Failure.HANDSHAKE_FAILED);
        assertThat(pool.load()).isZero();
    }

    @Test
    void aFailedConnectLeavesItsPlace() {
        pool = pool(1, 1);
        ask();
        connectFails();
        assertThat(ask().isWaiting()).isTrue();
        assertThat(count(EndpointMetric.CONNECTS)).isEqualTo(2);
    }

    /** An attempt is left for the one who is still there. */
    @Test
    void aFailedConnectFailsNobodyWhereWhoHasWaitedLongestHasGone() {
        Client gone = ask();
        Client other = ask();
        gone.gone = true;
        connectFails();
        assertThat(other.isWaiting()).isTrue();
        connected();
        assertThat(other.stream).isNotNull();
    }

    // ---- the end

    @Test
    void aDrainClosesIdleConnectionsAtOnce() {
        Client client = served();
        end(client);
        drain();
        assertThat(client.carrier().closing).isTrue();
        assertThat(count(EndpointMetric.IDLE)).isZero();
        // not before all that it counted has been counted
        assertThat(drains).hasValue(0);
        run(() -> pool.closed(client.carrier()));
        assertThat(drains).hasValue(1);
    }

    @Test
    void aDrainWaitsForBusyConnections() {
        Client client = served();
        drain();
        assertThat(client.carrier().closing).isFalse();
        assertThat(drains).hasValue(0);
        end(client);
        assertThat(client.carrier().closing).isTrue();
        run(() -> pool.closed(client.carrier()));
        assertThat(drains).hasValue(1);
    }

    @Test
    void aDrainWaitsForThoseWhoWait() {
        Client served = ask();
        Client failed = askFresh();
        drain();
        Carrier carrier = connected();
        assertThat(served.stream).isNotNull();
        end(served);
        run(() -> pool.closed(carrier));
        assertThat(drains).hasValue(0);
        connectFails();
        assertThat(failed.refusal).isEqualTo(Failure.HANDSHAKE_FAILED);
        assertThat(drains).hasValue(1);
    }

    @Test
    void aDrainOfAnEmptyPoolIsOverAtOnce() {
        drain();
        assertThat(drains).hasValue(1);
    }

    /** Nobody is left who would use it, and nobody comes. */
    @Test
    void aConnectionThatIsReadyAfterTheEndIsClosed() {
        Client gone = askFresh();
        run(pool::close);
        gone.gone = true;
        assertThat(connected().closing).isTrue();
        assertThat(count(EndpointMetric.IDLE)).isZero();
    }

    @Test
    void theEndClosesIdleConnections() {
        Client client = served();
        end(client);
        run(pool::close);
        assertThat(client.carrier().closing).isTrue();
        assertThat(count(EndpointMetric.IDLE)).isZero();
    }

    private void drain() {
        run(() -> pool.drain(drains::incrementAndGet));
    }

    // ---- what stands around a pool

    private final class Silence implements Protocol {
        @Override
        public Connection begin(Link link, EndpointPool owner) {
            Carrier carrier = new Carrier(owner, room);
            carriers.add(carrier);
            return carrier;
        }

        @Override
        public int expectedStreams() {
            return expectedStreams;
        }
    }

    private static final class Carrier extends Connection {
        private final EndpointPool owner;
        private final int room;
        private boolean used;
        private boolean fit = true;
        private boolean closing;

        Carrier(EndpointPool owner, int room) {
            this.owner = owner;
            this.room = room;
        }

        void streamEnded(boolean reusable) {
            owner.streamEnded(this, reusable);
        }

        @Override
        protected int maxStreams() {
            return closing ? 0 : room;
        }

        @Override
        protected boolean isFit() {
            return fit;
        }

        @Override
        protected BackendStream newStream(StreamClient client) {
            ((Client) client).carrier = this;
            SilentStream stream = new SilentStream(used);
            used = true;
            return stream;
        }

        @Override
        protected void onIdle() {}

        @Override
        public void close() {
            closing = true;
        }
    }

    private static final class Client extends StreamClient {
        private @Nullable Carrier carrier;
        private @Nullable BackendStream stream;
        private @Nullable Failure refusal;
        private boolean gone;
        private String address = "";

        @Override
        public RequestAttributes attributes() {
            return RequestAttributes.ofClient(address);
        }

        boolean isWaiting() {
            return stream == null && refusal == null;
        }

        Carrier carrier() {
            assertThat(carrier).isNotNull();
            return carrier;
        }

        @Override
        public void picked(Target target) {}

        @Override
        public void ready(BackendStream ready) {
            assertThat(isWaiting()).isTrue();
            stream = ready;
        }

        @Override
        public void refused(Failure failure) {
            assertThat(isWaiting()).isTrue();
            refusal = failure;
        }

        @Override
        public long bodyIdleNs() {
            return TIMEOUT_NS;
        }

        @Override
        public boolean isGone() {
            return gone;
        }

        @Override
        public void response(ResponseHead head, long readyNs) {}

        @Override
        public void content(ByteBuf content) {}

        @Override
        public void end(@Nullable Fields trailers) {}

        @Override
        public void readComplete() {}

        @Override
        public void writable(boolean writable) {}

        @Override
        public void broken(Failure failure, boolean anyByte) {}
    }
}
