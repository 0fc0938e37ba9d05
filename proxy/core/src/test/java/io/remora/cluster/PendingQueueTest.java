package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.discovery.ResolverConfig;
import io.remora.engine.Cluster;
import io.remora.http.Failure;
import io.remora.http.Heads;
import io.remora.http.RequestHead;
import io.remora.memory.Plans;
import io.remora.metrics.NamingStats;
import io.remora.metrics.Stats;
import io.remora.seams.SilentClient;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Requests that wait for a cluster's first answer, and a cluster that throws as it serves one of them. */
final class PendingQueueTest {
    private static final Loops LOOPS = new Loops(1, NanoClock.SYSTEM, new Stats(), Plans.holding(1 << 20));

    private final List<StreamClient> served = new ArrayList<>();
    private final AtomicInteger ended = new AtomicInteger();

    @AfterAll
    static void end() {
        LOOPS.shutdown().syncUninterruptibly();
    }

    @Test
    void oneThatThrowsIsAnsweredAndTheOthersAreServed() {
        SilentClient faulty = new SilentClient("a");
        SilentClient good = new SilentClient("b");
        PendingQueue queue = new PendingQueue(
                new ThrowingFor(faulty),
                LOOPS.all().get(0),
                ResolverConfig.ofName("app", 80),
                new NamingStats("app", "dns", "dns:app:80"),
                ended::incrementAndGet);
        LOOPS.all()
                .get(0)
                .eventLoop()
                .submit(() -> {
                    queue.add(Heads.request("GET", "/"), faulty);
                    queue.add(Heads.request("GET", "/"), good);
                    queue.run();
                })
                .syncUninterruptibly();
        assertThat(faulty.failure()).isEqualTo(Failure.INTERNAL);
        assertThat(served).containsExactly(good);
        assertThat(ended).hasValue(1);
    }

    /** A cluster whose balancer throws for one client. */
    private final class ThrowingFor extends Cluster {
        private final StreamClient faulty;

        ThrowingFor(StreamClient faulty) {
            this.faulty = faulty;
        }

        @Override
        public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
            if (client == faulty) {
                throw new IllegalStateException("no endpoint was picked");
            }
            served.add(client);
        }

        @Override
        public void newStreamAgain(Target target, StreamClient client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean hasOther(Target tried) {
            return false;
        }

        @Override
        public boolean repeatsByItself() {
            return false;
        }
    }
}
