package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Clusters;
import io.remora.discovery.ResolverConfig;
import io.remora.http.Failure;
import io.remora.http.Heads;
import io.remora.memory.Plans;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.Stats;
import io.remora.naming.Addr;
import io.remora.naming.Endpoint;
import io.remora.naming.Resolver;
import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.pool.Protocol;
import io.remora.seams.SilentClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.testkit.Await;
import io.remora.transport.BackgroundTask;
import io.remora.transport.Connector;
import io.remora.transport.Handshake;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A cluster's endpoints on one event loop, and answers of its source that are large. */
final class LoopClusterTest {
    private static final int MANY = 1_000;
    private static final long MOST_BYTES = 1_024;
    private static final int TRIALS = 5;
    private static final Loops LOOPS = new Loops(1, NanoClock.SYSTEM, new Stats(), Plans.holding(1 << 20));
    private static final Loop LOOP = LOOPS.all().get(0);

    private final Stats stats = new Stats();
    private final LoopCluster cluster = cluster(null);

    private LoopCluster cluster(@Nullable BalancerConfig balancer) {
        return cluster(balancer, null);
    }

    private LoopCluster cluster(@Nullable BalancerConfig balancer, @Nullable ResilienceConfig resilience) {
        ClusterConfig config = Clusters.plain(10, 10, 1, balancer, resilience);
        Connector connector = new Connector(config, LOOP, UnpooledByteBufAllocator.DEFAULT, Handshake.NONE);
        DefaultCluster whole = new DefaultCluster(
                config,
                watcher -> () -> {},
                Handshake.NONE,
                null,
                new NoBackends(),
                UnpooledByteBufAllocator.DEFAULT,
                stats,
                null);
        return new LoopCluster(whole, config, LOOP, connector, new Unspoken(), stats);
    }

    /** The whole cluster is asked for none here. */
    private static final class NoBackends implements Backends {
        @Override
        public Resolver resolver(ClusterConfig config) {
            return resolver(config.name(), null);
        }

        @Override
        public Resolver resolver(String name, @Nullable ResolverConfig asked) {
            return watcher -> () -> {};
        }

        @Override
        public Handshake handshake(ClusterConfig config, Stats stats) {
            return Handshake.NONE;
        }

        @Override
        public Protocol protocol(ClusterConfig config, Loop loop) {
            return new Unspoken();
        }
    }

    @AfterAll
    static void end() {
        LOOPS.shutdown().syncUninterruptibly();
    }

    private static <T> T onLoop(Callable<T> step) {
        return LOOP.eventLoop().submit(step).syncUninterruptibly().getNow();
    }

    /** Waits until the endpoints are these and no others, and none of them is being made or removed. */
    private void settle(List<Endpoint> endpoints) {
        Await.until("settled", () -> onLoop(() -> counted().equals(names(endpoints)) && !cluster.isUpdating()));
    }

    private static List<Endpoint> endpoints(int from, int number) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = from; i < from + number; i++) {
            endpoints.add(endpoint(i, Map.of()));
        }
        return endpoints;
    }

    private static Endpoint endpoint(int number, Map<String, String> metadata) {
        try {
            byte[] address = {127, (byte) (1 + number / 65_536), (byte) (number / 256), (byte) number};
            String name = "127." + (1 + number / 65_536) + "." + number / 256 % 256 + "." + number % 256 + ":1";
            return new Endpoint(name, new InetSocketAddress(InetAddress.getByAddress(address), 1), 1, metadata);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private void apply(List<Endpoint> endpoints) {
        onLoop(() -> {
            cluster.apply(endpoints.isEmpty() ? new Addr.Empty() : new Addr.Bound(endpoints));
            return null;
        });
    }

    private SilentClient ask(LoopCluster of) {
        SilentClient client = new SilentClient("a");
        onLoop(() -> {
            of.newStream(Heads.request("GET", "/"), null, client);
            return null;
        });
        return client;
    }

    private Set<String> counted() {
        Set<String> names = new HashSet<>();
        for (EndpointStats one : stats.endpoints()) {
            names.add(one.endpoint);
        }
        return names;
    }

    private static Set<String> names(List<Endpoint> endpoints) {
        Set<String> names = new HashSet<>();
        for (Endpoint endpoint : endpoints) {
            names.add(endpoint.name());
        }
        return names;
    }

    // ---- in slices

    /** Until all of them are there, a request meets the ones from before; then it meets all of the new ones and no other. */
    @Test
    void takesALargeAnswerInSlices() {
        apply(endpoints(0, 1));
        Set<String> after = new HashSet<>();
        SilentClient meanwhile = new SilentClient("a");
        int known = onLoop(() -> {
            cluster.apply(new Addr.Bound(endpoints(1, MANY)));
            cluster.newStream(Heads.request("GET", "/"), null, meanwhile);
            return counted().size();
        });
        assertThat(known).isBetween(2, 1 + EndpointUpdate.MOST);
        assertThat(meanwhile.target()).isNotNull();
        assertThat(meanwhile.target().name()).isEqualTo("127.1.0.0:1");
        settle(endpoints(1, MANY));
        for (int i = 0; i < 3 * MANY; i++) {
            Target target = ask(cluster).target();
            assertThat(target).isNotNull();
            after.add(target.name());
        }
        assertThat(after).doesNotContain("127.1.0.0:1").hasSizeGreaterThan(MANY / 2);
    }

    /** What the source said last holds, whatever it said while the first answer was taken. */
    @Test
    void theLastOfManyAnswersHolds() {
        onLoop(() -> {
            cluster.apply(new Addr.Bound(endpoints(0, MANY)));
            cluster.apply(new Addr.Bound(endpoints(500, MANY)));
            cluster.apply(new Addr.Bound(endpoints(2_000, 300)));
            return null;
        });
        settle(endpoints(2_000, 300));
        apply(List.of());
        settle(List.of());
        assertThat(ask(cluster).failure()).isEqualTo(Failure.NO_ENDPOINT);
    }

    /** Before the first answer is whole nobody says that there is no endpoint. */
    @Test
    void isNotResolvedWhileTheFirstAnswerIsTaken() {
        SilentClient early = new SilentClient("a");
        onLoop(() -> {
            cluster.apply(new Addr.Bound(endpoints(0, MANY)));
            cluster.newStream(Heads.request("GET", "/"), null, early);
            return null;
        });
        assertThat(early.failure()).isEqualTo(Failure.NOT_RESOLVED);
        settle(endpoints(0, MANY));
        assertThat(ask(cluster).target()).isNotNull();
    }

    /** A first answer that is given up while it is taken comes into use at no time. */
    @Test
    void aSourceThatIsLostWhileTheFirstAnswerIsTakenLeavesNone() {
        onLoop(() -> {
            cluster.apply(new Addr.Bound(endpoints(0, MANY)));
            cluster.apply(new Addr.Failed("given up"));
            return null;
        });
        settle(List.of());
        assertThat(ask(cluster).failure()).isEqualTo(Failure.NOT_RESOLVED);
        apply(endpoints(0, 1));
        assertThat(ask(cluster).target()).isNotNull();
    }

    /** The statistics of all go with them, those that are still being made too. */
    @Test
    void drainsInTheMiddleOfAnAnswer() {
        apply(endpoints(0, 10));
        onLoop(() -> {
            cluster.apply(new Addr.Bound(endpoints(5, MANY)));
            LOOP.background(new ClusterDrain(cluster));
            return null;
        });
        settle(List.of());
    }

    /** A reload that ends a large cluster holds nobody up: a timer that is due before the end is not late for all of it. */
    @Test
    void drainsALittleAtATime() throws Exception {
        apply(endpoints(0, MANY));
        CompletableFuture<Integer> left = new CompletableFuture<>();
        onLoop(() -> {
            // a step a turn, however fast this machine is
            BackgroundTask drain = new ClusterDrain(cluster);
            LOOP.background(() -> {
                LOOP.after(() -> left.complete(counted().size()), 1);
                long endNs = System.nanoTime() + 2_000_000;
                while (System.nanoTime() - endNs < 0) {
                    Thread.onSpinWait();
                }
                return drain.step();
            });
            return null;
        });
        assertThat(left.get(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)).isBetween(1, MANY - 1);
        settle(List.of());
    }

    /** Who stays, stays the same: its pool, and what is known of it. */
    @Test
    void keepsWhoStays() {
        apply(endpoints(0, 1));
        Target before = ask(cluster).target();
        apply(List.of(
                endpoint(0, Map.of(Endpoint.PRIORITY, "0", Endpoint.ZONE, "a")),
                endpoint(1, Map.of(Endpoint.PRIORITY, "1"))));
        for (int i = 0; i < 20; i++) {
            assertThat(ask(cluster).target()).as("by priority").isSameAs(before);
        }
    }

    /** An attempt that says nothing about the endpoint changes nothing but the load. */
    @Test
    void ignoresWhatIsNobodysFault() {
        apply(endpoints(0, 2));
        for (int i = 0; i < 500; i++) {
            Target target = ask(cluster).target();
            assertThat(target).isNotNull();
            boolean first = target.name().equals("127.1.0.0:1");
            onLoop(() -> {
                target.ended(first ? Verdict.IGNORED : Verdict.SUCCESS, -1);
                return null;
            });
        }
        long other = picks(500, "127.1.0.0:1");
        assertThat(other).isBetween(150L, 350L);
    }

    /** An endpoint that has left its cluster is asked for again in vain, which takes a place like any other attempt. */
    @Test
    void countsWhatIsRefusedByAnEndpointThatHasLeft() {
        BreakerConfig one = new BreakerConfig(10, 10, 1, 10);
        LoopCluster bounded = cluster(null, new ResilienceConfig(0, null, one, null));
        onLoop(() -> {
            bounded.apply(new Addr.Bound(endpoints(0, 1)));
            return null;
        });
        Target left = ask(bounded).target();
        assertThat(left).isNotNull();
        onLoop(() -> {
            left.ended(Verdict.IGNORED, -1);
            bounded.apply(new Addr.Bound(endpoints(1, 1)));
            return null;
        });
        SilentClient again = new SilentClient("a");
        onLoop(() -> {
            bounded.newStreamAgain(left, again);
            return null;
        });
        assertThat(again.failure()).isEqualTo(Failure.CONNECT_FAILED);
        Target refused = again.target();
        assertThat(refused).isNotNull();
        onLoop(() -> {
            refused.ended(Verdict.FAILURE, -1);
            return null;
        });
        assertThat(ask(bounded).target()).isNotNull();
        assertThat(ask(bounded).failure()).isEqualTo(Failure.BREAKER_IN_FLIGHT);
    }

    private long picks(int number, String name) {
        long picks = 0;
        for (int i = 0; i < number; i++) {
            Target target = ask(cluster).target();
            assertThat(target).isNotNull();
            picks += target.name().equals(name) ? 1 : 0;
            onLoop(() -> {
                target.ended(Verdict.SUCCESS, 1);
                return null;
            });
        }
        return picks;
    }

    // ---- cost

    /** All of what an endpoint takes of the heap: as its source tells it, its pool, its counters and what balances it. */
    @Test
    void anEndpointCostsAKilobyteAtTheMost() {
        long[] each = new long[TRIALS];
        for (int i = 0; i < TRIALS; i++) {
            apply(endpoints(0, 100));
            apply(List.of());
            settle(List.of());
            long before = usedBytes();
            apply(endpoints(0, MANY));
            settle(endpoints(0, MANY));
            each[i] = (usedBytes() - before) / MANY;
        }
        // what other tests have left behind may go in the middle of one of them
        Arrays.sort(each);
        assertThat(each[TRIALS / 2]).isBetween(100L, MOST_BYTES);
        assertThat(stats.endpoints()).hasSize(MANY);
    }

    private static long usedBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** Nobody speaks: no connection is ever made ready. */
    private static final class Unspoken implements Protocol {
        @Override
        public Connection begin(Link link, EndpointPool pool) {
            throw new AssertionError("nobody listens there");
        }

        @Override
        public int expectedStreams() {
            return 1;
        }
    }
}
